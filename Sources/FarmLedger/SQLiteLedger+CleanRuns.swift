// The clean runs of quarantine entries. Each closed run keeps its counts in its result, so the newest
// run that has an entry knows its count.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func cleanRuns(
        of pipeline: String,
        keys: Set<String>
    ) async throws -> [String: Int] {
        try await read { db in
            let runs = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM run WHERE pipeline = ?
                        ORDER BY started DESC, id DESC LIMIT ?
                        """
                ),
                arguments: [pipeline, FarmLimits.earlierRunsMax]
            )
            var counts: [String: Int] = [:]
            for run in runs where counts.count < keys.count {
                for known in try Self.cleanRuns(after: run, db)
                where keys.contains(known.key) && counts[known.key] == nil {
                    counts[known.key] = known.count
                }
            }
            return counts
        }
    }

    /// Returns the counts of a closed run, without decoding the rest of its result.
    private static func cleanRuns(after run: String, _ db: Database) throws -> [CleanRuns] {
        let text = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT json_extract(result, '$.summary.cleanRuns')
                    FROM (SELECT CAST(judged AS TEXT) AS result FROM run WHERE id = ?)
                    WHERE json_valid(result)
                    """
            ),
            arguments: [run]
        )
        return try text.map { try decode([CleanRuns].self, Data($0.utf8)) } ?? []
    }
}
