// The retention of a coordinator that serves: once a day it removes expired runs from the ledger
// one by one, between the farm's writes, and then the blobs and logs that no record names.
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmServer
import Foundation
import Logging
import Synchronization

struct ServedRetention: Sendable {
    let data: DataFolder
    let coordinator: Coordinator
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
        let runs = try await ledger.retainedRuns()
        let expired = RetentionRules.expired(runs, policy, teams: ledger.teams, now: now())
        for run in expired { try await ledger.remove(run) }
        let gone = Set(expired)
        let overfull = try await overfull(runs.filter { !gone.contains($0.id) })
        for run in overfull { try await ledger.remove(run) }
        var report = RetentionReport(data: data.path, dryRun: false, runs: expired + overfull)
        let end = RetentionRules.decisionsEnd(policy, now: now())
        report.decisions = try await ledger.decisions(until: end)
        try await ledger.removeDecisions(until: end)
        try await ledger.removeAudit(before: end)
        try await ledger.forgetUploads(before: now() - FarmLimits.uploadMilliseconds)
        let remains = try await ledger.remains()
        report.keeps(remains)
        var blobPolicy = policy
        blobPolicy.keepDays = RetentionRules.blobDays(policy, teams: ledger.teams)
        report = try await DataRetention.pruneBlobs(
            report,
            coordinator.blobs,
            blobPolicy,
            keeping: remains,
            now: now()
        )
        DataRetention.pruneLogs(&report, data, policy, now: now())
        UpkeepTimes.note(.retention, in: data.path)
        return report
    }

    /// Returns the runs that leave because their team's artifacts take more bytes than they may, and
    /// notes the bytes that stay.
    private func overfull(_ runs: [RetainedRun]) async throws -> [RunID] {
        let teams = ledger.teams
        let limited = Dictionary(grouping: runs) { teams.team(of: $0.pipeline) }
            .filter { $0.key.quota?.bytes != nil }
        guard !limited.isEmpty else { return [] }
        var blobs: [RunID: Set<Digest>] = [:]
        for run in limited.values.joined() {
            // The blobs of a run that cannot be read are unknown; it leaves by its age.
            blobs[run.id] = try? await coordinator.names(of: run.id)
        }
        let sizes = try await sizes(of: blobs.values.reduce(into: []) { $0.formUnion($1) })
        var leaving: [RunID] = []
        var kept: [String: Int] = [:]
        for (team, runs) in limited.sorted(by: { $0.key.name < $1.key.name }) {
            let rest = RetentionRules.overfull(
                runs.filter { blobs[$0.id] != nil },
                blobs: blobs,
                sizes: sizes,
                bytesMax: team.quota?.bytes ?? .max
            )
            leaving += rest.runs
            kept[team.name] = rest.keptBytes
        }
        coordinator.keptBytes.withLock { [kept] in $0 = kept }
        return leaving
    }

    private func sizes(of digests: Set<Digest>) async throws -> [Digest: Int] {
        var sizes: [Digest: Int] = [:]
        var cursor: String?
        repeat {
            let page = try await coordinator.blobs.page(after: cursor)
            for blob in page.blobs where digests.contains(blob.digest) {
                sizes[blob.digest] = blob.bytes
            }
            cursor = page.next
        } while cursor != nil
        return sizes
    }
}
