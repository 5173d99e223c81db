// Wakes parked calls when what they wait for may have come. A hint only: who is woken asks the
// ledger again.
import Synchronization

/// A signal that any number of tasks wait for.
final class WorkSignal: Sendable {
    private struct State {
        var sent = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }
    private let state = Mutex(State())

    /// How often it was sent; taken before looking, so that none is missed.
    var count: Int { state.withLock { $0.sent } }

    func notify() {
        let waiting = state.withLock { state in
            state.sent += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.finish() }
    }

    /// Returns at the next signal after `seen`, or after `seconds`, or when cancelled; false: none
    /// came.
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
