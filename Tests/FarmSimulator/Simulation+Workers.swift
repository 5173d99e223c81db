// A worker's side: one test after another, reports about them, and the next lease when this one has
// ended.
import FarmAPI
import FarmCore
import Foundation

extension Simulation {
    private static let renewal = Int64(FarmLimits.renewalSeconds * 1000)
    private static let life = Int64(FarmLimits.leaseSeconds * 1000)

    // MARK: answers

    mutating func answered(_ worker: Int, _ call: Int, _ answer: Answer) throws {
        guard let pending = workers[worker].pending.removeValue(forKey: call) else { return }
        switch (pending.call, answer) {
        case (.hello, _), (.release, _): claimIfFree(worker)
        case (.claim, .claimed(let reply)): claimed(worker, reply)
        case (.put, _): stored(worker, pending.epoch)
        case (.report, .fencedAll(let answers)): delivered(worker, pending.epoch, answers)
        case (.complete, _): drop(worker, pending.epoch)
        case (.renew, .fenced(let answer)): renewed(worker, pending.epoch, answer)
        default: break
        }
    }

    // MARK: claims

    mutating func claimIfFree(_ worker: Int) {
        // Claims only while runs are open; the remaining messages arrive anyway.
        guard workers[worker].wantsLease, !allClosed else { return }
        workers[worker].isClaiming = true
        send(.claim(workers[worker].nextClaim()), from: worker)
    }

    private mutating func claimed(_ worker: Int, _ reply: ClaimReply) {
        workers[worker].isClaiming = false
        guard let lease = reply.lease else {
            return plan(.claims(worker: worker), in: random.milliseconds(1_000...30_000))
        }
        workers[worker].warm = lease.shard.cell.id
        workers[worker].held = HeldLease(lease: lease, confirmedAt: now)
        plan(.renews(worker: worker, epoch: lease.token.epoch), in: Self.renewal)
        startTest(worker, lease.token.epoch)
    }

    // MARK: tests

    private mutating func startTest(_ worker: Int, _ epoch: Int64) {
        guard var held = workers[worker].held, held.epoch == epoch else { return }
        let tests = held.lease.shard.tests
        if held.isOutOfTime {
            held.leftOver = Array(tests[held.next...])
            held.next = tests.count
        }
        guard held.next < tests.count else {
            workers[worker].held = held
            deliver(worker, epoch)
            return finishIfDone(worker, epoch)
        }
        held.running = tests[held.next]
        held.next += 1
        workers[worker].held = held
        let length =
            workers[worker].isSick
            ? 1 : Int64(Double(random.milliseconds(50...8_000)) * workers[worker].slowness)
        plan(.testEnds(worker: worker, epoch: epoch), in: length)
    }

    mutating func testEnds(_ worker: Int, _ epoch: Int64) throws {
        guard let held = workers[worker].held, held.epoch == epoch, let test = held.running
        else { return }
        let shard = held.lease.shard
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
        workers[worker].held?.running = nil
        guard let blob = report.blobs.first else { return queue(worker, epoch, [report]) }
        if host.hasBug(.verdictBeforeBlob) { queue(worker, epoch, [report]) }
        workers[worker].held?.unready.append(report)
        send(.put(blob), epoch: epoch, from: worker)
    }

    /// Returns the load of a worker's host: overloaded every other 20 s, neighbours in turn.
    private func load(of worker: Int) -> HostLoad {
        let turn = Int(now / 20_000) + workers[worker].slot / 2
        return HostLoad(waiting: turn.isMultiple(of: 2) ? 0.95 : 0.05, source: .pressure)
    }

    /// Sends a report after the bytes of its picture are durable.
    private mutating func stored(_ worker: Int, _ epoch: Int64) {
        guard let held = workers[worker].held, held.epoch == epoch else { return }
        workers[worker].held?.unready = []
        queue(worker, epoch, host.hasBug(.verdictBeforeBlob) ? [] : held.unready)
    }

    private mutating func queue(_ worker: Int, _ epoch: Int64, _ reports: [TestReport]) {
        guard workers[worker].has(epoch) else { return }
        workers[worker].held?.waiting += reports
        deliver(worker, epoch)
        guard let held = workers[worker].held, held.unready.isEmpty, held.running == nil else {
            return
        }
        startTest(worker, epoch)
    }

    // MARK: reports

    private mutating func deliver(_ worker: Int, _ epoch: Int64) {
        guard let held = workers[worker].held, held.epoch == epoch, !held.isReporting,
            !held.waiting.isEmpty, !(held.isDriven && held.endsWithReports),
            held.isDriven || !held.holdsReports
        else { return }
        workers[worker].held?.waiting = []
        workers[worker].held?.isReporting = true
        send(.report(held.lease.token, held.waiting), epoch: epoch, from: worker)
    }

    private mutating func delivered(_ worker: Int, _ epoch: Int64, _ answers: [FencedAnswer]) {
        guard workers[worker].has(epoch) else { return }
        workers[worker].held?.isReporting = false
        guard !answers.contains(.stale) else { return drop(worker, epoch) }
        deliver(worker, epoch)
        finishIfDone(worker, epoch)
    }

    private mutating func finishIfDone(_ worker: Int, _ epoch: Int64) {
        guard let held = workers[worker].held, held.epoch == epoch, held.isDriven,
            held.waiting.isEmpty || held.endsWithReports, !held.isReporting, !held.isEnding
        else { return }
        workers[worker].held?.isEnding = true
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
        guard let held = workers[worker].held, held.epoch == epoch else { return }
        if workers[worker].watches, now - held.confirmedAt > Self.life {
            trace.say(now, "\(workers[worker].id) drops \(held.lease.token.id) by itself")
            forget(worker, epoch)
            // The coordinator may count the lease as live; then this worker would get no other
            // lease.
            return send(.release(held.lease.token), from: worker)
        }
        plan(.renews(worker: worker, epoch: epoch), in: Self.renewal)
        send(
            .renew(held.lease.token, held.running, started: held.started),
            epoch: epoch,
            from: worker
        )
    }

    private mutating func renewed(_ worker: Int, _ epoch: Int64, _ answer: FencedAnswer) {
        guard answer != .stale else { return drop(worker, epoch) }
        guard workers[worker].has(epoch) else { return }
        workers[worker].held?.confirmedAt = now
    }

    /// Drops a lease that is over, with or without its results.
    private mutating func drop(_ worker: Int, _ epoch: Int64) {
        forget(worker, epoch)
        claimIfFree(worker)
    }

    private mutating func forget(_ worker: Int, _ epoch: Int64) {
        if workers[worker].has(epoch) { workers[worker].held = nil }
        workers[worker].pending = workers[worker].pending.filter { $0.value.epoch != epoch }
    }
}
