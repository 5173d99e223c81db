// A witness of every call of the ledger and of its answer. It records on its own what must be true:
// the holder and deadline of each test case, acknowledged reports, and durable blobs. It shares no
// code with the ledger and does not read the ledger's state.
import FarmCore
import FarmLedger

/// An event that must not happen.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Leases that the ledger reports as ended by itself.
struct EndedLeases: Sendable {
    var withdrawn: [Int64] = []
    var revoked: [Int64] = []
}

/// The ledger's promises so far.
struct Witness {
    enum LeaseEnd: String { case done, released, lost, interrupted, withdrawn, revoked }

    struct WitnessedLease {
        let epoch: Int64
        let worker: WorkerID
        let request: String
        let run: String
        let job: Job
        /// The test cases it was granted for.
        let cases: [CaseKey]
        /// The test cases without a report.
        var held: Set<CaseKey>
        let granted: Int64
        var deadline: Int64
        /// The running test, by the worker's last renewal.
        var running: TestID?
        /// Further started tests, and the time of the last renewal that added one.
        var started: Set<TestID> = []
        var startedAt: Int64 = 0
        /// Whether other workers may get the tests behind those.
        var isTrimmed = false
        var end: LeaseEnd?

        func key(_ test: TestID) -> CaseKey? { cases.first { $0.test.test == test } }
        func holds(_ test: TestID) -> Bool { key(test).map(held.contains) ?? false }
    }

    struct AcceptedReport {
        let epoch: Int64
        let worker: WorkerID
        let report: TestReport
    }

    private(set) var leases: [Int64: WitnessedLease] = [:]
    private var epochs: [Int64] = []
    private var holders: [CaseKey: Int64] = [:]
    /// Whether any lease was trimmed: the ledger may revoke such leases.
    var hasTrimmed: Bool { leases.values.contains(where: \.isTrimmed) }
    private(set) var reports: [CaseKey: [AcceptedReport]] = [:]
    private(set) var runs: [String: RunID] = [:]
    private(set) var closed: Set<RunID> = []
    var blobs: Set<Digest> = []
    private var offers: [WorkerID: WorkerOffer] = [:]
    /// The renderers of the references of each run.
    private var drawn: [String: [DrawnReferences]] = [:]
    /// The last call of each worker that was not lost since.
    private var calls: [WorkerID: Int64] = [:]
    private var unfit: Set<WorkerID> = []
    /// The number of each worker's reports that may count as failures.
    private var failures: [WorkerID: Int] = [:]

    private static let life = Int64(FarmLimits.leaseSeconds * 1000)

    // MARK: runs

    mutating func opened(_ run: NewRun, as id: RunID) throws {
        if let known = runs[run.key], known != id {
            throw BrokenPromise("the key \(run.key) opened \(known), and now \(id)")
        }
        if runs[run.key] == nil { drawn[id.text] = run.plan.drawn }
        runs[run.key] = id
    }

    mutating func close(_ run: RunID) {
        closed.insert(run)
        for epoch in live where leases[epoch]?.run == run.text { end(epoch, .interrupted) }
    }

    // MARK: offers

    mutating func offered(_ worker: WorkerID, _ offer: WorkerOffer) { offers[worker] = offer }

    /// Compares without the farm's rules: each simulated need is one exact value.
    private func fits(_ worker: WorkerID, _ job: Job) -> Bool {
        (job.needs?.all ?? []).allSatisfy { need in
            offers[worker]?.values[need.name]?.contains(need.text) == true
        }
    }

    mutating func called(_ worker: WorkerID, now: Int64) { calls[worker] = now }

    /// Notes that a worker says that it can work, or that it cannot.
    mutating func registered(_ worker: WorkerID, isFit: Bool, now: Int64) {
        called(worker, now: now)
        if isFit { unfit.remove(worker) } else { unfit.insert(worker) }
    }

    /// Returns a worker that lives, is not suspended, and draws as the references of a job do, if
    /// `worker` draws otherwise.
    private func better(than worker: WorkerID, _ job: Job, of run: String, now: Int64) -> WorkerID?
    {
        let name = "renderer.command.browser"
        guard let known = drawn[run]?.first(where: { $0.job == job.name }),
            let own = offers[worker]?.values[name]
        else { return nil }
        let wanted = known.renderers.compactMap { $0["browser"] }
        guard !wanted.contains(own.joined()) else { return nil }
        return calls.keys.sorted().first { other in
            fits(other, job) && wanted == offers[other]?.values[name] && !unfit.contains(other)
                && now - Self.life <= calls[other] ?? 0
                && failures[other, default: 0] < FarmLimits.unprovenTestsMax
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
        // I17: who draws as the references do goes first.
        let run = lease.shard.run.text
        if let better = better(than: worker, lease.shard.job, of: run, now: now) {
            throw BrokenPromise("\(name), and \(better) draws as the references do")
        }
        guard !closed.contains(lease.shard.run) else {
            throw BrokenPromise("\(name) of a closed run")
        }
        // I20: a worker has one live lease.
        if let own = live.first(where: { leases[$0]?.worker == worker }) {
            throw BrokenPromise("\(name) while it has L\(own)")
        }
        for key in cases {
            if let holder = holders[key] {
                throw BrokenPromise("\(name) with \(key), which L\(holder) still holds")
            }
            holders[key] = epoch
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

    // MARK: stragglers

    /// Trims leases to these late test cases and the tests they have started.
    ///
    /// Other workers may get the rest.
    mutating func trimmed(_ late: [TestKey], now: Int64) throws {
        for test in late {
            guard let epoch = live.first(where: { isLate(leases[$0], at: test, now: now) }) else {
                throw BrokenPromise("a lease was trimmed to \(test), which is not late")
            }
            for key in leases[epoch].map(Self.rest(of:)) ?? [] {
                holders[key] = nil
                leases[epoch]?.held.remove(key)
            }
            leases[epoch]?.isTrimmed = true
        }
    }

    /// Returns whether other tests wait behind a running test that takes much longer than any
    /// simulated test.
    private func isLate(_ lease: WitnessedLease?, at test: TestKey, now: Int64) -> Bool {
        guard let lease, lease.running == test.test, !Self.rest(of: lease).isEmpty,
            !lease.job.exclusive
        else { return false }
        let since = max(lease.granted, lease.startedAt)
        return lease.held.contains { $0.test == test }
            && Double(now - since) > FarmLimits.stragglerUnlearnedSecondsMin * 1000
    }

    /// Returns the test cases that a lease has not started.
    private static func rest(of lease: WitnessedLease) -> Set<CaseKey> {
        lease.held.filter { $0.test.test != lease.running && !lease.started.contains($0.test.test) }
    }

    // MARK: fenced writes

    mutating func renewed(
        _ epoch: Int64,
        running: TestID?,
        started: [TestID],
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
            let news = started.filter { leases[epoch]?.holds($0) == true }
            if leases[epoch]?.started.isSuperset(of: news) == false {
                leases[epoch]?.startedAt = now
            }
            leases[epoch]?.started.formUnion(news)
        }
    }

    mutating func reported(
        _ epoch: Int64,
        _ sent: [TestReport],
        _ answers: [FencedAnswer],
        ended: EndedLeases
    ) throws {
        // The message may suspend its worker, and so end the lease between two of its reports.
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

    /// Ends leases because of their worker, with their run, or because other workers have their
    /// tests.
    mutating func noted(_ leases: EndedLeases) throws {
        for epoch in leases.withdrawn where self.leases[epoch]?.end == nil {
            end(epoch, .withdrawn)
        }
        for epoch in leases.revoked {
            guard let lease = self.leases[epoch], lease.end == nil else { continue }
            guard lease.isTrimmed, lease.held.isEmpty else {
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
        holders[key] = nil
        if !report.ending.isGood || !report.blobs.isEmpty {
            failures[lease.worker, default: 0] += 1
        }
        reports[key, default: []].append(
            AcceptedReport(epoch: epoch, worker: lease.worker, report: report)
        )
    }

    /// Completes a lease; `leftOver` are its tests without a report, which are then free.
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
        calls[worker] = nil
        for epoch in live where leases[epoch]?.worker == worker { end(epoch, .lost) }
    }

    mutating func expired(_ count: Int, now: Int64, as end: LeaseEnd = .lost) throws {
        let late = live.filter { (leases[$0]?.deadline ?? now) < now }
        guard late.count == count else {
            throw BrokenPromise(
                "\(count) leases were reaped, \(late.count) were past their deadline"
            )
        }
        for epoch in late { self.end(epoch, end) }
    }

    mutating func tookBackAll() {
        calls = [:]
        for epoch in live { end(epoch, .interrupted) }
    }

    mutating func extendedLeases(until: Int64) {
        for epoch in live {
            let deadline = leases[epoch]?.deadline ?? 0
            leases[epoch]?.deadline = max(deadline, until)
        }
    }

    private var live: [Int64] { epochs.filter { leases[$0]?.end == nil } }

    private mutating func end(_ epoch: Int64, _ end: LeaseEnd) {
        leases[epoch]?.end = end
        for key in leases[epoch]?.held ?? [] { holders[key] = nil }
        leases[epoch]?.held = []
    }

    private func state(_ epoch: Int64) -> String {
        guard let lease = leases[epoch] else { return "it was never granted" }
        return lease.end.map { "it is \($0.rawValue)" } ?? "it lives"
    }
}
