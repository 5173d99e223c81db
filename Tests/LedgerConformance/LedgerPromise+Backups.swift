import FarmCore
import FarmLedger
import Testing

extension LedgerPromise {
    /// Stragglers: begun once more, and decided by the first report.
    static let backups = [
        LedgerPromise("a test that takes far too long is leased once more, to one idle worker") {
            let it = try await Straggling($0)
            let late = Straggling.late
            #expect(try await $0.claim("b", "early", now: late - 200) == nil)
            #expect(try await $0.ledger.newStragglers(now: late - 200).isEmpty)
            #expect(try await $0.ledger.newStragglers(now: late).map(\.test) == [it.test])
            #expect(try await $0.claim("a", "own", now: late) == nil)
            let backup = try await it.backup()
            #expect(backup.shard.tests == [it.test])
            #expect(backup.token.epoch > it.lease.token.epoch)
            #expect(try await it.backup() == backup)
            _ = try await $0.claim("c", "proof", now: late)
            #expect(try await $0.claim("c", "second", now: late) == nil)
            #expect(try await $0.attempts(it.run).reduce(0, +) == 7)
        },
        LedgerPromise("while a backup runs, progress says so") {
            let it = try await Straggling($0)
            #expect(try await it.notes().isEmpty)
            let backup = try await it.backup()
            let note = try #require(try await it.notes().first)
            #expect(note.code == "test-straggles")
            #expect(note.message.contains("\(it.test) takes far longer than expected on worker a"))
            #expect(note.message.contains("worker b runs it too"))
            _ = try await $0.pass(backup, it.test, now: Straggling.late)
            #expect(try await it.notes().isEmpty)
        },
        LedgerPromise("a backup that has reported is not leased its test again by a late claim") {
            let it = try await Straggling($0, retries: 1)
            let late = Straggling.late
            let backup = try await it.backup()
            let failed = [LedgerBench.failed(it.test)]
            let kept = try await $0.ledger.report(backup.token, failed, now: late)
            #expect(kept.answers == [.accepted])
            let third = try await $0.lease("c", "1", now: late)
            #expect(third.shard.tests == [it.test])
            let again = try await it.backup()
            #expect(again.token == backup.token && again.shard.tests.isEmpty)
            #expect(try await it.notes().isEmpty)
        },
        LedgerPromise("a worker that runs something else is given no backup ahead") {
            let it = try await Straggling($0)
            let late = Straggling.late
            _ = try await $0.open(LedgerBench.plan(tests: 1), key: "r2", now: late)
            let other = try await $0.lease("b", "other", now: late)
            #expect(other.shard.run == RunID("r2"))
            #expect(try await $0.claim("b", "ahead", now: late) == nil)
            _ = try await $0.complete(
                other,
                reporting: [LedgerBench.passed(TestID("t0"))],
                now: late
            )
            #expect(try await it.backup().shard.tests == [it.test])
        },
        LedgerPromise("what waits behind a straggler is leased to others, and then the test itself")
        {
            let late = Straggling.late
            let run = try await $0.open(LedgerBench.plan(tests: 8))
            let lease = try await $0.lease("a", "1")
            #expect(lease.shard.tests.count > 1)
            try await $0.passAll(by: "b", now: 1)
            // Nobody said which of them runs.
            #expect(try await $0.claim("b", "early", now: late) == nil)
            let hung = lease.shard.tests[0]
            _ = try await $0.ledger.renew(lease.token, running: hung, now: 15_000)
            #expect(try await $0.ledger.newStragglers(now: late).map(\.test) == [hung])
            var freed: [TestID] = []
            for number in 1... {
                let next = try await $0.lease("b", "late\(number)", now: late)
                if next.shard.tests == [hung] { break }
                freed += next.shard.tests
                let reports = next.shard.tests.map { LedgerBench.passed($0) }
                _ = try await $0.complete(next, reporting: reports, now: late)
            }
            #expect(Set(freed) == Set(lease.shard.tests.dropFirst()))
            #expect(try await $0.pass(lease, freed[0], now: late) == .stale)
            #expect(try await $0.pass(lease, hung, now: late) == .accepted)
            #expect(try await $0.ledger.renew(lease.token, running: nil, now: late) == .stale)
            #expect(try await $0.ledger.finishedRuns() == [run])
            #expect(try await $0.attempts(run) == Array(repeating: 1, count: 8))
        },
        LedgerPromise("a lease of which others have the rest ends with its last report") {
            let late = Straggling.late
            let run = try await $0.open(LedgerBench.plan(tests: 4))
            let lease = try await $0.lease("a", "1")
            _ = try await $0.lease("b", "1")
            let proof = try await $0.claim("c", "1")
            for test in proof?.shard.tests ?? [] {
                _ = try await $0.pass(try #require(proof), test, now: 1)
            }
            let hung = lease.shard.tests[0]
            _ = try await $0.ledger.renew(lease.token, running: hung, now: 15_000)
            let rest = try await $0.lease("d", "1", now: late)
            #expect(rest.shard.tests == Array(lease.shard.tests.dropFirst()))
            let receipt = try await $0.complete(
                lease,
                reporting: lease.shard.tests.map { LedgerBench.passed($0) },
                now: late
            )
            #expect(receipt.answers == [.accepted, .stale])
            #expect(receipt.answer == .stale)
            #expect(try await $0.ledger.leases(run).first?.state == "revoked")
            #expect(try await $0.attempts(run)[0] == 1)
        },
        LedgerPromise("nobody is given a backup of which nothing says how long it should take") {
            _ = try await $0.open(LedgerBench.plan(tests: 1))
            let lease = try await $0.lease("a", "1")
            _ = try await $0.ledger.renew(lease.token, running: nil, now: 15_000)
            #expect(try await $0.claim("b", "1", now: Straggling.late) == nil)
            #expect(try await $0.ledger.newStragglers(now: Straggling.late).isEmpty)
        },
        LedgerPromise("the first report decides: that of a backup ends the lease that straggles") {
            let it = try await Straggling($0)
            let late = Straggling.late
            let backup = try await it.backup()
            #expect(try await $0.pass(backup, it.test, now: late) == .accepted)
            #expect(try await $0.pass(backup, it.test, now: late) == .duplicate)
            #expect(try await $0.ledger.renew(it.lease.token, running: nil, now: late) == .stale)
            #expect(try await $0.pass(it.lease, it.test, now: late) == .stale)
            #expect(try await $0.complete(it.lease, now: late) == .stale)
            #expect(try await $0.complete(backup, now: late) == .accepted)
            #expect(try await $0.ledger.leases(it.run).first?.state == "revoked")
            try await it.expectDone(.passed)
        },
        LedgerPromise("the first report decides: that of the straggler ends its backup") {
            let it = try await Straggling($0)
            let late = Straggling.late
            let backup = try await it.backup()
            #expect(try await $0.pass(it.lease, it.test, now: late) == .accepted)
            #expect(try await $0.ledger.renew(backup.token, running: nil, now: late) == .stale)
            #expect(try await $0.pass(backup, it.test, now: late) == .stale)
            #expect(try await $0.complete(it.lease, now: late) == .accepted)
            #expect(try await $0.ledger.leases(it.run).last?.state == "revoked")
            try await it.expectDone(.passed)
        },
        LedgerPromise("a report among others that were kept before ends a backup as well") {
            let it = try await Straggling($0, tests: 16)
            let late = Straggling.late
            let backup = try await it.backup()
            let all = it.lease.shard.tests.map { LedgerBench.passed($0) }
            let receipt = try await $0.complete(it.lease, reporting: all, now: late)
            #expect(receipt.answers.first == .accepted && receipt.answers.last == .duplicate)
            #expect(try await $0.pass(backup, it.test, now: late) == .stale)
            try await it.expectDone(.passed)
        },
        LedgerPromise("a straggler whose worker is lost costs an attempt and goes to its backup") {
            let it = try await Straggling($0)
            let late = Straggling.late
            let backup = try await it.backup()
            try await $0.ledger.workerLost(WorkerID("a"), now: late)
            #expect(try await $0.claim("c", "1", now: late) == nil)
            #expect(
                try await $0.complete(backup, reporting: [LedgerBench.passed(it.test)], now: late)
                    .answer == .accepted
            )
            #expect(try await $0.attempts(it.run).max() == 2)
            try await it.expectDone(.passed)
        },
        LedgerPromise("a straggler that is given back goes to its backup without an attempt") {
            let it = try await Straggling($0)
            let late = Straggling.late
            let backup = try await it.backup()
            #expect(try await $0.ledger.release(it.lease.token, now: late) == .accepted)
            #expect(try await $0.claim("c", "1", now: late) == nil)
            #expect(try await $0.pass(backup, it.test, now: late) == .accepted)
            #expect(try await $0.complete(backup, now: late) == .accepted)
            #expect(try await $0.attempts(it.run).max() == 1)
            try await it.expectDone(.passed)
        },
        LedgerPromise("a backup that is lost or given back changes nothing, and is the only one") {
            let it = try await Straggling($0)
            let late = Straggling.late
            _ = try await it.backup()
            try await $0.ledger.workerLost(WorkerID("b"), now: late)
            #expect(try await $0.attempts(it.run).min() == 0)
            #expect(try await $0.claim("b", "next", now: late + 1) == nil)
            #expect(try await $0.pass(it.lease, it.test, now: late + 2) == .accepted)
            #expect(try await $0.complete(it.lease, now: late + 2) == .accepted)
            try await it.expectDone(.passed)
        },
        LedgerPromise("a backup is the retry of a straggler that fails") {
            let it = try await Straggling($0, retries: 1)
            let late = Straggling.late
            let backup = try await it.backup()
            let answers = try await $0.report(it.lease, [LedgerBench.failed(it.test)], now: late)
            #expect(answers == [.accepted])
            #expect(try await $0.complete(it.lease, now: late) == .accepted)
            #expect(try await $0.claim("c", "1", now: late) == nil)
            #expect(try await $0.pass(backup, it.test, now: late) == .accepted)
            #expect(try await $0.complete(backup, now: late) == .accepted)
            #expect(try await $0.attempts(it.run).max() == 2)
            try await it.expectDone(.flaky)
        },
        LedgerPromise("a backup that fails first waits for a third, and the straggler ends") {
            let it = try await Straggling($0, retries: 1)
            let late = Straggling.late
            let backup = try await it.backup()
            let answers = try await $0.report(backup, [LedgerBench.failed(it.test)], now: late)
            #expect(answers == [.accepted])
            #expect(try await $0.pass(it.lease, it.test, now: late) == .stale)
            let third = try await $0.lease("c", "1", now: late)
            #expect(third.shard.tests == [it.test])
            #expect(try await $0.complete(backup, now: late) == .accepted)
            #expect(try await $0.pass(third, it.test, now: late) == .accepted)
            #expect(try await $0.complete(third, now: late) == .accepted)
            try await it.expectDone(.flaky)
        },
        LedgerPromise("a restart of the coordinator takes a straggler and its backup back, once") {
            let it = try await Straggling($0)
            let late = Straggling.late
            _ = try await it.backup()
            try await $0.ledger.takeBackAll(now: late)
            let again = try await $0.lease("c", "1", now: late + 1)
            #expect(again.shard.tests == [it.test])
            #expect(try await $0.claim("b", "2", now: late + 1) == nil)
            #expect(try await $0.attempts(it.run).min() == 0)
        },
        LedgerPromise("a worker lost with a backup costs its next lease no attempt") {
            let it = try await Straggling($0)
            let late = Straggling.late
            _ = try await it.backup()
            let other = try await $0.open(LedgerBench.plan(tests: 4), key: "r2", now: late)
            _ = try await $0.lease("b", "ahead", now: late + 1)
            try await $0.ledger.workerLost(WorkerID("b"), now: late + 2)
            #expect(try await $0.attempts(other) == [0, 0, 0, 0])
        },
    ]
}
