// Ctrl-C and SIGTERM: the first stops the work and waits for it, the second ends this process at
// once. Child processes have sessions of their own, so a terminal's signal reaches only this
// process.
import FarmCore
import Foundation
import UnixSignals

/// Runs work that Ctrl-C or SIGTERM stops.
enum StopSignals {
    /// Runs `body` with a stream that yields the exit code of the first signal; `body` decides how
    /// to stop.
    static func watched<Value: Sendable>(
        _ body: @escaping @Sendable (AsyncStream<ExitCode>) async throws -> Value
    ) async throws -> Value {
        let (stops, stop) = AsyncStream<ExitCode>.makeStream()
        return try await withBackgroundTask({ await watch(stop) }, run: { try await body(stops) })
    }

    private static func watch(_ stop: AsyncStream<ExitCode>.Continuation) async {
        var isStopping = false
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            let exit: ExitCode = signal == .sigint ? .interrupted : .terminated
            if isStopping { _exit(exit.rawValue) }
            isStopping = true
            Console.say("stopping … (once more to kill)")
            stop.yield(exit)
        }
    }
}

/// The error of a signal that stopped the program before it dispatched anything.
struct Stopped: ExplainedError {
    let exit: ExitCode

    var code: String { "stopped" }
    var message: String { "stopped by a signal before any test ran." }
    var remedy: String { "Nothing was changed; run again." }
}
