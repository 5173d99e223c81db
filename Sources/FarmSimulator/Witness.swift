// Sees every call of the ledger and its answer, and remembers on its own what must be true: who
// holds which test case until when, what was acknowledged, which blobs are durable. It shares no
// code with the ledger, and is told nothing of what the ledger keeps.
import FarmCore
import FarmLedger

/// Something happened that must not.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Leases that the ledger says it ended by itself.
struct EndedLeases: Sendable {
    var withdrawn: [Int64] = []
    var revoked: [Int64] = []
}

/// What the ledger has promised so far.
struct Witness {
    enum LeaseEnd: String { case done, released, lost, interrupted, withdrawn, revoked }

    struct WitnessedLease {
        let epoch: Int64
        let worker: WorkerID
        let request: String
        let run: String
        let job: Job
        /// Those it was granted for.
        let cases: [CaseKey]
        /// Those without a report.
        var held: Set<CaseKey>
        let granted: Int64
        var deadline: Int64
        /// What its worker said last.
        var running: TestID?
        /// Others were leased what waited behind that.
        var isTrimmed = false
        var end: LeaseEnd?

        func key(_ test: TestID) -> CaseKey? { cases.first { $0.test.test == test } }
    }

    struct AcceptedReport {
        let epoch: Int64
        let worker: WorkerID
        let report: TestReport
    }

    private(set) var leases: [Int64: WitnessedLease] = [:]
    private var epochs: [Int64] = []
    private var holders: [CaseKey: Set<Int64>] = [:]
    /// Those that were leased a second time while the first lease lived.
    private var backed: Set<CaseKey> = []
    /// Whether the ledger may end leases because others do what was theirs.
    var hasStragglers: Bool { !backed.isEmpty || leases.values.contains(where: \.isTrimmed) }
    private(set) var reports: [CaseKey: [AcceptedReport]] = [:]
    private(set) var runs: [String: RunID] = [:]
    private(set) var closed: Set<RunID> = []
    var blobs: Set<Digest> = []
    private var offers: [WorkerID: WorkerOffer] = [:]

    private static let life = Int64(FarmLimits.leaseSeconds * 1000)

    // MARK: runs

    mutating func opened(_ run: NewRun, as id: RunID) throws {
        if let known = runs[run.key], known != id {
            throw BrokenPromise("the key \(run.key) opened \(known), and now \(id)")
        }
        runs[run.key] = id
    }

    mutating func close(_ run: RunID) {
        closed.insert(run)
        for epoch in live where leases[epoch]?.run == run.text { end(epoch, .interrupted) }
    }

    // MARK: offers

    mutating func offered(_ worker: WorkerID, _ offer: WorkerOffer) { offers[worker] = offer }

    /// The simulated needs are one exact value each: no rule of the farm is asked.
    private func fits(_ worker: WorkerID, _ job: Job) -> Bool {
        (job.needs?.all ?? []).allSatisfy { need in
            offers[worker]?.values[need.name]?.contains(need.text) == true
        }
    }

    // MARK: claims

    mutating func claimed(
        _ lease: Lease,
        worker: WorkerID,
        request: String,
        now: Int64
    ) throws {
        let epoch = lease.token.epoch
        let name = "\(worker)'s claim \(request) got \(lease.token.id)"
        let cases = lease.shard.tests.map {
            CaseKey(
                run: lease.shard.run.text,
                test: TestKey(job: lease.shard.job.name, cell: lease.shard.cell.id, test: $0)
            )
        }
        if let known = leases[epoch] {
            guard known.worker == worker, known.request == request, known.end == nil else {
                throw BrokenPromise("\(name), which was granted to \(known.request) already")
            }
            guard Set(cases) == known.held else {
                throw BrokenPromise("\(name) again, with other test cases")
            }
            return
        }
        if let last = epochs.last, epoch <= last {
            throw BrokenPromise("\(name) after L\(last): epochs must grow")
        }
        guard !cases.isEmpty else { throw BrokenPromise("\(name) without a test case") }
        guard fits(worker, lease.shard.job) else {
            throw BrokenPromise("\(name), which needs \(lease.shard.job.needs?.words ?? "")")
        }
        guard !closed.contains(lease.shard.run) else {
            throw BrokenPromise("\(name) of a closed run")
        }
        for key in cases {
            if let holder = holders[key]?.first, !trims(key, holder, by: worker, lease.shard, now) {
                guard mayBack(key, holder, by: worker, lease.shard, now: now) else {
                    throw BrokenPromise("\(name) with \(key), which L\(holder) still holds")
                }
                backed.insert(key)
            }
            holders[key, default: []].insert(epoch)
        }
        let others = leases.values.filter { $0.end == nil && $0.run == lease.shard.run.text }
        if others.contains(where: { $0.job.exclusive }) || lease.shard.job.exclusive {
            guard others.isEmpty else { throw BrokenPromise("\(name) beside an exclusive job") }
        }
        epochs.append(epoch)
        leases[epoch] = WitnessedLease(
            epoch: epoch,
            worker: worker,
            request: request,
            run: lease.shard.run.text,
            job: lease.shard.job,
            cases: cases,
            held: Set(cases),
            granted: now,
            deadline: now + Self.life
        )
    }

    /// Leaves a lease nothing but what runs, where that takes so long that others may have the rest.
    private mutating func trims(
        _ key: CaseKey,
        _ holder: Int64,
        by worker: WorkerID,
        _ shard: Shard,
        _ now: Int64
    ) -> Bool {
        guard let straggler = leases[holder], straggler.worker != worker,
            let running = straggler.running.flatMap({ straggler.key($0) }), running != key,
            straggler.held.contains(running), isLate(straggler, shard, now: now)
        else { return false }
        for other in straggler.held where other != running { holders[other]?.remove(holder) }
        leases[holder]?.held = [running]
        leases[holder]?.isTrimmed = true
        return true
    }

    private func isLate(_ lease: WitnessedLease, _ shard: Shard, now: Int64) -> Bool {
        shard.mode == .verify && !shard.job.exclusive
            && Double(now - lease.granted) > FarmLimits.backupUnlearnedSecondsMin * 1000
    }

    /// Whether a test case may be leased although another lease has it: once, alone, to another
    /// worker, after a time in which simulated tests have long ended.
    private func mayBack(
        _ key: CaseKey,
        _ holder: Int64,
        by worker: WorkerID,
        _ shard: Shard,
        now: Int64
    ) -> Bool {
        guard let straggler = leases[holder], straggler.worker != worker else { return false }
        return shard.tests.count == 1 && straggler.held == [key] && holders[key]?.count == 1
            && !backed.contains(key) && reports[key] == nil && isLate(straggler, shard, now: now)
    }

    // MARK: fenced writes

    mutating func renewed(
        _ epoch: Int64,
        running: TestID?,
        _ answer: FencedAnswer,
        now: Int64
    ) throws {
        let isLive = leases[epoch].map { $0.end == nil } ?? false
        guard answer == (isLive ? .accepted : .stale) else {
            throw BrokenPromise("the renewal of L\(epoch) is \(answer): \(state(epoch))")
        }
        if isLive {
            leases[epoch]?.deadline = now + Self.life
            leases[epoch]?.running = running
        }
    }

    mutating func reported(
        _ epoch: Int64,
        _ sent: [TestReport],
        _ answers: [FencedAnswer],
        ended: EndedLeases
    ) throws {
        // What the message itself made of its worker may have ended the lease between two reports.
        let endsWithin = ended.withdrawn.contains(epoch) && leases[epoch]?.end == nil
        guard sent.count == answers.count else {
            throw BrokenPromise("\(sent.count) reports got \(answers.count) answers")
        }
        for (report, answer) in zip(sent, answers) {
            if endsWithin, answer == .stale { continue }
            try reported(epoch, report, answer)
        }
        try noted(ended)
    }

    /// Leases ended because of their worker, or with their run, or because others run or have run
    /// what was left of them.
    mutating func noted(_ leases: EndedLeases) throws {
        for epoch in leases.withdrawn where self.leases[epoch]?.end == nil {
            end(epoch, .withdrawn)
        }
        for epoch in leases.revoked {
            guard let lease = self.leases[epoch], lease.end == nil else { continue }
            let isBacked = lease.held.count == 1 && lease.held.isSubset(of: backed)
            guard isBacked || lease.isTrimmed && lease.held.isEmpty else {
                throw BrokenPromise("L\(epoch) was revoked, and nobody else had what it holds")
            }
            end(epoch, .revoked)
        }
    }

    private mutating func reported(
        _ epoch: Int64,
        _ report: TestReport,
        _ answer: FencedAnswer
    ) throws {
        let name = "the report of \(report.test) under L\(epoch) is \(answer)"
        guard let lease = leases[epoch], let key = lease.key(report.test) else {
            guard answer == .stale else { throw BrokenPromise("\(name), but it never held it") }
            return
        }
        let isHeld = lease.end == nil && lease.held.contains(key)
        let isKept = reports[key]?.contains { $0.epoch == epoch } ?? false
        let expected: FencedAnswer = isHeld ? .accepted : isKept ? .duplicate : .stale
        guard answer == expected else {
            throw BrokenPromise("\(name): \(state(epoch)), so it must be \(expected)")
        }
        guard answer == .accepted else { return }
        for blob in report.blobs where !blobs.contains(blob) {
            throw BrokenPromise("\(name), but its blob \(blob.hex.prefix(8)) is not durable")
        }
        leases[epoch]?.held.remove(key)
        holders[key]?.remove(epoch)
        reports[key, default: []].append(
            AcceptedReport(epoch: epoch, worker: lease.worker, report: report)
        )
    }

    /// `leftOver` says the lease of what it has no report for: that is nobody's then.
    mutating func completed(
        _ epoch: Int64,
        leftOver: [TestID],
        _ answer: FencedAnswer
    ) throws {
        let end = leases[epoch]?.end
        let isLive = leases[epoch] != nil && end == nil
        let expected: FencedAnswer = isLive ? .accepted : end == .done ? .duplicate : .stale
        guard answer == expected else {
            throw BrokenPromise("the completion of L\(epoch) is \(answer): \(state(epoch))")
        }
        let held = leases[epoch]?.held.map(\.test.test) ?? []
        if isLive, !Set(held).isSubset(of: leftOver) {
            throw BrokenPromise("L\(epoch) was completed before all its reports were kept")
        }
        if isLive { self.end(epoch, .done) }
    }

    mutating func released(_ epoch: Int64, _ answer: FencedAnswer) throws {
        let end = leases[epoch]?.end
        let isLive = leases[epoch] != nil && end == nil
        let expected: FencedAnswer = isLive ? .accepted : end == .released ? .duplicate : .stale
        guard answer == expected else {
            throw BrokenPromise("the release of L\(epoch) is \(answer): \(state(epoch))")
        }
        if isLive { self.end(epoch, .released) }
    }

    // MARK: losses

    mutating func lost(_ worker: WorkerID) {
        for epoch in live where leases[epoch]?.worker == worker { end(epoch, .lost) }
    }

    mutating func reaped(_ count: Int, now: Int64, as end: LeaseEnd = .lost) throws {
        let late = live.filter { (leases[$0]?.deadline ?? now) < now }
        guard late.count == count else {
            throw BrokenPromise(
                "\(count) leases were reaped, \(late.count) were past their deadline"
            )
        }
        for epoch in late { self.end(epoch, end) }
    }

    mutating func tookBackAll() { for epoch in live { end(epoch, .interrupted) } }

    mutating func grantedGrace(until: Int64) {
        for epoch in live {
            let deadline = leases[epoch]?.deadline ?? 0
            leases[epoch]?.deadline = max(deadline, until)
        }
    }

    private var live: [Int64] { epochs.filter { leases[$0]?.end == nil } }

    private mutating func end(_ epoch: Int64, _ end: LeaseEnd) {
        leases[epoch]?.end = end
        for key in leases[epoch]?.held ?? [] { holders[key]?.remove(epoch) }
        leases[epoch]?.held = []
    }

    private func state(_ epoch: Int64) -> String {
        guard let lease = leases[epoch] else { return "it was never granted" }
        return lease.end.map { "it is \($0.rawValue)" } ?? "it lives"
    }
}
