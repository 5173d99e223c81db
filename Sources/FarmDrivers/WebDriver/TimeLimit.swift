// Limits the time of work that can be cancelled.

/// The error that `withTimeLimit` throws when the time is up.
package struct TimeLimitExceeded: Error {}

/// Runs `body` for at most `seconds`; `body` has ended when this returns or throws.
package func withTimeLimit<Value: Sendable>(
    seconds: Double,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw TimeLimitExceeded()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
