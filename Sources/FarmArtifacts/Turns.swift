// One thing after another under one name, and beside everything else under another: a blob becomes
// young while nobody removes it, a pipeline's pictures are published once.

/// Lets tasks that name the same thing wait for each other.
package actor Turns<Name: Hashable & Sendable> {
    /// Waiting calls, by the name that another call holds.
    private var taken: [Name: [CheckedContinuation<Void, Never>]] = [:]

    package init() {}

    /// Runs `body` when no other call runs one under the same name.
    package func hold<Value: Sendable>(
        _ name: Name,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        if taken[name] == nil {
            taken[name] = []
        } else {
            await withCheckedContinuation { taken[name]?.append($0) }
        }
        defer { pass(name) }
        return try await body()
    }

    private func pass(_ name: Name) {
        if taken[name]?.isEmpty == false {
            taken[name]?.removeFirst().resume()
        } else {
            taken[name] = nil
        }
    }
}
