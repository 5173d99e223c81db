// The coordinator's answers to workers; some of them wake other workers' waiting claims.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import Synchronization

extension Coordinator {
    /// Notes that a worker lives, and renews the lease that it runs if the lease is still its own.
    package func hello(_ request: HelloRequest) async throws -> HelloReply {
        // The worker's earlier process is gone. While that process had a lease, this one would get
        // none.
        if request.beginsAnew { try await ledger.takeBack(.lost(request.worker), now: clock()) }
        try await ledger.registerWorker(
            request.worker,
            unfit: request.unfit,
            offer: request.offer,
            beginsAnew: request.beginsAnew,
            now: clock()
        )
        if let host = request.host {
            try await ledger.setHost(request.worker, on: host, now: clock())
        }
        var kept: [LeaseToken] = []
        // A worker has at most one lease.
        if let running = request.running.first,
            try await renew(running.token, running: running.test) != .stale
        {
            kept.append(running.token)
        }
        // Wakes waiting claims: work that was held for this worker may go to another now that it is
        // unfit.
        if request.unfit != nil { work.notify() }
        return HelloReply(kept: kept)
    }

    package func workerLost(_ worker: WorkerID) async throws {
        try await ledger.takeBack(.lost(worker), now: clock())
        lastReports.notify()
        work.notify()
    }

    /// Leases work to a worker, and waits for work up to the request's limit.
    ///
    /// A worker that claims again has given up its earlier call, which gets no lease any more.
    /// The worker gets only tests of pipelines in `reach`.
    package func claim(
        _ worker: WorkerID,
        _ request: ClaimRequest,
        reach: PipelineReach = .everything
    ) async throws -> ClaimReply {
        let wait = min(max(0, request.waitSeconds), FarmLimits.claimWaitSeconds)
        let deadline = ContinuousClock.now + .seconds(wait)
        let call = claimCalls.withLock { $0.begin(worker) }
        defer { claimCalls.withLock { $0.end(call, of: worker) } }
        while claimCalls.withLock({ $0.isNewest(call, of: worker) }) {
            let seen = work.count
            let left = deadline - ContinuousClock.now
            let lease = try await lease(for: worker, request, reach)
            if let lease { return ClaimReply(lease: lease, idle: false) }
            let open = try await openRuns(in: reach)
            if isStopping { return ClaimReply(lease: nil, idle: false) }
            let leaves = open.isEmpty && request.staysIdle != true
            if leaves || left <= .zero || Task.isCancelled {
                return try await nothing(for: worker, open)
            }
            // If no signal came, answers without another look: the next claim sees what changed by
            // time alone. A look here would be half of the load that hundreds of idle workers make.
            guard await work.wait(after: seen, seconds: left.seconds) else {
                return try await nothing(for: worker, open)
            }
        }
        return ClaimReply(lease: nil, idle: false)
    }

    /// Claims a lease for a worker; returns `nil` if there is no work.
    ///
    /// If an open run cannot be read, closes it and claims again, so that it blocks no other run.
    private func lease(
        for worker: WorkerID,
        _ request: ClaimRequest,
        _ reach: PipelineReach
    ) async throws -> Lease? {
        func claim() async throws -> Lease? {
            try await ledger.claim(
                worker: worker,
                request: request.request,
                warm: request.warm,
                reach: reach,
                now: clock()
            )
        }
        do {
            return try await claim()
        } catch LedgerError.damaged {
            try await closeDamagedRuns()
            return try await claim()
        }
    }

    private func nothing(for worker: WorkerID, _ open: [RunID]) async throws -> ClaimReply {
        let obstacle =
            open.isEmpty ? nil : try await ledger.obstacle(to: worker, now: clock())
        return ClaimReply(lease: nil, idle: open.isEmpty, obstacle: obstacle)
    }

    package func renew(
        _ token: LeaseToken,
        running: TestID?,
        started: [TestID] = [],
        reached: Int = 0
    ) async throws -> FencedAnswer {
        guard running?.isUsable ?? true else {
            throw ReportFault("the renewal", "running is no name of a test")
        }
        guard started.count <= FarmLimits.startsPerRenewalMax, started.allSatisfy(\.isUsable)
        else {
            throw ReportFault(
                "the renewal",
                "started is not at most \(FarmLimits.startsPerRenewalMax) names of tests"
            )
        }
        guard (0...FarmLimits.testsPerLeaseMax).contains(reached) else {
            throw ReportFault("the renewal", "reached is no number of tests of a lease")
        }
        return try await ledger.renew(
            token,
            running: running,
            started: started,
            reached: reached,
            now: clock()
        )
    }

    package func report(
        _ token: LeaseToken,
        _ reports: [TestReport],
        by grant: AccessGrant = .ownWorker
    ) async throws -> [FencedAnswer] {
        try check(reports)
        let blobs = reports.flatMap(\.pictures.blobs)
        try await checkSent(blobs, by: grant)
        try await checkStored(blobs)
        let receipt = try await ledger.report(token, reports, now: clock())
        if receipt.requeued { work.notify() }
        return receipt.answers
    }

    /// Stores a lease's last reports and ends the lease; its run is judged afterwards
    /// (``endRuns()``).
    package func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence,
        by grant: AccessGrant = .ownWorker
    ) async throws -> CompleteReply {
        try check(reports)
        if let fault = evidence.fault { throw ReportFault("what the lease left", fault) }
        let blobs = reports.flatMap(\.pictures.blobs) + evidence.blobs
        try await checkSent(blobs, by: grant)
        try await checkStored(blobs)
        let receipt = try await ledger.complete(
            token,
            reports: reports,
            evidence: evidence,
            now: clock()
        )
        if receipt.mayEndRun { lastReports.notify() }
        // Wakes claims only if test cases wait. Otherwise hundreds of workers would ask in vain at
        // each of a run's last leases.
        if receipt.leavesWork { work.notify() }
        return CompleteReply(answer: receipt.answer, answers: receipt.answers)
    }

    /// Checks reports before they are stored, because they are judged, added up and shown without
    /// another check.
    private func check(_ reports: [TestReport]) throws {
        let max = FarmLimits.reportsPerMessageMax
        guard reports.count <= max else {
            throw ReportFault("the message", "it has \(reports.count) reports, of at most \(max)")
        }
        for report in reports {
            if let fault = report.fault { throw ReportFault(report.test.text, fault) }
        }
    }

    /// Checks that every blob that reports name is stored, with its reported size.
    ///
    /// A report that names a missing blob could never be shown. One with a wrong size would look
    /// like a damaged store.
    private func checkStored(_ named: [ReportedBlob]) async throws {
        if let isStored {
            if let lost = named.first(where: { !isStored($0.digest) }) {
                throw CoordinatorError.noBlob(lost)
            }
            return
        }
        let sizes = try await blobs.renewedSizes(of: named.map(\.digest))
        for blob in named {
            guard let size = sizes[blob.digest] else { throw CoordinatorError.noBlob(blob) }
            guard blob.bytes ?? size == size else {
                throw ReportFault(blob.name, "bytes is \(blob.bytes ?? 0), and \(size) are stored")
            }
        }
    }

    package func release(_ token: LeaseToken) async throws -> FencedAnswer {
        let answer = try await ledger.release(token, now: clock())
        work.notify()
        return answer
    }
}

/// The number of the newest claim of each worker.
///
/// The worker no longer listens to an earlier one.
struct ClaimCalls {
    private var count = 0
    private var newest: [WorkerID: Int] = [:]

    mutating func begin(_ worker: WorkerID) -> Int {
        count += 1
        newest[worker] = count
        return count
    }

    func isNewest(_ call: Int, of worker: WorkerID) -> Bool { newest[worker] == call }

    mutating func end(_ call: Int, of worker: WorkerID) {
        if isNewest(call, of: worker) { newest[worker] = nil }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
