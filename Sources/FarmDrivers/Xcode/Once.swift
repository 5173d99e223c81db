// Does work once that several jobs of a run need: a build, a list of tests.

/// Makes each value once for all tasks that need it, by key.
actor Once<Key: Hashable & Sendable, Value: Sendable> {
    private var known: [Key: Promise<Result<Value, any Error>>] = [:]

    /// Makes a value, or waits for the task that makes it.
    ///
    /// A failure is the same for all tasks that wait. A later call tries again, because a full disk
    /// may have been cleared.
    func value(
        of key: Key,
        make: @Sendable () async throws -> Value
    ) async throws -> Value {
        if let promise = known[key] { return try await promise.value.get() }
        let promise = Promise<Result<Value, any Error>>()
        known[key] = promise
        do {
            let value = try await make()
            promise.set(.success(value))
            return value
        } catch {
            known[key] = nil
            promise.set(.failure(error))
            throw error
        }
    }
}
