// A cache of the references of a worker's cells. Those of a run never change, and successive leases
// are often on one cell, so that most leases need no call.
import FarmAPI
import FarmCore
import Synchronization

/// A cache of references by run and cell; it has the last eight.
final class KnownReferences: Sendable {
    private struct Key: Hashable {
        var run: RunID
        var cell: CellID
    }
    /// The cached references; few, because those of one cell may be megabytes and a worker changes
    /// between few cells.
    private let known = Mutex(BoundedCache<Key, CellReferences>(max: 8))

    /// Returns the references of a shard's cell; fetches them at the first use.
    func of(_ shard: Shard, from client: CoordinatorClient) async throws -> CellReferences {
        let key = Key(run: shard.run, cell: shard.cell.id)
        if let found = known.withLock({ $0[key] }) { return found }
        let references = try await client.references(shard.run, shard.cell.id)
        known.withLock { $0[key] = references }
        return references
    }
}
