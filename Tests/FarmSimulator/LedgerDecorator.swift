// A ledger in front of another ledger; calls that a decorator does not implement are passed on.
import FarmCore
import FarmLedger

/// A ledger that changes or observes some calls of another.
protocol LedgerDecorator: Ledger {
    var ledger: any Ledger { get }
}

extension LedgerDecorator {
    func run(_ id: RunID) async throws -> RunRecord { try await ledger.run(id) }
    func damagedRuns() async throws -> [DamagedRun] { try await ledger.damagedRuns() }
    func openRuns() async throws -> [RunID] { try await ledger.openRuns() }
    func finishedRuns() async throws -> [RunID] { try await ledger.finishedRuns() }
    func openRun(planDigest: String) async throws -> RunID? {
        try await ledger.openRun(planDigest: planDigest)
    }

    func abandonedRuns(since: Milliseconds, now: Milliseconds) async throws -> [RunID] {
        try await ledger.abandonedRuns(since: since, now: now)
    }

    func trimStragglers(now: Milliseconds) async throws -> [TestKey] {
        try await ledger.trimStragglers(now: now)
    }

    func progress(_ run: RunID, now: Milliseconds) async throws -> RunProgress {
        try await ledger.progress(run, now: now)
    }
    func evidence(
        _ run: RunID
    ) async throws -> (tests: [TestEvidence], leases: [LeaseEvidence]) {
        try await ledger.evidence(run)
    }
    func leases(_ run: RunID) async throws -> [LeaseRecord] { try await ledger.leases(run) }
    func judged(_ run: RunID) async throws -> JudgedRun? { try await ledger.judged(run) }

    func obstacle(to worker: WorkerID, now: Milliseconds) async throws -> Problem? {
        try await ledger.obstacle(to: worker, now: now)
    }
    func setHost(_ worker: WorkerID, on host: String, now: Milliseconds) async throws {
        try await ledger.setHost(worker, on: host, now: now)
    }
    func incidents(_ run: RunID) async throws -> [Problem] { try await ledger.incidents(run) }

    func runs(_ query: RunQuery) async throws -> [RunRow] { try await ledger.runs(query) }
    func flaky(_ question: FlakyQuestion) async throws -> FlakyTests {
        try await ledger.flaky(question)
    }
    func cleanRuns(of pipeline: String, keys: Set<String>) async throws -> [String: Int] {
        try await ledger.cleanRuns(of: pipeline, keys: keys)
    }
    func workers(limit: Int) async throws -> [WorkerRow] { try await ledger.workers(limit: limit) }
    func counts(now: Milliseconds) async throws -> LedgerCounts {
        try await ledger.counts(now: now)
    }
    func run(key: String, of pipeline: String) async throws -> RunID? {
        try await ledger.run(key: key, of: pipeline)
    }
    func pipeline(of run: RunID) async throws -> String { try await ledger.pipeline(of: run) }
    func noteUpload(of digest: Digest, by reach: PipelineReach, now: Milliseconds) async throws {
        try await ledger.noteUpload(of: digest, by: reach, now: now)
    }
    func uploads(by reach: PipelineReach, among digests: [Digest]) async throws -> Set<Digest> {
        try await ledger.uploads(by: reach, among: digests)
    }
    func loads() async throws -> [PipelineLoad] { try await ledger.loads() }
    func liveLeases() async throws -> [LiveLease] { try await ledger.liveLeases() }
    func add(_ entry: AuditEntry) async throws { try await ledger.add(entry) }
    func auditLog(limit: Int) async throws -> [AuditEntry] {
        try await ledger.auditLog(limit: limit)
    }
    func add(_ decisions: [Decision]) async throws { try await ledger.add(decisions) }
    func decisions(of pipeline: String, after number: Int64) async throws -> DecisionList {
        try await ledger.decisions(of: pipeline, after: number)
    }
    var commits: CommitTiming { ledger.commits }
}
