// Wakes parked calls when the event that they wait for may have come. Only a hint: a woken call
// asks the ledger again.
import Synchronization

/// A signal that any number of tasks may wait for.
final class WakeSignal: Sendable {
    private struct State {
        var sent = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }
    private let state = Mutex(State())

    /// The number of signals sent so far.
    ///
    /// A caller reads it before it looks for the event, so that it misses no signal.
    var count: Int { state.withLock { $0.sent } }

    func notify() {
        let waiting = state.withLock { state in
            state.sent += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.finish() }
    }

    /// Waits for a signal after the number `seen`, at most `seconds` or until cancelled; returns
    /// `false` if none came.
    @discardableResult
    func wait(after seen: Int, seconds: Double) async -> Bool {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let ticket: Int? = state.withLock { state in
            guard state.sent == seen else { return nil }
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        guard let ticket else { return true }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream {} }
            group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            await group.next()
            group.cancelAll()
        }
        return state.withLock { state in
            state.waiting[ticket] = nil
            return state.sent != seen
        }
    }
}
