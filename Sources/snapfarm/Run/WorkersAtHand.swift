// Workers that start while the coordinator does: a machine's second core is idle until then, and
// what a worker does before its first claim takes as long as the coordinator's own start.
import FarmDrivers

/// The workers of a run, from before there is a coordinator to after its end.
final class WorkersAtHand: Sendable {
    private let ended = Awaited<Result<Void, any Error>>()
    private let leave = Awaited<Void>()
    /// How many there are to be.
    let demand: WorkerDemand

    private init(demand: WorkerDemand) { self.demand = demand }

    /// Starts a pool's workers, runs `body` beside them, and stops those that are left.
    static func during<Value: Sendable>(
        _ pool: WorkerPool,
        _ body: @escaping @Sendable (WorkersAtHand) async throws -> Value
    ) async throws -> Value {
        let workers = WorkersAtHand(demand: pool.demand)
        return try await beside({ await workers.work(pool) }, run: { try await body(workers) })
    }

    private func work(_ pool: WorkerPool) async {
        let result = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            group.addTask {
                do {
                    return .success(try await pool.run())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                _ = try? await self.leave.value
                return .failure(CancellationError())
            }
            let first = await group.next() ?? .success(())
            group.cancelAll()
            await group.waitForAll()
            return first
        }
        ended.set(result)
    }

    /// Returns when every worker has left by itself; throws why none can be kept alive.
    func left() async throws { try await ended.value.get() }

    /// Ends the workers that still wait for work, and waits for them.
    func stop() async {
        leave.set(())
        _ = try? await ended.value
    }
}
