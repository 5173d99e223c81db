// What is known later, for any number of tasks that need it.
import Synchronization

/// A value that one task sets, once, and others wait for.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [AsyncStream<Void>.Continuation] = []
    }
    private let state: Mutex<State>

    /// Without a value, it is not known yet.
    package init(_ value: Value? = nil) { state = Mutex(State(value: value)) }

    /// Lets everybody have it; what was set first stays.
    package func set(_ value: Value) {
        let waiting = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// The value where it is known already.
    package var known: Value? { state.withLock { $0.value } }

    /// Throws `CancellationError` where the task is cancelled first.
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
