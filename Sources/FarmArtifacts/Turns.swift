// One thing after another under one name, and beside everything else under another: a blob becomes
// young while nobody removes it, a pipeline's pictures are published once.

/// Lets tasks that name the same thing wait for each other.
package actor Turns<Name: Hashable & Sendable> {
    /// Who waits for each name that somebody has.
    private var taken: [Name: [CheckedContinuation<Void, Never>]] = [:]

    package init() {}

    /// Does `body` when nobody else does something under the same name.
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
