// A value that becomes known later, for any number of tasks that need it.
import Synchronization

/// A value that one task sets once and other tasks wait for.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [AsyncStream<Void>.Continuation] = []
    }
    private let state: Mutex<State>

    /// Creates a promise; without a value, it is to be set later.
    package init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

    /// Sets the value and wakes all tasks that wait for it; a value set before stays.
    package func set(_ value: Value) {
        let waiting = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// The value, or `nil` if it is not known yet.
    package var known: Value? { state.withLock { $0.value } }

    /// Waits for the value; throws `CancellationError` if the task is cancelled first.
    package var value: Value {
        get async throws {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            let known = state.withLock { state in
                if state.value == nil { state.waiting.append(continuation) }
                return state.value
            }
            if let known { return known }
            for await _ in stream {}
            guard let value = self.known else { throw CancellationError() }
            return value
        }
    }
}
