// Runs work one by one for each name; work with different names runs at once. Used for the renewal
// and removal of one blob, and for publications of one pipeline.

/// Runs work under names: one call at a time for each name.
package actor SerialQueues<Name: Hashable & Sendable> {
    /// The waiting calls of each name under which a call runs.
    private var taken: [Name: [CheckedContinuation<Void, Never>]] = [:]

    package init() {}

    /// Runs `body` when no other call runs under the same name.
    package func run<Value: Sendable>(
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
