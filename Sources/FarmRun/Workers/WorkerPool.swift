// The worker processes of an embedded run: child processes of the same binary. If a worker dies,
// the pool reports it to the coordinator at once, so that its lease need not expire, and replaces
// it.
import FarmAPI
import FarmCore
import FarmDrivers
import Foundation
import Synchronization

/// Keeps worker processes alive during a run.
struct WorkerPool: Sendable {
    /// The number of workers that the pool should have.
    let demand: WorkerDemand
    let coordinator: CoordinatorClient
    let token: String
    let data: DataFolder
    let environment: [String: String]
    let say: @Sendable (String) -> Void
    /// The capabilities that the command line offers, beside those that the workers find.
    var offer: [String] = []
    /// The prefix of workers' names that tells this machine's workers from those of others.
    var prefix = ""
    /// Whether the workers stay when no run is open, and keep their browsers from run to run.
    var isWarm = false

    /// Runs the workers until all have left by themselves; throws if no more may be started.
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
                // A retired worker finishes what it runs, so no test runs twice because of it.
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
                // The signal to leave came before the worker handled it.
                return try await coordinator.workerLost(id)
            }
            try Task.checkCancellation()
            // Another worker on the same disk would fail in the same way.
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
                "worker", "--coordinator", WorkerProcess.fromStandardInput, "--id", id.text,
                "--scratch", data.scratch + "/" + id.text, "--cache", data.references,
                "--parent", "\(getpid())",
            ] + (isWarm ? ["--warm"] : []) + offer.flatMap { ["--offer", $0] },
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

    /// Returns the path of this program's file.
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

/// The number of workers that may still be replaced.
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

    /// Returns the last error in a worker's log, or `nil` if there is none.
    private static func lastLines(_ path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").last { $0.hasPrefix("error: ") }
            .map { String($0.dropFirst(7)) }
    }
}
