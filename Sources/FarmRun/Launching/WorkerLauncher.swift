// The ways to start workers: as child processes of the coordinator, or by a scheduler's commands.
import FarmCore
import FarmDrivers
import FarmLedger
import FarmServer
import Foundation
import Synchronization

/// Starts, lists and stops workers.
protocol WorkerLauncher: Sendable {
    /// Starts the ordered worker.
    ///
    /// - Throws: The reason why the worker could not be started.
    func start(_ order: WorkerOrder) async throws
    func list() async throws -> [ListedWorker]
    func stop(_ name: LaunchedName) async throws
    /// Returns the reason why a worker ended before it called, or `nil` if that is unknown; then
    /// forgets the reason.
    func takeExitReason(of name: LaunchedName) -> String?
}

/// The error of a launcher's command, or of its check.
enum LauncherError: ExplainedError {
    case failed(program: String, how: String, words: String)
    /// The launcher's check command refused its configuration.
    case refused(launcher: String, reason: String)

    var code: String {
        switch self {
        case .failed: "launcher-failed"
        case .refused: "launcher-refused"
        }
    }
    var message: String {
        switch self {
        case .failed(let program, let how, let words):
            "its command \(program) \(how)" + (words.isEmpty ? "." : ", and said: \(words)")
        case .refused(let launcher, let reason): "the launcher \(launcher): \(reason)"
        }
    }
    var remedy: String {
        switch self {
        case .failed: "Run it by hand, as the user and on the machine of the coordinator."
        case .refused: "Mend the launcher in the coordinator's configuration."
        }
    }
    var exit: ExitCode { .configuration }
}

// MARK: commands

/// Starts workers by commands, such as a scheduler's.
struct CalledLauncher: WorkerLauncher {
    let calls: TemplateCalls
    let environment: [String: String]
    let folder: String

    /// The variables that schedulers' programs read in addition to the usual ones; none has a
    /// secret.
    private static let known = ["KUBECONFIG", "SLURM_CONF", "SSH_AUTH_SOCK"]

    init(
        _ calls: TemplateCalls,
        variables: [String: String?],
        _ environment: [String: String],
        folder: String
    ) {
        self.calls = calls
        self.folder = folder
        var kept = OwnEnvironment.forWorkers(environment)
        for name in Self.known { kept[name] = environment[name] }
        for (name, value) in variables { kept[name] = value ?? environment[name] }
        self.environment = kept
    }

    /// Runs the check command, if the configuration has one.
    ///
    /// - Throws: `LauncherError.failed` if the command does not exit with status 0.
    func check(coordinator: String, token: String) async throws {
        guard let check = calls.check(coordinator: coordinator, token: token) else { return }
        _ = try await call(check)
    }

    func start(_ order: WorkerOrder) async throws { _ = try await call(calls.start(order)) }

    func list() async throws -> [ListedWorker] { calls.listed(try await call(calls.list())) }

    func stop(_ name: LaunchedName) async throws { _ = try await call(calls.stop(name)) }

    func takeExitReason(of name: LaunchedName) -> String? { nil }

    /// Runs a program to its end and returns what it printed on standard output.
    private func call(_ call: LauncherCall) async throws -> String {
        var child = ChildProcess(
            executable: call.words.first ?? "",
            arguments: Array(call.words.dropFirst()),
            environment: environment,
            folder: folder
        )
        child.input = .bytes(Array(call.input.utf8))
        child.timeLimitSeconds = FarmLimits.launchCallSeconds
        child.outputBytesMax = FarmLimits.launchOutputBytesMax
        let printed = Printed()
        let ending = try await child.run { printed.add($0, $1) }
        guard ending == .exited(0) else {
            let program = (call.words.first.map { ($0 as NSString).lastPathComponent }) ?? ""
            throw LauncherError.failed(
                program: program,
                how: Self.words(ending),
                words: printed.lastLine
            )
        }
        return printed.output
    }

    private static func words(_ ending: ChildEnding) -> String {
        switch ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was killed by signal \(signal)"
        case .timedOut:
            "did not end within \(Int(FarmLimits.launchCallSeconds)) s"
        case .flooded: "printed too much"
        }
    }
}

/// The output of a child process, bounded by the child's `outputBytesMax`.
private final class Printed: Sendable {
    private let bytes = Mutex<(output: [UInt8], errors: [UInt8])>(([], []))

    func add(_ stream: ChildStream, _ new: [UInt8]) {
        bytes.withLock {
            switch stream {
            case .standardOutput: $0.output += new
            case .standardError: $0.errors += new
            }
        }
    }

    var output: String { bytes.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// The last line that a child printed on standard error, or else on standard output; empty if
    /// there is none.
    var lastLine: String {
        let (output, errors) = bytes.withLock { ($0.output.suffix(4096), $0.errors.suffix(4096)) }
        return [errors, output].lazy.compactMap { LastLine.of(String(decoding: $0, as: UTF8.self)) }
            .first ?? ""
    }
}

enum LastLine {
    /// Returns the last line of `text` that is not blank, cut to 300 characters, or `nil` if there
    /// is none.
    static func of(_ text: String) -> String? {
        text.split(whereSeparator: \.isNewline).map { String($0).trimmingSpaces() }
            .last { !$0.isEmpty }.map { String($0.prefix(300)) }
    }
}

// MARK: children

/// Starts workers as child processes of the coordinator; none outlives it.
final class LocalLauncher: WorkerLauncher {
    private struct State {
        /// For each running worker, the promise that is fulfilled to stop it.
        var running: [LaunchedName: Promise<Void>] = [:]
        /// The reasons why workers ended, until `takeExitReason(of:)` returns them.
        var lastWords = BoundedCache<LaunchedName, String>(max: FarmLimits.launchedWorkersMax)
    }
    private let data: DataFolder
    private let environment: [String: String]
    private let state = Mutex(State())
    private let orders: AsyncStream<WorkerOrder>
    private let ordering: AsyncStream<WorkerOrder>.Continuation

    init(data: DataFolder, _ environment: [String: String]) {
        self.data = data
        self.environment = OwnEnvironment.forWorkers(environment)
        (orders, ordering) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(FarmLimits.launchedWorkersMax)
        )
    }

    /// Runs the ordered workers until its task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await order in orders { group.addTask { await self.keep(order) } }
            group.cancelAll()
        }
    }

    /// Starts a worker, unless a worker of the same name runs.
    func start(_ order: WorkerOrder) async throws {
        let isNew = state.withLock { state in
            guard state.running[order.name] == nil else { return false }
            state.running[order.name] = Promise()
            return true
        }
        if isNew { ordering.yield(order) }
    }

    func list() async throws -> [ListedWorker] {
        state.withLock { $0.running.keys.map { ListedWorker($0.text) } }
    }

    func stop(_ name: LaunchedName) async throws {
        state.withLock { $0.running[name] }?.set(())
    }

    /// Stops the workers of all launchers except the named ones.
    func stop(except launchers: Set<String>) {
        let others = state.withLock { state in
            state.running.filter { !launchers.contains($0.key.launcher) }.map(\.value)
        }
        for other in others { other.set(()) }
    }

    func takeExitReason(of name: LaunchedName) -> String? {
        state.withLock { $0.lastWords.removeValue(forKey: name) }
    }

    private func keep(_ order: WorkerOrder) async {
        let stopped = state.withLock { $0.running[order.name] } ?? Promise(())
        var words: String?
        do {
            let ending = try await child(order).withRunning { worker in
                try await withThrowingTaskGroup(of: ChildEnding?.self) { group in
                    group.addTask { try await worker.ending() }
                    group.addTask {
                        try await stopped.value
                        return nil
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? nil
                }
            }
            if let ending, ending != .exited(0) { words = "\(ending)" }
        } catch let error as any ExplainedError {
            words = error.message
        } catch {
            words = error is CancellationError ? nil : error.inWords
        }
        let said = words.map { words in lastLine(order.name) ?? words }
        state.withLock { state in
            state.running[order.name] = nil
            state.lastWords[order.name] = said
        }
    }

    private func child(_ order: WorkerOrder) throws -> ChildProcess {
        let name = order.name.text
        var child = ChildProcess(
            executable: try WorkerPool.program(),
            arguments: [
                "worker", "--coordinator", WorkerProcess.fromStandardInput, "--scratch",
                data.scratch + "/" + name, "--cache", data.references,
            ] + order.workerWords,
            environment: environment,
            folder: data.path
        )
        child.input = .bytes(Array(order.standardInput.utf8))
        child.log = log(order.name)
        child.joinsOutputs = true
        child.graceSeconds = FarmLimits.workerGraceSeconds
        return child
    }

    private func log(_ name: LaunchedName) -> String { "\(data.logs)/\(name.text).log" }

    private func lastLine(_ name: LaunchedName) -> String? {
        guard let file = FileHandle(forReadingAtPath: log(name)) else { return nil }
        defer { try? file.close() }
        let end = (try? file.seekToEnd()) ?? 0
        try? file.seek(toOffset: end - min(end, 4096))
        let bytes = (try? file.read(upToCount: 4096)) ?? Data()
        let text = String(decoding: bytes, as: UTF8.self)
        let errors = text.split(whereSeparator: \.isNewline).last { $0.hasPrefix("error: ") }
        return errors.flatMap { LastLine.of(String($0)) } ?? LastLine.of(text)
    }
}
