// Two tasks side by side; the companion ends with the body.

/// Runs `body` and `companion` at the same time, and returns the body's value.
///
/// The companion may end first. When the body ends, the companion is cancelled and awaited. An
/// error of either cancels the other and is rethrown.
func withBackgroundTask<Value: Sendable>(
    _ companion: @escaping @Sendable () async throws -> Void,
    run body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            try await companion()
            return nil
        }
        group.addTask { .some(try await body()) }
        defer { group.cancelAll() }
        while let ended = try await group.next() {
            if let ended { return ended }
        }
        throw CancellationError()
    }
}
