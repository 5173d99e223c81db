// What workers ask of the coordinator, and what each answer means for the others who wait.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import Synchronization

extension Coordinator {
    /// A worker lives; the lease it says it runs is renewed where that is still its own.
    package func hello(_ request: HelloRequest) async throws -> HelloReply {
        // The process before it is gone; beside that one's lease it would be given nothing.
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
        // A worker has one.
        if let running = request.running.first,
            try await renew(running.token, running: running.test) != .stale
        {
            kept.append(running.token)
        }
        // Who was waited for may be unfit now; who waits may be the only one left.
        if request.unfit != nil { work.notify() }
        return HelloReply(kept: kept)
    }

    package func workerLost(_ worker: WorkerID) async throws {
        try await ledger.takeBack(.lost(worker), now: clock())
        lastReports.notify()
        work.notify()
    }

    /// Leases work, waiting for some up to the request's limit.
    ///
    /// A worker that asks again has given up the call before: that one gets no lease any more.
    package func claim(_ worker: WorkerID, _ request: ClaimRequest) async throws -> ClaimReply {
        let wait = min(max(0, request.waitSeconds), FarmLimits.claimWaitSeconds)
        let deadline = ContinuousClock.now + .seconds(wait)
        let call = asking.withLock { $0.begin(worker) }
        defer { asking.withLock { $0.end(call, of: worker) } }
        while asking.withLock({ $0.isNewest(call, of: worker) }) {
            let seen = work.count
            let left = deadline - ContinuousClock.now
            let lease = try await lease(for: worker, request)
            if let lease { return ClaimReply(lease: lease, idle: false) }
            let open = try await ledger.openRuns()
            if isStopping { return ClaimReply(lease: nil, idle: false) }
            let leaves = open.isEmpty && request.staysIdle != true
            if leaves || left <= .zero || Task.isCancelled {
                return try await nothing(for: worker, open)
            }
            // Where nothing has come: what changes by time alone is seen by the claim that follows. To
            // look now as well would be half of what hundreds of idle workers cost.
            guard await work.wait(after: seen, seconds: left.seconds) else {
                return try await nothing(for: worker, open)
            }
        }
        return ClaimReply(lease: nil, idle: false)
    }

    /// A run that cannot be read any more is closed, and keeps no worker from the others.
    private func lease(for worker: WorkerID, _ request: ClaimRequest) async throws -> Lease? {
        func claim() async throws -> Lease? {
            try await ledger.claim(
                worker: worker,
                request: request.request,
                warm: request.warm,
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
        _ reports: [TestReport]
    ) async throws -> [FencedAnswer] {
        try check(reports)
        try await checkStored(reports.flatMap(\.pictures.blobs))
        let receipt = try await ledger.report(token, reports, now: clock())
        if receipt.requeued { work.notify() }
        return receipt.answers
    }

    /// Ends a lease, with its last reports; its run is judged afterwards (``endRuns()``).
    package func complete(
        _ token: LeaseToken,
        reports: [TestReport],
        evidence: LeaseEvidence
    ) async throws -> CompleteReply {
        try check(reports)
        if let fault = evidence.fault { throw ReportFault("what the lease left", fault) }
        try await checkStored(reports.flatMap(\.pictures.blobs) + evidence.blobs)
        let receipt = try await ledger.complete(
            token,
            reports: reports,
            evidence: evidence,
            now: clock()
        )
        if receipt.mayEndRun { lastReports.notify() }
        // A lease that ended lets others begin only where something waits: hundreds would ask for
        // nothing at each of a run's last leases.
        if receipt.leavesWork { work.notify() }
        return CompleteReply(answer: receipt.answer, answers: receipt.answers)
    }

    /// What is kept is judged, added up and shown without another look.
    private func check(_ reports: [TestReport]) throws {
        let max = FarmLimits.reportsPerMessageMax
        guard reports.count <= max else {
            throw ReportFault("the message", "it has \(reports.count) reports, of at most \(max)")
        }
        for report in reports {
            if let fault = report.fault { throw ReportFault(report.test.text, fault) }
        }
    }

    /// A record that names a blob which is not there could never be shown, and one that calls it
    /// longer or shorter than it is would look like a damaged store for as long as it is kept.
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

/// The calls that ask for work, by worker: of one worker's only the newest has somebody who listens.
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
