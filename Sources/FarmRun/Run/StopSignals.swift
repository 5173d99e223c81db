// Ctrl-C and SIGTERM: the first stops what runs and waits for it, the second ends this process at
// once. Children live in sessions of their own, so the terminal's signal reaches only us.
import FarmCore
import Foundation
import UnixSignals

/// Work that a signal stops.
enum StopSignals {
    /// Runs `body`, which hears of the first signal through the stream and decides how to stop.
    static func watched<Value: Sendable>(
        _ body: @escaping @Sendable (AsyncStream<ExitCode>) async throws -> Value
    ) async throws -> Value {
        let (stops, stop) = AsyncStream<ExitCode>.makeStream()
        return try await beside({ await watch(stop) }, run: { try await body(stops) })
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

/// A signal stopped the program before anything was dispatched.
struct Stopped: ExplainedError {
    let exit: ExitCode

    var code: String { "stopped" }
    var message: String { "stopped by a signal before any test ran." }
    var remedy: String { "Nothing was changed; run again." }
}
