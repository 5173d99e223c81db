// `snapfarm artifacts prune`: removes old ended runs from a data folder, then the blobs and logs
// that no record names any more. The ledger comes first: an interrupted prune leaves blobs for the
// next one to find, never a record without its bytes.
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation

/// The result of a prune of a data folder, or of its dry run.
package struct RetentionReport: Encodable, Hashable {
    var schemaVersion = 1
    var data: String
    /// Whether this was a dry run, which removes nothing.
    var dryRun: Bool
    /// The runs that were removed, or would be in a dry run; the oldest first.
    var runs: [RunID]
    var blobs = 0
    var blobBytes = 0
    var logs = 0
    var logBytes = 0
    var decisions = 0
    var keptRuns = 0
    var keptBlobs = 0
    /// Wrong records of the runs that stay, which retention works around.
    var broken: [BrokenInvariant] = []
    var brokenCount = 0

    /// Returns the report as lines for a terminal.
    package func text() -> String {
        let verb = dryRun ? "would remove" : "removed"
        var lines = runs.prefix(20).map { "run \($0)" }
        if runs.count > 20 { lines.append("and \(runs.count - 20) more runs") }
        lines.append("\(data): \(verb) \(counts)")
        lines += brokenLines
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns lines about the wrong records of the runs that stay, for people; none if there are
    /// none.
    var brokenLines: [String] {
        guard brokenCount > 0 else { return [] }
        let shown = broken.prefix(3).map { "\($0.code): run \($0.run): \($0.message)" }
        return shown + [
            "\(brokenCount) records are wrong; ask `snapfarm check` for all. They leave with their runs."
        ]
    }

    mutating func keeps(_ remains: LedgerRemains) {
        keptRuns = remains.runs
        broken = remains.broken
        brokenCount = remains.brokenCount
    }

    var counts: String {
        "\(runs.count) runs, \(blobs) blobs (\(Self.size(blobBytes))), "
            + "\(logs) logs (\(Self.size(logBytes))), \(decisions) decisions; "
            + "\(keptRuns) runs and \(keptBlobs) blobs stay"
    }

    private static func size(_ bytes: Int) -> String {
        bytes < 10_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
    }
}

/// The prune of a locked data folder, in which no run or coordinator works.
package struct DataRetention {
    let data: DataFolder
    private let turn: RetentionLock
    let policy: RetentionPolicy
    /// The time of the prune, in milliseconds since 1970.
    let now: Int64

    /// Locks the folder.
    ///
    /// - Throws: `DataFolderError.busy` while a run or a coordinator works in it, and
    ///   `LedgerAuditError.none` if there is no ledger.
    package init(_ folder: String, _ policy: RetentionPolicy, now: Int64) throws {
        let ledger = folder + "/ledger.sqlite"
        guard FileManager.default.fileExists(atPath: ledger) else {
            throw LedgerAuditError.none(ledger)
        }
        if let bucket = try BucketNameFile.read(folder) {
            throw BucketNoteError.unknown(folder, bucket: bucket)
        }
        data = try DataFolder(folder)
        turn = try RetentionLock(folder, .retention)
        self.policy = policy
        self.now = now
    }

    /// Removes the runs and decisions that the policy does not keep, then the blobs and logs that
    /// no record names; if `isPlan`, only counts.
    package func prune(isPlan: Bool) async throws -> RetentionReport {
        let ledger = try SQLiteLedger(path: data.ledger)
        defer { try? ledger.close() }
        let expired = RetentionRules.expired(
            try await ledger.retainedRuns(),
            policy,
            now: now
        )
        let remains = try ledger.remove(expired, isPlan: isPlan)
        var report = RetentionReport(data: data.path, dryRun: isPlan, runs: expired)
        report.keeps(remains)
        let end = RetentionRules.decisionsEnd(policy, now: now)
        report.decisions = try await ledger.decisions(until: end)
        if !isPlan { try await ledger.removeDecisions(until: end) }
        report = try await Self.pruneBlobs(
            report,
            BlobStore(folder: data.blobs),
            policy,
            keeping: remains,
            now: now
        )
        Self.pruneLogs(&report, data, policy, now: now)
        if !isPlan, !expired.isEmpty { try ledger.compact() }
        if !isPlan { UpkeepTimes.note(.retention, in: data.path) }
        return report
    }

    /// Removes old blobs that no record of the ledger names, even while a coordinator works.
    static func pruneBlobs(
        _ report: RetentionReport,
        _ blobs: any BlobKeeping,
        _ policy: RetentionPolicy,
        keeping remains: LedgerRemains,
        now: Int64
    ) async throws -> RetentionReport {
        var report = report
        var cursor: String?
        repeat {
            let page = try await blobs.page(after: cursor)
            for blob in page.blobs {
                // A young blob may belong to a run on a coordinator elsewhere, which has its
                // record.
                let isNamed = remains.mayName(blob.digest, modified: blob.modified)
                guard !isNamed, policy.isOld(blob.modified, now: now) else {
                    report.keptBlobs += 1
                    continue
                }
                var isGone = report.dryRun
                if !isGone { isGone = try await blobs.remove(blob) }
                guard isGone else {
                    report.keptBlobs += 1
                    continue
                }
                report.blobs += 1
                report.blobBytes += blob.bytes
            }
            cursor = page.next
        } while cursor != nil
        return report
    }

    static func pruneLogs(
        _ report: inout RetentionReport,
        _ data: DataFolder,
        _ policy: RetentionPolicy,
        now: Int64
    ) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: data.logs)) ?? [] {
            let path = data.logs + "/" + name
            guard let file = FileTimes(of: path), policy.isOld(file.modified, now: now) else {
                continue
            }
            report.logs += 1
            report.logBytes += file.bytes
            if !report.dryRun { try? files.removeItem(atPath: path) }
        }
    }
}
