// The reach of a token with patterns: the runs of its pipelines, and the blobs that those name or
// that its own callers have sent. All else is answered as if it were not there.
import FarmArtifacts
import FarmCore
import FarmLedger
import Synchronization

extension Coordinator {
    /// Checks that a caller reaches a run.
    ///
    /// - Throws: `LedgerError.noRun`, as for a run that does not exist.
    func check(_ reach: PipelineReach, of run: RunID) async throws {
        guard !reach.isEverything else { return }
        guard reach.reaches(try await pipeline(of: run)) else { throw LedgerError.noRun(run) }
    }

    private func pipeline(of run: RunID) async throws -> String {
        if let known = pipelines.withLock({ $0[run] }) { return known }
        let name = try await ledger.pipeline(of: run)
        pipelines.withLock { $0.keep(name, for: run, weight: 1) }
        return name
    }

    /// Returns the open runs of pipelines in `reach`, oldest first.
    func openRuns(in reach: PipelineReach) async throws -> [RunID] {
        let open = try await ledger.openRuns()
        guard !reach.isEverything else { return open }
        var reached: [RunID] = []
        for run in open where reach.reaches(try await pipeline(of: run)) { reached.append(run) }
        return reached
    }

    /// Checks that the team of a new run has room for it.
    ///
    /// - Throws: `QuotaRefusal`.
    func checkQuota(of plan: Plan) async throws {
        let teams = hooks.teams()
        let team = teams.team(of: plan.pipeline)
        guard let quota = team.quota else { return }
        let loads = try await ledger.loads().filter { teams.team(of: $0.pipeline) == team }
        let refusal = quota.refusal(
            of: team.name,
            openRuns: loads.reduce(0) { $0 + $1.openRuns },
            waiting: loads.reduce(0) { $0 + $1.waiting },
            planned: plan.testCount
        )
        if let refusal { throw refusal }
    }

    // MARK: blobs

    /// Returns whether a caller may read a blob, and learn that it is stored.
    ///
    /// `run` is the run that names the blob. A digest alone gives no right to a caller with
    /// patterns.
    func mayRead(_ digest: Digest, of run: RunID?, by grant: AccessGrant) async throws -> Bool {
        let isReader = grant.allows([.read, .submit, .review])
        if grant.reach.isEverything {
            if isReader { return true }
            return try await isOpenBundle(digest)
        }
        if try await hasSent([digest], grant) { return true }
        guard let run else { return false }
        try await check(grant.reach, of: run)
        guard isReader else { return try await isBundle(digest, of: run) }
        return try await names(of: run).contains(digest)
    }

    /// Returns whether callers with the caller's patterns have sent the bytes of all blobs.
    ///
    /// A caller without patterns needs to have sent none.
    func hasSent(_ digests: [Digest], _ grant: AccessGrant) async throws -> Bool {
        if grant.reach.isEverything { return true }
        let sent = try await ledger.uploads(by: grant.reach, among: digests)
        return digests.allSatisfy { sent.contains($0) }
    }

    /// Notes that a caller has sent the bytes of a blob.
    func noteUpload(of digest: Digest, by grant: AccessGrant) async throws {
        guard !grant.reach.isEverything else { return }
        try await ledger.noteUpload(of: digest, by: grant.reach, now: clock())
    }

    private func isBundle(_ digest: Digest, of run: RunID) async throws -> Bool {
        let record = try await ledger.run(run)
        return record.state == .running && record.plan.bundles.contains(digest)
    }

    /// Returns the blobs that a run's plan, reports and result name.
    package func names(of run: RunID) async throws -> Set<Digest> {
        if let known = named.withLock({ $0[run] }) { return known }
        let record = try await ledger.run(run)
        var names = Set(record.plan.bundles)
        let (tests, leases) = try await ledger.evidence(run)
        for report in tests.flatMap(\.attempts).compactMap(\.report) {
            names.formUnion(report.pictures.blobs.map(\.digest))
        }
        names.formUnion(leases.flatMap(\.blobs).map(\.digest))
        if let judged = try await judged(run) {
            names.formUnion(judged.blobs)
            // An open run still gets reports.
            named.withLock { $0.keep(names, for: run, weight: names.count + 1) }
        }
        return names
    }

    /// The most blobs whose names are cached, of all runs.
    static let namedBlobsMax = 200_000
    /// The most runs whose pipelines are cached.
    static let pipelinesMax = 10_000

    // MARK: workers

    /// Checks that the caller of reports has sent the blobs that they name.
    ///
    /// - Throws: `CoordinatorError.noBlob`, as for a blob that is not stored.
    func checkSent(_ blobs: [ReportedBlob], by grant: AccessGrant) async throws {
        guard !grant.reach.isEverything else { return }
        let sent = try await ledger.uploads(by: grant.reach, among: blobs.map(\.digest))
        if let foreign = blobs.first(where: { !sent.contains($0.digest) }) {
            throw CoordinatorError.noBlob(foreign)
        }
    }

    // MARK: audit log

    /// Appends an entry to the audit log, with the address of the present call.
    package func note(
        _ action: AuditAction,
        by who: String,
        pipeline: String = "",
        subject: String = "",
        detail: String = ""
    ) async throws {
        try await ledger.add(
            AuditEntry(
                at: clock(),
                who: who,
                address: CallerAddress.current,
                action: action,
                pipeline: pipeline,
                subject: subject,
                detail: detail
            )
        )
    }

    /// Returns at most `limit` entries of the audit log, newest first, with the tokens made and
    /// revoked.
    func auditLog(limit: Int, _ tokens: TokenFile?) async throws -> [AuditEntry] {
        AuditEntry.merged(
            try await ledger.auditLog(limit: limit),
            try tokens?.changes() ?? [],
            limit: limit
        )
    }
}

/// The address of the caller of an HTTP call, for the audit log.
enum CallerAddress {
    /// The IP address of the present call's caller; empty outside of a call, or if it is unknown.
    @TaskLocal static var current = ""
}

extension AccessGrant {
    /// The rights of a worker in the coordinator's own process.
    package static let ownWorker = AccessGrant(name: "embedded", scopes: [.work])
}
