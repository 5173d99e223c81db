// Calls that wait for a database block a thread of their own, not one that tasks share.
import Dispatch

/// Runs one blocking call after the other.
package struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    package init(_ label: String) { queue = DispatchQueue(label: "snapfarm." + label) }

    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
