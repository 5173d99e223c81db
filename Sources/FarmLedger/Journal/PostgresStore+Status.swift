// The status of a pool, for people and monitors, and the end of a pool.
import FarmCore
import Foundation

/// The status of a pool at one moment.
package struct PoolStatus: Sendable, Encodable {
    /// A coordinator that has reported within a day.
    package struct Member: Sendable, Encodable {
        package var url: String
        package var leads: Bool
        /// The number of changes that the member's copy lacks.
        package var behind: Int64
        package var format: Int
        /// The seconds since the member's last report.
        package var seenSecondsAgo: Double
    }

    package var schemaVersion = 1
    package var pool: String
    /// The leader's URL, or `nil` if no coordinator leads.
    package var leader: String?
    /// Whether the pool's ledger was moved back to a folder.
    package var isMoved: Bool
    package var term: Int64
    package var changes: Int64
    package var format: Int
    package var members: [Member]
    /// The numbers of the last entries that the snapshots include, newest first.
    package var snapshots: [Int64]
    /// The number of changes in the journal.
    package var journal: Int64
}

extension PostgresStore {
    /// Returns the pool's status.
    ///
    /// - Throws: `JournalStoreError.noPool`.
    package func status() throws -> PoolStatus {
        guard try hasTables(), let row = try pool() else {
            throw JournalStoreError.noPool(address.pool)
        }
        let leader = row.isOver || row.url.isEmpty ? nil : row.url
        return PoolStatus(
            pool: address.pool,
            leader: leader,
            isMoved: row.holder == PoolMemberID.folder,
            term: row.term,
            changes: row.seq,
            format: row.format,
            members: try members(of: row, leader),
            snapshots: try snapshots(),
            journal: try run(
                "SELECT count(*) FROM farm.journal WHERE pool = $1",
                [.text(address.pool)]
            ).first?.number(0) ?? 0
        )
    }

    private func members(of pool: PoolRow, _ leader: String?) throws -> [PoolStatus.Member] {
        // A coordinator that was silent for a day is gone.
        try run(
            """
            SELECT url, seq, format,
              (extract(epoch FROM clock_timestamp() - seen) * 1000)::bigint
              FROM farm.member WHERE pool = $1 AND seen > clock_timestamp() - interval '1 day'
              ORDER BY url LIMIT 100
            """,
            [.text(address.pool)]
        ).all.map { row in
            // The leader reports less often than it appends, and has all changes.
            let leads = row.text(0) == leader
            return PoolStatus.Member(
                url: row.text(0),
                leads: leads,
                behind: leads ? 0 : max(0, pool.seq - row.number(1)),
                format: Int(row.number(2)),
                seenSecondsAgo: Double(row.number(3)) / 1000
            )
        }
    }

    /// Closes a pool for good, so that no coordinator leads it again; returns its row, or `nil` if
    /// a coordinator leads it.
    package func close() throws -> PoolRow? {
        guard let seen = try pool() else { throw JournalStoreError.noPool(address.pool) }
        guard
            try seen.holder == me.holder
                || takeOver(seen: seen.term, afterDeadline: true, isLocked: false) != nil
        else { return nil }
        return row(
            try run(
                """
                UPDATE farm.pool SET deadline = 'infinity', url = ''
                  WHERE id = $1 AND holder = $2 RETURNING term, seq, holder, url,
                  0::bigint, format, locked
                """,
                Array(mine.prefix(2))
            )
        )
    }
}
