// Threads for blocking calls to a database, so that they block no thread that tasks share.
import Dispatch

/// A thread that runs blocking calls one after the other.
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
