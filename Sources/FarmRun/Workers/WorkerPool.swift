// Worker processes of an embedded run: the same binary, one child each. A worker that dies is
// named to the coordinator at once, so that nobody waits for its lease to end, and replaced.
import FarmAPI
import FarmCore
import FarmDrivers
import Foundation
import Synchronization

/// Keeps worker processes alive while a run lasts.
struct WorkerPool: Sendable {
    /// How many there are to be.
    let demand: WorkerDemand
    let coordinator: CoordinatorClient
    let token: String
    let data: DataFolder
    let environment: [String: String]
    let say: @Sendable (String) -> Void
    /// What they offer beside what they find.
    var offer: [String] = []
    /// What tells this machine's workers from those of others.
    var prefix = ""

    /// Returns when every worker has left by itself, or none may be started any more.
    func run() async throws {
        let budget = RestartBudget(FarmLimits.workerRestartsMax)
        let crew = WorkerCrew()
        try await withThrowingDiscardingTaskGroup { group in
            for await wanted in demand.counts {
                for slot in crew.begin(upTo: wanted) {
                    group.addTask {
                        defer { if crew.end(slot) { demand.end() } }
                        try await keepAlive(slot, budget, crew)
                    }
                }
                // It finishes what it runs: nothing is begun a second time because of it.
                for worker in crew.retire(downTo: wanted) { kill(worker, SIGUSR1) }
            }
        }
    }

    private func keepAlive(
        _ slot: Int,
        _ budget: RestartBudget,
        _ crew: WorkerCrew
    ) async throws {
        var generation = 1
        while !Task.isCancelled {
            let id = WorkerID(
                "\(prefix)w\(slot)" + (generation == 1 ? "" : ".\(generation)") + "-\(getpid())"
            )
            let ending = try await process(id).withRunning { worker in
                crew.started(slot, worker.pid)
                defer { crew.stopped(slot) }
                return try await worker.ending()
            }
            if ending == .exited(0) { return }
            if crew.isRetired(slot) {
                // It was told to leave before it listened.
                return try await coordinator.workerLost(id)
            }
            try Task.checkCancellation()
            // Another worker on the same disk would fail the same way.
            guard ending != .exited(ExitCode.inputOutput.rawValue) else {
                throw WorkerPoolError.inputOutput(log(id))
            }
            say("worker \(id) \(words(ending)); its tests go on elsewhere.")
            try await coordinator.workerLost(id)
            guard budget.take() else { throw WorkerPoolError.keepsDying(log(id)) }
            generation += 1
        }
    }

    private func process(_ id: WorkerID) throws -> ChildProcess {
        var child = ChildProcess(
            executable: try Self.program(),
            arguments: [
                "worker", "--coordinator", WorkerProcess.told, "--id", id.text,
                "--scratch", data.scratch + "/" + id.text, "--cache", data.references,
                "--parent", "\(getpid())",
            ] + offer.flatMap { ["--offer", $0] },
            environment: OwnEnvironment.forWorkers(environment),
            folder: FileManager.default.currentDirectoryPath
        )
        child.input = .bytes(Array("\(coordinator.url)\n\(token)\n".utf8))
        child.log = log(id)
        child.joinsOutputs = true
        child.graceSeconds = FarmLimits.workerGraceSeconds
        return child
    }

    private func log(_ id: WorkerID) -> String { data.logs + "/\(id).log" }

    /// This program's own file.
    static func program() throws -> String {
        #if os(Linux)
        return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #else
        return Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    private func words(_ ending: ChildEnding) -> String {
        switch ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was killed by signal \(signal)"
        case .timedOut: "was stopped"
        case .flooded: "printed too much and was stopped"
        }
    }
}

/// How often workers may still be replaced.
final class RestartBudget: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}

enum WorkerPoolError: ExplainedError {
    case keepsDying(String)
    case inputOutput(String)

    var code: String {
        switch self {
        case .keepsDying: "workers-keep-dying"
        case .inputOutput: "worker-storage"
        }
    }
    var message: String {
        switch self {
        case .keepsDying:
            "worker processes died more than \(FarmLimits.workerRestartsMax) times."
        case .inputOutput(let log):
            "a worker could not read or write: " + (Self.lastLines(log) ?? "see \(log).")
        }
    }
    var remedy: String {
        switch self {
        case .keepsDying(let log):
            "Look into \(log); then run again with --resume to finish the open test cases."
        case .inputOutput:
            "Free space, or choose other folders with --data and TMPDIR; then run again with "
                + "--resume."
        }
    }
    var exit: ExitCode {
        switch self {
        case .keepsDying: .incomplete
        case .inputOutput: .inputOutput
        }
    }

    /// What the worker said last.
    private static func lastLines(_ path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").last { $0.hasPrefix("error: ") }
            .map { String($0.dropFirst(7)) }
    }
}
