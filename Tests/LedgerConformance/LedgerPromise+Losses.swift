import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Losses: the costs of a worker's end.
    static let losses = [
        LedgerPromise("a lost worker costs an attempt of the test that ran, once") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            #expect(lease.shard.tests.count == 2)
            let running = TestID("t1")
            #expect(try await $0.ledger.renew(lease.token, running: running, now: 1) == .accepted)
            try await $0.ledger.takeBack(.lost(WorkerID("a")), now: 2)
            try await $0.ledger.takeBack(.lost(WorkerID("a")), now: 3)
            #expect(try await $0.attempts(run) == [0, 1, 0, 0])
            let progress = try await $0.ledger.progress(run, now: 3)
            #expect(progress.done == 0)
            #expect(progress.notes.map(\.code) == [Problem.workerLostCode])
            let words = "worker a was lost while t1 of unit on c0 ran."
            #expect(progress.notes.first?.message == words)
        },
        LedgerPromise("a worker lost before it said what it runs was at its first test") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            #expect(try await $0.pass(lease, TestID("t0"), now: 1) == .accepted)
            try await $0.ledger.takeBack(.lost(WorkerID("a")), now: 2)
            #expect(try await $0.attempts(run) == [1, 1, 0, 0])
            #expect(try await $0.verdicts(run) == [.passed, nil, nil, nil])
            let words = try await $0.ledger.incidents(run).map(\.message)
            #expect(words == ["worker a was lost while it had t1 of unit on c0 to run."])
        },
        LedgerPromise("what a lease has reached shows while it lives, and makes nobody a suspect") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            let ledger = try await $0.ledger
            let answer = try await ledger.renew(
                lease.token,
                running: nil,
                started: [],
                reached: 2,
                now: 1
            )
            #expect(answer == .accepted)
            #expect(try await ledger.progress(run, now: 1).cells.map(\.reached) == [2])
            try await ledger.takeBack(.lost(WorkerID("a")), now: 2)
            #expect(try await ledger.progress(run, now: 2).cells.map(\.reached) == [nil])
            #expect(try await $0.attempts(run) == [1, 0, 0, 0])
        },
        LedgerPromise("a worker that has a lease is given no other, and the next when it has ended")
        {
            _ = try await $0.open(LedgerBench.plan(tests: 8))
            let first = try await $0.lease("a", "1")
            #expect(try await $0.claim("a", "2", now: 1) == nil)
            // An old copy of a claim that got nothing.
            #expect(try await $0.claim("a", "0", now: 1) == nil)
            #expect(try await $0.lease("a", "1", now: 1) == first)
            let passed = first.shard.tests.map { LedgerBench.passed($0) }
            _ = try await $0.complete(first, reporting: passed, now: 2)
            #expect(try await $0.lease("a", "3", now: 3).shard.tests != first.shard.tests)
        },
        LedgerPromise("a lease lives until its deadline and not after; a renewal moves it") {
            let run = try await $0.open(LedgerBench.plan(tests: 2))
            let life = LedgerBench.leaseMilliseconds
            let lease = try await $0.lease("a", "1", now: 100)
            #expect(try await $0.ledger.takeBack(.expired, now: 100 + life) == 0)
            let renewed = try await $0.ledger.renew(lease.token, running: nil, now: 5_000)
            #expect(renewed == .accepted)
            #expect(try await $0.ledger.takeBack(.expired, now: 5_000 + life) == 0)
            #expect(try await $0.attempts(run) == [0, 0])
            #expect(try await $0.ledger.takeBack(.expired, now: 5_000 + life + 1) == 1)
            #expect(try await $0.ledger.takeBack(.expired, now: 5_000 + life + 1) == 0)
            #expect(try await $0.attempts(run) == [1, 0])
            let states = try await $0.ledger.leases(run).map(\.state)
            #expect(states == ["expired"])
        },
        LedgerPromise("a restart of the coordinator and a returned lease cost no attempt") {
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let taken = try await $0.lease("a", "1")
            try await $0.ledger.takeBack(.restart, now: 5)
            #expect(try await $0.pass(taken, TestID("t0"), now: 6) == .stale)
            let returned = try await $0.lease("b", "1", now: 6)
            #expect(returned.shard.tests.first == TestID("t0"))
            #expect(try await $0.ledger.release(returned.token, now: 7) == .accepted)
            #expect(try await $0.attempts(run).allSatisfy { $0 == 0 })
            #expect(try await $0.lease("c", "1", now: 8).shard.tests.first == TestID("t0"))
        },
        LedgerPromise("what expired while the coordinator stood still costs no attempt") {
            let run = try await $0.open(LedgerBench.plan(tests: 8))
            let late = try await $0.lease("a", "1")
            let life = LedgerBench.leaseMilliseconds
            let other = try await $0.lease("b", "1", now: life)
            #expect(try await $0.ledger.takeBack(.stalled, now: life) == 0)
            #expect(try await $0.ledger.takeBack(.stalled, now: life + 1) == 1)
            #expect(try await $0.attempts(run).allSatisfy { $0 == 0 })
            #expect(try await $0.ledger.leases(run).map(\.state) == ["interrupted", "live"])
            let test = late.shard.tests[0]
            #expect(try await $0.pass(late, test, now: life + 2) == .stale)
            #expect(try await $0.pass(other, other.shard.tests[0], now: life + 2) == .accepted)
            #expect(try await $0.lease("c", "1", now: life + 2).shard.tests.contains(test))
        },
        LedgerPromise("a test that kills its workers is named, alone at last; the others pass") {
            let run = try await $0.open(LedgerBench.plan(tests: 3))
            var shards: [[TestID]] = []
            for round in 1...20 {
                guard let lease = try await $0.claim("w\(round)", "1") else { break }
                if lease.shard.tests.contains(TestID("t0")) {
                    shards.append(lease.shard.tests)
                    let running = TestID("t0")
                    _ = try await $0.ledger.renew(lease.token, running: running, now: 1)
                    try await $0.ledger.takeBack(.lost(WorkerID("w\(round)")), now: 2)
                } else {
                    for test in lease.shard.tests { _ = try await $0.pass(lease, test, now: 2) }
                    #expect(try await $0.complete(lease, now: 3) == .accepted)
                }
            }
            #expect(shards.count == FarmLimits.attemptsMax)
            #expect(shards.last == [TestID("t0")])
            #expect(try await $0.verdicts(run) == [.errored, .passed, .passed])
            #expect(try await $0.ledger.finishedRuns() == [run])
        },
        LedgerPromise("a worker that leaves tests out cannot keep a run open for ever") {
            let run = try await $0.open(LedgerBench.plan(tests: 1))
            for round in 1...FarmLimits.attemptsMax {
                let lease = try await $0.lease("a", "\(round)")
                #expect(try await $0.complete(lease, now: 1) == .accepted)
            }
            #expect(try await $0.claim("a", "last") == nil)
            #expect(try await $0.verdicts(run) == [.errored])
            #expect(try await $0.ledger.finishedRuns() == [run])
        },
        LedgerPromise("workers of the process before share out no work in the next one") {
            let run = try await $0.open(LedgerBench.plan(tests: 40))
            for ghost in ["a", "b", "c"] { try await $0.ledger.hello(WorkerID(ghost), now: 0) }
            try await $0.ledger.takeBack(.restart, now: 1)
            #expect(try await $0.ledger.progress(run, now: 1).workers == 0)
            #expect(try await $0.lease("d", "1", now: 2).shard.tests.count == 20)
        },
    ]
}
