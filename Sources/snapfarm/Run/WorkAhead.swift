// Work that is begun before anybody needs its result: a machine's second core is idle until then.
import FarmDrivers

/// The result of work that runs beside what will need it.
final class WorkAhead<Value: Sendable>: Sendable {
    private let result = Awaited<Result<Value, any Error>>()

    /// Starts `work`, runs `body` beside it, and returns when both have ended.
    ///
    /// The work is cancelled where the body ends first. What it throws is thrown to whoever asks for
    /// its value, and to nobody else.
    static func during<Ending: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        _ body: @escaping @Sendable (WorkAhead) async throws -> Ending
    ) async throws -> Ending {
        let ahead = WorkAhead()
        return try await beside(
            {
                do {
                    ahead.result.set(.success(try await work()))
                } catch {
                    ahead.result.set(.failure(error))
                }
            },
            run: { try await body(ahead) }
        )
    }

    /// Waits for the result; throws what the work threw.
    var value: Value {
        get async throws { try await result.value.get() }
    }
}
