// Work that goes on while something else does, and ends with it.

/// Runs `body` with `companion` beside it, and returns what the body does.
///
/// The companion may end before; it is cancelled and waited for when the body has ended. What either
/// throws cancels the other and is thrown.
func beside<Value: Sendable>(
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
