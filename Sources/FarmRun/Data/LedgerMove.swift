// `snapfarm ledger move`: moves a farm from its folder to PostgreSQL, or back. Nothing is removed
// at the source. The move succeeds only if both ledgers are equal when they are read again.
import FarmCore
import FarmLedger
import FarmServer
import Foundation

/// The move of a farm between a data folder and PostgreSQL, while no coordinator serves it.
package struct LedgerMove {
    private let data: DataFolder
    private let address: PostgresAddress
    private let store: PostgresStore
    private let tokens: String

    /// Locks the data folder of the farm to move.
    ///
    /// - Throws: `DataFolderError.busy`, `JournalStoreError`, `ConfigurationError`.
    package init(
        _ configuration: CoordinatorConfiguration,
        _ environment: [String: String]
    ) throws {
        guard let address = try configuration.sharedLedger(environment) else {
            throw ConfigurationError.noLedger
        }
        self.address = address
        data = try DataFolder(configuration.data)
        // A killed move may have left files.
        try? FileManager.default.removeItem(atPath: data.snapshots)
        try FileManager.default.createDirectory(
            atPath: data.snapshots,
            withIntermediateDirectories: true
        )
        tokens = configuration.tokens
        let me = PoolMemberID(holder: PoolMemberID.folder, url: "")
        store = PostgresStore(address, me: me)
    }

    /// Creates a pool from the folder's ledger, tokens and key; returns the number of rows.
    package func toPostgres() throws -> Int {
        try store.makeTables()
        guard try store.pool() == nil else { throw PoolError.taken(address.pool) }
        let ledger = try SQLiteLedger(path: data.ledger)
        let first = JournalEntry(seq: 0, tx: ServedPool.randomTx(), changeset: Data())
        let (sent, back) = (scratch("sent"), scratch("back"))
        defer { try? FileManager.default.removeItem(atPath: data.snapshots) }
        try ledger.snapshot(to: sent, startingAt: first)
        do {
            guard try store.create(sent, first, format: ledger.schema.format) else {
                throw PoolError.taken(address.pool)
            }
        } catch {
            try ledger.leaveJournal()
            throw error
        }
        try store.readSnapshot(first.seq, to: back)
        let rows = try equalRows(data.ledger, back)
        try ledger.close()
        let documents = PoolDocuments(store: store, key: data.leaseKey)
        try documents.shareKey()
        if let own = FileManager.default.contents(atPath: tokens) {
            _ = try documents.putTokens(own, replacing: nil)
        }
        return rows
    }

    /// Brings the folder's ledger to the state of the pool's journal, and closes the pool; returns
    /// the number of rows.
    package func toFolder() throws -> Int {
        guard let row = try store.close() else {
            throw PoolError.led(address.pool, by: try store.pool()?.url ?? "")
        }
        let other = scratch("other")
        defer { try? FileManager.default.removeItem(atPath: data.snapshots) }
        let ledger = try follow(row, data.ledger)
        // Builds a second ledger from the journal alone: if both are equal, folder and journal
        // prove each other.
        try follow(row, other).close()
        let rows = try equalRows(data.ledger, other)
        try ledger.leaveJournal()
        try ledger.close()
        let documents = PoolDocuments(store: store, key: data.leaseKey)
        try documents.shareKey()
        if let shared = try documents.tokens() {
            try TokenFile(path: tokens, clock: { 0 }).follow(shared)
        }
        return rows
    }

    private func follow(_ row: PoolRow, _ path: String) throws -> SQLiteLedger {
        let journal = LedgerJournal(store, randomTx: ServedPool.randomTx, pause: {})
        let ledger = try SQLiteLedger(path: path, journal: journal)
        guard try !ledger.position().tx.isEmpty || ledger.isEmpty() else {
            throw PoolError.ownLedger(path)
        }
        let member = PoolMember(
            ledger,
            journal: journal,
            me: PoolMemberID(holder: PoolMemberID.folder, url: ""),
            reader: store,
            writer: store,
            scratch: data.snapshots,
            say: { _ in }
        )
        try member.follow(to: row)
        return ledger
    }

    private func equalRows(_ one: String, _ other: String) throws -> Int {
        let comparison = try LedgerComparison(one, other)
        guard comparison.areEqual else {
            let tables = comparison.differences.sorted { $0.key < $1.key }
            throw PoolError.notEqual(
                tables.map { "\($0.value) rows of \($0.key)" }.joined(separator: ", ")
            )
        }
        return comparison.rows
    }

    private func scratch(_ name: String) -> String { data.snapshots + "/\(name).sqlite" }
}
