// The removal of runs, and the list of the blobs that the remaining runs name, so that all other
// blobs can be deleted. A dry run is the same transaction, rolled back: it cannot differ from the
// removal.
import FarmCore
import Foundation
import GRDB

/// The contents of a ledger after the removal of runs.
package struct LedgerRemains: Sendable {
    package var runs: Int
    /// The blobs that remaining runs name.
    package var blobs: Set<Digest>
    /// Defects of single records; at most `FarmLimits.brokenInvariantsMax`.
    package var broken: [BrokenInvariant] = []
    package var brokenCount = 0
    /// The start of the oldest run with a wrong record, in milliseconds since 1970, or `nil` if all
    /// records are right.
    var brokenSince: Milliseconds?

    /// Returns whether a remaining run names a blob, or may name it.
    ///
    /// A report renews the age of each blob that it names. So a run with a wrong or missing record
    /// names no blob that is older than the run's start.
    package func mayName(_ blob: Digest, modified: Milliseconds) -> Bool {
        if blobs.contains(blob) { return true }
        guard let brokenSince else { return false }
        return modified >= brokenSince - Int64(FarmLimits.blobYoungSeconds * 1000)
    }
}

extension SQLiteLedger {
    /// Returns every run of the ledger with its start and end, for the rules of retention.
    package func retainedRuns() async throws -> [RetainedRun] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, started, ended, pipeline FROM run").map {
                RetainedRun(
                    id: RunID($0["id"] as String),
                    started: $0["started"],
                    ended: $0["ended"],
                    pipeline: $0["pipeline"]
                )
            }
        }
    }

    /// Removes ended runs with all their rows, and returns what remains.
    ///
    /// With `isPlan` the ledger stays unchanged.
    ///
    /// - Throws: `RetentionError.unsound` if the file itself is damaged, so that the blobs of its
    ///   rows are unknown. A wrong record of one run does not stop the removal of other runs.
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

    /// Removes one ended run while the farm serves; leaves an open run.
    package func remove(_ run: RunID) async throws {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM run WHERE id = ? AND state <> 'running'",
                arguments: [run.text]
            )
        }
        runs.forget(run)
    }

    /// Returns the ledger's contents as they are, with the blobs that its runs name.
    ///
    /// - Throws: `RetentionError.unsound`, as ``remove(_:isPlan:)`` does.
    package func remains() async throws -> LedgerRemains {
        try await read { try self.remains($0) }
    }

    /// Frees the disk space of removed rows.
    package func compact() throws {
        do {
            try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        } catch let error as DatabaseError {
            throw Self.explained(error, path)
        }
    }

    private func remains(_ db: Database) throws -> LedgerRemains {
        let audit = try LedgerAudit(db)
        guard audit.isReadable else { throw RetentionError.unsound(path, audit.brokenCount) }
        let broken = Set(audit.broken.map(\.run))
        var brokenSince: Milliseconds?
        var blobs = Set(audit.blobs.map(\.digest))
        let rows = try Row.fetchCursor(db, sql: "SELECT id, plan, judged, started FROM run")
        while let row = try rows.next() {
            if broken.contains(row["id"]) || audit.brokenCount > audit.broken.count {
                brokenSince = min(brokenSince ?? .max, row["started"])
            }
            // The audit has listed a plan that cannot be read, unless its run is unjudgeable; pages
            // show no picture of such a run.
            let plan = try? Self.soundPlan(row["plan"])
            blobs.formUnion(plan?.bundles ?? [])
            guard let bytes = row["judged"] as Data? else { continue }
            // The audit has listed a result that cannot be read.
            guard let judged = try? Self.decode(JudgedRun.self, bytes) else { continue }
            blobs.formUnion(judged.blobs)
        }
        return LedgerRemains(
            runs: audit.runs,
            blobs: blobs,
            broken: audit.broken,
            brokenCount: audit.brokenCount,
            brokenSince: brokenSince
        )
    }
}

/// The reason why no run was removed.
package enum RetentionError: ExplainedError {
    case unsound(String, Int)

    package var code: String { "ledger-unsound" }
    package var message: String {
        switch self {
        case .unsound(let path, let count):
            "the ledger \(path) is damaged in \(count) places; nothing is removed from it."
        }
    }
    package var remedy: String { "Ask `snapfarm check` which, and keep the folder as it is." }
    package var exit: ExitCode { .configuration }
}
