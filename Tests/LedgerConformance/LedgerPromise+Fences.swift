import FarmCore
import FarmLedger
import Testing

/// The end of a lease, as its worker's later writes find it.
private enum LeaseEnd: CaseIterable {
    case live, released, expired, workerLost, interrupted, done
}

/// A write of a worker.
private enum Write: CaseIterable {
    case renewal, report, completion, release
}

extension LedgerPromise {
    /// Fences: every write is `accepted`, `duplicate` or `stale`, and only the first one counts.
    static let fences = [
        LedgerPromise("after every end of a lease each write is fenced, and again the same") {
            bench in
            for (number, (end, write)) in combinations.enumerated() {
                try await checkWrite(write, after: end, run: "r\(number)", bench)
            }
        },
        LedgerPromise("a write accepted once is a duplicate when it comes again") {
            _ = try await $0.open(LedgerBench.plan(tests: 2))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: 1) == .accepted)
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: 2) == .accepted)
            #expect(try await $0.pass(lease, TestID("t0"), now: 3) == .accepted)
            #expect(try await $0.pass(lease, TestID("t0"), now: 4) == .duplicate)
            #expect(try await $0.complete(lease, now: 5) == .accepted)
            #expect(try await $0.complete(lease, now: 6) == .duplicate)
            #expect(try await $0.pass(lease, TestID("t0"), now: 7) == .duplicate)
            let other = try await $0.lease("a", "2", now: 8)
            #expect(try await $0.ledger.release(other.token, now: 9) == .accepted)
            #expect(try await $0.ledger.release(other.token, now: 10) == .duplicate)
        },
        LedgerPromise("a late worker changes nothing of what its successor does") {
            let run = try await $0.open(LedgerBench.plan(tests: 1))
            let zombie = try await $0.lease("a", "1")
            let late = LedgerBench.leaseMilliseconds + 1
            #expect(try await $0.ledger.takeBack(.expired, now: late) == 1)
            let owner = try await $0.lease("b", "1", now: late)
            #expect(owner.token.epoch > zombie.token.epoch)
            let before = try await $0.traces(run)
            let bad = TestReport(test: TestID("t0"), ending: .failed("late"), seconds: 1)
            #expect(try await $0.report(zombie, [bad], now: late) != [.accepted])
            #expect(try await $0.ledger.renew(zombie.token, running: nil, now: late) == .stale)
            #expect(try await $0.complete(zombie, now: late) == .stale)
            #expect(try await $0.ledger.release(zombie.token, now: late) == .stale)
            #expect(try await $0.traces(run) == before)
            #expect(try await $0.pass(owner, TestID("t0"), now: late) == .accepted)
            #expect(try await $0.complete(owner, now: late) == .accepted)
            #expect(try await $0.verdicts(run) == [.passed])
        },
        LedgerPromise("a report of a test that is not the lease's own is stale") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            let other = try await $0.lease("b", "1")
            let test = try #require(other.shard.tests.first)
            #expect(try await $0.pass(lease, test, now: 1) == .stale)
            #expect(try await $0.pass(lease, TestID("nobody's"), now: 1) == .stale)
            #expect(try await $0.attempts(run).allSatisfy { $0 == 0 })
        },
        LedgerPromise("a lease that never was is refused") {
            _ = try await $0.open(LedgerBench.plan(tests: 1))
            let token = LeaseToken(id: LeaseID("L99"), epoch: 99)
            let nobody = Lease(token: token, shard: try await $0.lease("a", "1").shard)
            #expect(try await $0.ledger.renew(token, running: nil, now: 1) == .stale)
            #expect(try await $0.ledger.release(token, now: 1) == .stale)
            #expect(try await $0.complete(nobody, now: 1) == .stale)
            await #expect(throws: LedgerError.self) {
                [bench = $0] in try await bench.pass(nobody, TestID("t0"), now: 1)
            }
        },
    ]

    private static let combinations = LeaseEnd.allCases.flatMap { end in
        Write.allCases.map { (end, $0) }
    }

    /// Checks a write after the end of a lease.
    ///
    /// Only the first of its tests was reported.
    private static func checkWrite(
        _ write: Write,
        after end: LeaseEnd,
        run key: String,
        _ bench: LedgerBench
    ) async throws {
        let now: Int64 = 1
        let run = try await bench.open(LedgerBench.plan(tests: 4), key: key, now: now)
        let lease = try await bench.lease(key, "1", now: now)
        let reported = try #require(lease.shard.tests.first)
        #expect(try await bench.pass(lease, reported, now: now) == .accepted)
        try await apply(end, to: lease, of: key, bench)
        let unreported = lease.shard.tests.last ?? reported
        for time in 1...2 {
            let expected = answer(to: write, after: end, time: time)
            let got: FencedAnswer
            switch write {
            case .renewal:
                got = try await bench.ledger.renew(lease.token, running: nil, now: now)
            case .report: got = try await bench.pass(lease, unreported, now: now)
            case .completion: got = try await bench.complete(lease, now: now)
            case .release: got = try await bench.ledger.release(lease.token, now: now)
            }
            #expect(got == expected, "\(write) after \(end), time \(time)")
        }
        // Closes the run, so that the next combination has the ledger for itself.
        try await bench.ledger.close(run, judged: bench.judgement(run, .cancelled), now: now)
        try await bench.ledger.takeBack(.restart, now: now)
    }

    private static func apply(
        _ end: LeaseEnd,
        to lease: Lease,
        of worker: String,
        _ bench: LedgerBench
    ) async throws {
        switch end {
        case .live: break
        case .released: _ = try await bench.ledger.release(lease.token, now: 2)
        case .expired:
            _ = try await bench.ledger.takeBack(.expired, now: LedgerBench.leaseMilliseconds + 2)
        case .workerLost: try await bench.ledger.takeBack(.lost(WorkerID(worker)), now: 2)
        case .interrupted: try await bench.ledger.takeBack(.restart, now: 2)
        case .done: _ = try await bench.complete(lease, now: 2)
        }
    }

    private static func answer(
        to write: Write,
        after end: LeaseEnd,
        time: Int
    ) -> FencedAnswer {
        switch (end, write) {
        case (.live, .renewal): .accepted
        case (.live, _): time == 1 ? .accepted : .duplicate
        case (.done, .completion), (.released, .release): .duplicate
        // Even if the test counts as lost under this very lease: no report was kept.
        default: .stale
        }
    }
}
