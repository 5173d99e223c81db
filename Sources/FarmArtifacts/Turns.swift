// Serializes work by name: two calls with the same name run one after the other, calls with different
// names run at once. Used for the renewal and removal of one blob, and for publications of one pipeline.

/// Runs the work of each name one at a time.
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
