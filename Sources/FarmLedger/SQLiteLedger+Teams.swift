// The rows that keep the teams of one ledger apart: the pipeline of each run, the blobs that
// each team's callers have sent, and the audit log.
import FarmCore
import Foundation
import GRDB

extension SQLiteLedger {
    package func pipeline(of run: RunID) async throws -> String {
        try await read { db in
            let select = try db.cachedStatement(sql: "SELECT pipeline FROM run WHERE id = ?")
            guard let name = try String.fetchOne(select, arguments: [run.text]) else {
                throw LedgerError.noRun(run)
            }
            return name
        }
    }

    // MARK: uploads

    package func noteUpload(
        of digest: Digest,
        by reach: PipelineReach,
        now: Milliseconds
    ) async throws {
        try await write { db in
            try db.executeKept(
                sql: """
                    INSERT INTO upload (pipelines, digest, at) VALUES (?, ?, ?)
                    ON CONFLICT (pipelines, digest) DO UPDATE SET at = excluded.at
                    """,
                arguments: [Self.text(reach), digest.hex, now]
            )
        }
    }

    package func uploads(
        by reach: PipelineReach,
        among digests: [Digest]
    ) async throws -> Set<Digest> {
        try await read { db in
            let select = try db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM upload WHERE pipelines = ? AND digest = ?)"
            )
            return try Set(digests).filter {
                try Bool.fetchOne(select, arguments: [Self.text(reach), $0.hex]) == true
            }
        }
    }

    /// Forgets uploads before a time.
    package func forgetUploads(before time: Milliseconds) async throws {
        try await write { db in
            try db.execute(sql: "DELETE FROM upload WHERE at < ?", arguments: [time])
        }
    }

    // MARK: audit log

    package func add(_ entry: AuditEntry) async throws {
        try await write { db in
            try db.executeKept(
                sql: """
                    INSERT INTO audit (at, who, address, action, pipeline, subject, detail)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    entry.at, entry.who, entry.address, entry.action.rawValue, entry.pipeline,
                    entry.subject, entry.detail,
                ]
            )
        }
    }

    package func auditLog(limit: Int) async throws -> [AuditEntry] {
        try await read { try Self.auditLog($0, limit: limit) }
    }

    private static func auditLog(_ db: Database, limit: Int) throws -> [AuditEntry] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT number, at, who, address, action, pipeline, subject, detail FROM audit
                ORDER BY number DESC LIMIT ?
                """,
            arguments: [limit]
        ).map { row in
            guard let action = AuditAction(rawValue: row["action"]) else {
                throw LedgerError.damaged("action of audit entry \(row["number"] as Int64)")
            }
            return AuditEntry(
                number: row["number"],
                at: row["at"],
                who: row["who"],
                address: row["address"],
                action: action,
                pipeline: row["pipeline"],
                subject: row["subject"],
                detail: row["detail"]
            )
        }
    }

    /// Removes entries of the audit log before a time, but never the newest one: numbers only grow.
    package func removeAudit(before time: Milliseconds) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM audit WHERE at < ? AND number < (SELECT max(number) FROM audit)
                    """,
                arguments: [time]
            )
        }
    }
}
