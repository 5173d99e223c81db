// Runs that may go leave the ledger; the blobs that what stays names are told, so that all others
// may go too. A plan is the same removal, taken back: it cannot differ from what would happen.
import FarmCore
import Foundation
import GRDB

/// What a ledger holds after runs have left it.
package struct LedgerRemains: Sendable {
    package var runs: Int
    /// Blobs that the runs which stay name.
    package var blobs: Set<Digest>
}

extension SQLiteLedger {
    /// Every run with its times.
    package func retainedRuns() async throws -> [RetainedRun] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, started, ended FROM run").map {
                RetainedRun(
                    id: RunID($0["id"] as String),
                    started: $0["started"],
                    ended: $0["ended"]
                )
            }
        }
    }

    /// Removes ended runs with all that belongs to them, and says what stays.
    ///
    /// One that `isPlan` changes nothing.
    ///
    /// - Throws: `RetentionError.unsound` when what would stay breaks an invariant: then nobody can
    ///   say which blobs it needs.
    package func remove(_ runs: [RunID], isPlan: Bool) throws -> LedgerRemains {
        do {
            return try database.writeWithoutTransaction { db in
                var remains = LedgerRemains(runs: 0, blobs: [])
                try db.inTransaction(.immediate) {
                    for run in runs {
                        try db.execute(
                            sql: "DELETE FROM run WHERE id = ? AND state <> 'running'",
                            arguments: [run.text]
                        )
                    }
                    remains = try self.remains(db)
                    return isPlan ? .rollback : .commit
                }
                return remains
            }
        } catch let error as DatabaseError {
            throw Self.explained(error, path)
        }
    }

    /// Removes one ended run between the writes of a farm that serves; an open one stays.
    package func remove(_ run: RunID) async throws {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM run WHERE id = ? AND state <> 'running'",
                arguments: [run.text]
            )
        }
        runs[run] = nil
    }

    /// What the ledger holds now, and the blobs that it names.
    ///
    /// - Throws: `RetentionError.unsound` as ``remove(_:isPlan:)``.
    package func remains() async throws -> LedgerRemains {
        try await read { try self.remains($0) }
    }

    /// Gives the room of what was removed back to the disk.
    package func compact() throws {
        do {
            try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        } catch let error as DatabaseError {
            throw Self.explained(error, path)
        }
    }

    private func remains(_ db: Database) throws -> LedgerRemains {
        let audit = try LedgerAudit(db)
        guard audit.isClean else { throw RetentionError.unsound(path, audit.brokenCount) }
        var blobs = Set(audit.blobs.map(\.digest))
        let rows = try Row.fetchCursor(db, sql: "SELECT plan, judged FROM run")
        while let row = try rows.next() {
            // The audit found nothing: only an unjudgeable run has a plan that cannot be read, and
            // nothing of it is shown.
            let plan = try? Self.soundPlan(row["plan"])
            blobs.formUnion((plan?.jobs ?? []).compactMap { BundleRules.bundle(of: $0.prepared) })
            guard let bytes = row["judged"] as Data? else { continue }
            let judged = try Self.decode(JudgedRun.self, bytes)
            blobs.formUnion(judged.logs.values)
            for picture in judged.pictures.values {
                let own = [picture.referenceBlob, picture.capture, picture.diff]
                blobs.formUnion(own.compactMap { $0 })
            }
        }
        return LedgerRemains(runs: audit.runs, blobs: blobs)
    }
}

/// Why nothing is removed.
package enum RetentionError: ExplainedError {
    case unsound(String, Int)

    package var code: String { "ledger-unsound" }
    package var message: String {
        switch self {
        case .unsound(let path, let count):
            "the ledger \(path) breaks \(count) invariants; nothing is removed from it."
        }
    }
    package var remedy: String { "Ask `snapfarm check` which, and keep the folder as it is." }
    package var exit: ExitCode { .configuration }
}
