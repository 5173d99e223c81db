// Snapshots of a shared ledger: its journal does not grow for ever, and a new coordinator has few
// entries to apply. Followers make them; the leader makes one if no follower did in time.
import FarmCore
import Foundation

extension PoolMember {
    /// Makes a snapshot of the shared ledger whenever one is due, until it is cancelled.
    package func keepSnapshots(_ store: any JournalStore) async throws {
        let thread = BlockingQueue("snapshots")
        var failed = false
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(5))
            do {
                _ = try await thread.run { try self.keepSnapshot(store) }
                failed = false
            } catch is CancellationError {
                return
            } catch {
                if !failed { say(.noSnapshot(reason: Self.words(error))) }
                failed = true
            }
        }
    }

    /// Makes a snapshot of the shared ledger if one is due; returns whether it did.
    package func keepSnapshot(_ store: any JournalStore) throws -> Bool {
        guard let row = try store.pool(), row.format == (try ledger.format()) else { return false }
        let due = limits.snapshotEntries * (leads ? 2 : 1)
        // A new coordinator needs a snapshot to catch up: the first one is due at once.
        if let newest = try store.snapshots().first, row.seq - newest < due { return false }
        let file = try scratchFile()
        defer { try? FileManager.default.removeItem(atPath: file) }
        let position = try ledger.copy(to: file)
        // Skips the snapshot while the copy differs from the journal.
        guard try store.entry(position.seq)?.tx == position.tx else { return false }
        try store.keepSnapshot(file, seq: position.seq)
        try store.prune()
        return true
    }
}
