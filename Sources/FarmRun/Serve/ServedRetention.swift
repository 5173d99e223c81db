// The retention of a coordinator that serves: once a day it removes expired runs from the ledger
// one by one, between the farm's writes, and then the blobs and logs that no record names.
import FarmArtifacts
import FarmCore
import FarmLedger
import Foundation
import Logging

struct ServedRetention: Sendable {
    let data: DataFolder
    let blobs: any BlobKeeping
    let ledger: SQLiteLedger
    let policy: RetentionPolicy
    /// Whether this coordinator leads; of several coordinators, only the leader runs retention.
    let leads: @Sendable () -> Bool
    let logger: Logger
    /// Returns the time, in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// Waits for the given number of seconds.
    let pause: @Sendable (Double) async throws -> Void

    /// Repeats the retention until it is cancelled.
    ///
    /// Logs a failure and tries again after an hour, so that a backup at the same time each day
    /// cannot prevent retention for ever.
    func run() async throws {
        while true {
            guard leads() else {
                try await pause(60)
                continue
            }
            var seconds = 3_600.0
            do {
                let report = try await once()
                seconds = 86_400
                logger.info("retention", metadata: ["did": "removed \(report.counts)"])
                for line in report.brokenLines { logger.warning("retention: \(line)") }
            } catch let error as CancellationError {
                throw error
            } catch let error as any ExplainedError {
                logger.warning("retention: \(error.message) \(error.remedy)")
            } catch {
                logger.warning("retention: \(error.inWords)")
            }
            try await pause(seconds)
        }
    }

    func once() async throws -> RetentionReport {
        let turn = try RetentionLock(data.path, .retention)
        defer { withExtendedLifetime(turn) {} }
        let expired = RetentionRules.expired(
            try await ledger.retainedRuns(),
            policy,
            teams: ledger.teams,
            now: now()
        )
        var report = RetentionReport(data: data.path, dryRun: false, runs: expired)
        for run in expired { try await ledger.remove(run) }
        let end = RetentionRules.decisionsEnd(policy, now: now())
        report.decisions = try await ledger.decisions(until: end)
        try await ledger.removeDecisions(until: end)
        try await ledger.removeAudit(before: end)
        try await ledger.forgetUploads(before: now() - FarmLimits.uploadMilliseconds)
        let remains = try await ledger.remains()
        report.keeps(remains)
        report = try await DataRetention.pruneBlobs(
            report,
            blobs,
            policy,
            keeping: remains,
            now: now()
        )
        DataRetention.pruneLogs(&report, data, policy, now: now())
        UpkeepTimes.note(.retention, in: data.path)
        return report
    }
}
