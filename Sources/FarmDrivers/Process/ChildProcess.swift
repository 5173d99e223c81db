// A child process and everything that it starts, as one thing with one end. Each child leads a
// session of its own and carries SNAPFARM_COOKIE in its environment. When it ends, in whatever way,
// nothing of its tree is left (see ProcessTree.swift).
//
// Invariants
//   - `run` and `withRunning` return or throw only after the whole tree is gone.
//   - The child sees exactly `environment` and the cookie, no other variable of this process.
import FarmCore
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The output of a child that some bytes came from.
package enum ChildStream: Sendable, Hashable {
    case standardOutput
    case standardError
}

/// The standard input of a child.
package enum ChildInput: Sendable, Hashable {
    /// `/dev/null`.
    case none
    /// These bytes, then the end of the file.
    ///
    /// A child that does not read them is no error.
    case bytes([UInt8])
}

/// The way in which a child ended.
package enum ChildEnding: Sendable, Hashable {
    /// The child exited by itself, with this status.
    case exited(Int32)
    /// The child was ended by a signal that the farm did not send.
    case signalled(Int32)
    /// The farm ended the child because it ran longer than `timeLimitSeconds`.
    case timedOut
    /// The farm ended the child because it printed more than `outputBytesMax`.
    case flooded
}

/// A function that receives what a child prints, in order; never called twice at once for the same
/// child.
///
/// A slow receiver slows the child down. An error that it throws ends the child and is thrown to
/// the caller.
package typealias ChildOutput = @Sendable (ChildStream, [UInt8]) async throws -> Void

/// A description of a child process.
///
/// The same value can be run many times.
///
/// Use ``run(onOutput:)`` for a command with an end, and ``withRunning(onOutput:body:)`` for a
/// child that lives while other work goes on (a browser driver, a worker process).
package struct ChildProcess: Sendable {
    /// An absolute path, or a name to be found in `environment["PATH"]`.
    package var executable: String
    /// The arguments, without the program's own name.
    package var arguments: [String]
    /// The whole environment of the child, apart from `SNAPFARM_COOKIE`; see ``CleanEnvironment``.
    package var environment: [String: String]
    /// The absolute path of the working directory.
    package var folder: String
    package var input: ChildInput = .none
    /// The seconds until the tree is ended, or `nil` for no limit.
    ///
    /// ``withRunning(onOutput:body:)`` ignores it.
    package var timeLimitSeconds: Double?
    /// The most bytes that the child may print on both outputs together; if it prints more, the
    /// farm ends it.
    package var outputBytesMax = FarmLimits.logBytesMax
    /// A file that gets everything that the child prints, appended; many children may share one.
    ///
    /// The file never grows beyond `FarmLimits.logBytesMax`.
    package var log: String?
    /// Whether standard error goes where standard output goes, in the order printed; all of it is
    /// then reported as ``ChildStream/standardOutput``.
    package var joinsOutputs = false
    /// Seconds between SIGTERM and SIGKILL; an isolated child has none, because SIGTERM ends the
    /// bubblewrap around it.
    package var graceSeconds = FarmLimits.terminationGraceSeconds
    /// The part of the machine that an isolated child sees, or `nil` for a child that sees all of it.
    var enclosure: Enclosure?

    package init(
        executable: String,
        arguments: [String],
        environment: [String: String],
        folder: String
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
    }

    /// Runs the child to its end.
    ///
    /// On the time limit and on a flood, the tree gets SIGTERM and, ``graceSeconds`` later,
    /// SIGKILL. Processes left after an ordinary end get SIGKILL at once.
    ///
    /// - Throws: ``DriverError`` if the child cannot be started, `CancellationError` if the task
    ///   was cancelled, and the errors of `onOutput`; the tree is gone in each case.
    package func run(onOutput: ChildOutput? = nil) async throws -> ChildEnding {
        try Task.checkCancellation()
        let seconds = timeLimitSeconds
        let ending = try await withThrowingTaskGroup(of: ChildEnding.self) { group in
            group.addTask { try await attend(onOutput: onOutput) { _ in } }
            if let seconds {
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds))
                    return .timedOut
                }
            }
            let first = await group.nextResult()
            group.cancelAll()
            // Waits until a child that ran too long is torn down; its own ending does not matter.
            while await group.nextResult() != nil {}
            return try first?.get() ?? .timedOut
        }
        try Task.checkCancellation()
        return ending
    }

    /// Starts the child, runs `body` while it lives, and ends its tree when `body` returns, throws
    /// or is cancelled.
    ///
    /// There is no time limit; `body` decides.
    ///
    /// The child may end before `body` does, which ``RunningChild/ending()`` reports. A flood ends
    /// it too.
    ///
    /// - Throws: ``DriverError`` if the child cannot be started, and the errors of `body`. An error
    ///   of `onOutput` ends the child and is thrown by `ending()`, not from here.
    package func withRunning<Value: Sendable>(
        onOutput: ChildOutput? = nil,
        body: @escaping @Sendable (RunningChild) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let fate = ChildFate()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                do {
                    fate.end(.success(try await attend(onOutput: onOutput) { fate.start($0) }))
                } catch {
                    fate.end(.failure(error))
                }
                return nil
            }
            group.addTask { try await body(try await fate.started()) }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}

extension ChildProcess {
    /// Starts the child, drains its output, waits for its end and sweeps its tree.
    ///
    /// Cancelling ends the tree; the returned ending is then meaningless.
    private func attend(
        onOutput: ChildOutput?,
        started: @Sendable (Int32) -> Void
    ) async throws -> ChildEnding {
        let program = try resolvedProgram()
        let sink = try ChildSink(limit: outputBytesMax, log: log, receiver: onOutput)
        let stdin = try ChildInputFile(input)
        let ticket = ProcessTree.shared.expect()
        var environment = enclosure == nil ? environment : Enclosure.environment
        environment[ProcessTree.cookieKey] = ticket.cookie
        let plan = Launch(
            program: enclosure?.isolation.program ?? program,
            arguments: enclosure?.arguments(self, program: program) ?? arguments,
            environment: environment,
            folder: enclosure == nil ? folder : "/",
            stdin: stdin.descriptor,
            graceSeconds: graceSeconds
        )
        do {
            let status =
                joinsOutputs
                ? try await plan.joined(sink) { ProcessTree.shared.note($0, ticket, started) }
                : try await plan.separate(sink) { ProcessTree.shared.note($0, ticket, started) }
            ProcessTree.shared.sweep(ticket)
            enclosure?.clear()
            return try await ending(ChildEnding(status), of: program, sink)
        } catch {
            ProcessTree.shared.sweep(ticket)
            enclosure?.clear()
            if error is ChildFlooded { return .flooded }
            if let error = error as? SubprocessError {
                // The text ends one of our sentences, so its own full stop goes.
                var reason = "\(error)"
                if reason.hasSuffix(".") { reason.removeLast() }
                throw DriverError.cannotStart(program: program, reason: reason)
            }
            throw error
        }
    }

    /// Returns the ending of a child by that of the process that was started.
    ///
    /// - Throws: `DriverError.cannotStart` if bubblewrap did not start the program.
    private func ending(
        _ ending: ChildEnding,
        of program: String,
        _ sink: ChildSink
    ) async throws -> ChildEnding {
        guard enclosure != nil else { return ending }
        if let reason = Enclosure.refusal(ending, await sink.head) {
            throw DriverError.cannotStart(program: program, reason: reason)
        }
        return Enclosure.ending(ending)
    }
}

extension ChildEnding {
    fileprivate init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(Int32(code))
        case .signaled(let signal): self = .signalled(Int32(signal))
        }
    }
}

/// Starts a child with swift-subprocess, by `separate` or `joined` outputs, which differ only in
/// types.
private struct Launch {
    var program: String
    var arguments: [String]
    var environment: [String: String]
    var folder: String
    var stdin: FileDescriptor
    var graceSeconds: Double

    private var teardown: [TeardownStep] {
        [
            .send(
                signal: .terminate,
                toProcessGroup: true,
                allowedDurationToNextStep: .seconds(graceSeconds)
            )
        ]
    }

    private var configuration: Configuration {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = teardown
        return Configuration(
            executable: .path(FilePath(program)),
            arguments: Arguments(arguments),
            environment: .custom(
                Dictionary(
                    uniqueKeysWithValues: environment.map {
                        (Environment.Key(stringLiteral: $0.key), $0.value)
                    }
                )
            ),
            workingDirectory: FilePath(folder),
            platformOptions: options
        )
    }

    func separate(
        _ sink: ChildSink,
        started: @Sendable (Int32) -> Void
    ) async throws -> TerminationStatus {
        try await Subprocess.run(
            configuration,
            input: .fileDescriptor(stdin, closeAfterSpawningProcess: false),
            output: .sequence,
            error: .sequence
        ) { child in
            started(child.processIdentifier.value)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // A reader cannot be cancelled while no bytes come; the end of the child ends it.
                let stop: @Sendable () async -> Void = {
                    await child.teardown(using: teardown)
                }
                let (output, errors) = (child.standardOutput, child.standardError)
                group.addTask { try await sink.drain(output, .standardOutput, orElse: stop) }
                group.addTask { try await sink.drain(errors, .standardError, orElse: stop) }
                try await group.waitForAll()
            }
        }.terminationStatus
    }

    func joined(
        _ sink: ChildSink,
        started: @Sendable (Int32) -> Void
    ) async throws -> TerminationStatus {
        try await Subprocess.run(
            configuration,
            input: .fileDescriptor(stdin, closeAfterSpawningProcess: false),
            output: .sequence,
            error: .combinedWithOutput
        ) { child in
            started(child.processIdentifier.value)
            try await sink.drain(child.standardOutput, .standardOutput) {}
        }.terminationStatus
    }
}
