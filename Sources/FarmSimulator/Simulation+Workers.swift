// A worker's side: one test after another, reports behind them, the next lease when the tests of
// this one have ended or its last one runs.
import FarmAPI
import FarmCore
import Foundation

extension Simulation {
    private static let renewal = Int64(FarmLimits.renewalSeconds * 1000)
    private static let life = Int64(FarmLimits.leaseSeconds * 1000)
    private static let unbegun = Int64(FarmLimits.leaseUnbegunSecondsMax * 1000)

    // MARK: answers

    mutating func answered(_ worker: Int, _ call: Int, _ answer: Answer) throws {
        guard let pending = workers[worker].pending.removeValue(forKey: call) else { return }
        switch (pending.call, answer) {
        case (.hello, _): claimIfFree(worker)
        case (.claim(let request), .claimed(let reply)): claimed(worker, request, reply)
        case (.put, _): stored(worker, pending.epoch)
        case (.report, .fencedAll(let answers)): delivered(worker, pending.epoch, answers)
        case (.complete, _): drop(worker, pending.epoch)
        case (.renew, .fenced(let answer)): renewed(worker, pending.epoch, answer)
        default: break
        }
    }

    // MARK: claims

    mutating func claimIfFree(_ worker: Int) {
        // Nobody is idle for nothing: what comes late is on its way already.
        guard workers[worker].wantsLease, !allClosed else { return }
        workers[worker].isClaiming = true
        send(.claim(workers[worker].nextClaim()), from: worker)
    }

    private mutating func claimed(_ worker: Int, _ request: ClaimRequest, _ reply: ClaimReply) {
        workers[worker].isClaiming = false
        guard let lease = reply.lease else {
            return plan(.claims(worker: worker), in: random.milliseconds(1_000...30_000))
        }
        workers[worker].warm = lease.shard.cell.id
        workers[worker].leases.append(HeldLease(lease: lease, confirmedAt: now))
        plan(.renews(worker: worker, epoch: lease.token.epoch), in: Self.renewal)
        plan(.givesBack(worker: worker, epoch: lease.token.epoch), in: Self.unbegun)
        beginNext(worker)
    }

    private mutating func beginNext(_ worker: Int) {
        guard let epoch = workers[worker].nextInTurn,
            let place = workers[worker].index(of: epoch)
        else { return }
        workers[worker].leases[place].isBegun = true
        startTest(worker, epoch)
    }

    /// The tests of the lease before take longer than a lease is kept for nothing.
    mutating func giveBack(_ worker: Int, _ epoch: Int64) {
        guard let place = workers[worker].index(of: epoch),
            !workers[worker].leases[place].isBegun
        else { return }
        let token = workers[worker].leases.remove(at: place).lease.token
        send(.release(token), epoch: epoch, from: worker)
    }

    // MARK: tests

    private mutating func startTest(_ worker: Int, _ epoch: Int64) {
        guard let place = workers[worker].index(of: epoch) else { return }
        if workers[worker].leases[place].isOutOfTime {
            let tests = workers[worker].leases[place].lease.shard.tests
            workers[worker].leases[place].leftOver = Array(
                tests[workers[worker].leases[place].next...]
            )
            workers[worker].leases[place].next = tests.count
        }
        let held = workers[worker].leases[place]
        guard held.next < held.lease.shard.tests.count else {
            finishIfDone(worker, epoch)
            beginNext(worker)
            return claimIfFree(worker)
        }
        workers[worker].leases[place].running = held.lease.shard.tests[held.next]
        workers[worker].leases[place].next += 1
        let length =
            workers[worker].isSick
            ? 1 : Int64(Double(random.milliseconds(50...8_000)) * workers[worker].slowness)
        plan(.testEnds(worker: worker, epoch: epoch), in: length)
        claimIfFree(worker)
    }

    mutating func testEnds(_ worker: Int, _ epoch: Int64) throws {
        guard let place = workers[worker].index(of: epoch),
            let test = workers[worker].leases[place].running
        else { return }
        let shard = workers[worker].leases[place].lease.shard
        let key = CaseKey(
            run: shard.run.text,
            test: TestKey(job: shard.job.name, cell: shard.cell.id, test: test)
        )
        let behaviour = scenario.behaviours[key] ?? .passes
        if behaviour == .kills, !workers[worker].isSick { return kill(worker) }
        var report = try SimulatedTest(
            key: key.test,
            behaviour: behaviour,
            job: shard.job,
            mode: shard.mode,
            earlier: ran[key, default: 0],
            isSick: workers[worker].isSick,
            seconds: Double(random.number(1...5_000)) / 1000,
            startedAt: now
        ).report()
        if !report.isPlainPass { report.load = load(of: worker) }
        ran[key, default: 0] += 1
        workers[worker].leases[place].running = nil
        guard let blob = report.blobs.first else { return queue(worker, epoch, [report]) }
        if host.hasBug(.verdictBeforeBlob) { queue(worker, epoch, [report]) }
        workers[worker].leases[place].unready.append(report)
        send(.put(blob), epoch: epoch, from: worker)
    }

    /// Hosts are overloaded every other twenty seconds, neighbours in turn.
    private func load(of worker: Int) -> HostLoad {
        let turn = Int(now / 20_000) + workers[worker].slot / 2
        return HostLoad(waiting: turn.isMultiple(of: 2) ? 0.95 : 0.05, source: .pressure)
    }

    /// The bytes of a report's picture are durable: now it may be sent.
    private mutating func stored(_ worker: Int, _ epoch: Int64) {
        guard let place = workers[worker].index(of: epoch) else { return }
        let reports = workers[worker].leases[place].unready
        workers[worker].leases[place].unready = []
        queue(worker, epoch, host.hasBug(.verdictBeforeBlob) ? [] : reports)
    }

    private mutating func queue(_ worker: Int, _ epoch: Int64, _ reports: [TestReport]) {
        guard let place = workers[worker].index(of: epoch) else { return }
        workers[worker].leases[place].waiting += reports
        deliver(worker, epoch)
        if workers[worker].leases[place].unready.isEmpty,
            workers[worker].leases[place].running == nil
        {
            startTest(worker, epoch)
        }
    }

    // MARK: reports

    private mutating func deliver(_ worker: Int, _ epoch: Int64) {
        guard let place = workers[worker].index(of: epoch),
            !workers[worker].leases[place].isReporting,
            !workers[worker].leases[place].waiting.isEmpty
        else { return }
        let held = workers[worker].leases[place]
        if held.isDriven, held.endsWithReports { return }
        let reports = workers[worker].leases[place].waiting
        workers[worker].leases[place].waiting = []
        workers[worker].leases[place].isReporting = true
        let token = workers[worker].leases[place].lease.token
        send(.report(token, reports), epoch: epoch, from: worker)
    }

    private mutating func delivered(_ worker: Int, _ epoch: Int64, _ answers: [FencedAnswer]) {
        guard let place = workers[worker].index(of: epoch) else { return }
        workers[worker].leases[place].isReporting = false
        guard !answers.contains(.stale) else { return drop(worker, epoch) }
        deliver(worker, epoch)
        finishIfDone(worker, epoch)
    }

    private mutating func finishIfDone(_ worker: Int, _ epoch: Int64) {
        guard let place = workers[worker].index(of: epoch) else { return }
        let held = workers[worker].leases[place]
        guard held.isDriven, held.waiting.isEmpty || held.endsWithReports, !held.isReporting,
            !held.isEnding
        else { return }
        workers[worker].leases[place].isEnding = true
        let shard = held.lease.shard
        let evidence = LeaseEvidence(
            job: shard.job.name,
            cell: shard.cell.id,
            leftOver: held.leftOver
        )
        send(.complete(held.lease.token, held.waiting, evidence), epoch: epoch, from: worker)
    }

    // MARK: renewal

    mutating func renew(_ worker: Int, _ epoch: Int64) {
        guard let place = workers[worker].index(of: epoch) else { return }
        let held = workers[worker].leases[place]
        if workers[worker].watches, now - held.confirmedAt > Self.life {
            trace.say(now, "\(workers[worker].id) drops \(held.lease.token.id) by itself")
            return drop(worker, epoch)
        }
        plan(.renews(worker: worker, epoch: epoch), in: Self.renewal)
        send(.renew(held.lease.token, held.running), epoch: epoch, from: worker)
    }

    private mutating func renewed(_ worker: Int, _ epoch: Int64, _ answer: FencedAnswer) {
        guard answer != .stale else { return drop(worker, epoch) }
        guard let place = workers[worker].index(of: epoch) else { return }
        workers[worker].leases[place].confirmedAt = now
    }

    /// The lease is over for this worker, with or without its results.
    private mutating func drop(_ worker: Int, _ epoch: Int64) {
        workers[worker].leases.removeAll { $0.epoch == epoch }
        workers[worker].pending = workers[worker].pending.filter { $0.value.epoch != epoch }
        beginNext(worker)
        claimIfFree(worker)
    }
}
