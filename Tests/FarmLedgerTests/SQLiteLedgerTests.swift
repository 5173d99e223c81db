import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

/// What any ledger must do; run here against SQLite.
@Suite("The ledger")
struct SQLiteLedgerTests {
    private let folder: TemporaryFolder
    private let ledger: SQLiteLedger

    init() throws {
        folder = try TemporaryFolder("ledger")
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
    }

    private func plan(tests: Int, cells: Int = 1, retries: Int = 0) -> Plan {
        let job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: .command(CommandSettings(discover: "d", run: "r")),
            retries: retries,
            cells: (0..<cells).map { Cell(id: CellID("c\($0)"), device: nil, variant: []) }
        )
        return Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: "",
            jobs: [
                PlannedJob(
                    job: job,
                    tests: (0..<tests).map { TestID("t\($0)") },
                    prepared: [:]
                )
            ],
            workTree: "/"
        )
    }

    private func open(_ plan: Plan, id: String = "r1") async throws -> RunID {
        let facts = RunFacts(
            id: id,
            key: id,
            pipeline: "p",
            mode: .verify,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            pin: "",
            planDigest: plan.digest.description,
            started: "",
            finished: ""
        )
        return try await ledger.openRun(NewRun(key: id, facts: facts, plan: plan), now: 0)
    }

    private func claim(_ worker: String, _ request: String, now: Int64 = 0) async throws -> Lease? {
        try await ledger.hello(WorkerID(worker), now: now)
        return try await ledger.claim(
            worker: WorkerID(worker),
            request: request,
            warm: nil,
            now: now
        )
    }

    private func passed(_ test: TestID) -> TestReport {
        TestReport(test: test, ending: .passed, seconds: 0.1)
    }

    @Test("the same key opens the same run, and its plan is there before any lease")
    func idempotentOpen() async throws {
        let first = try await open(plan(tests: 3))
        let again = try await open(plan(tests: 3))
        #expect(first == again)
        #expect(try await ledger.progress(first, now: 0).planned == 3)
    }

    @Test("the same claim request gets the same lease; another worker gets other tests")
    func idempotentClaim() async throws {
        _ = try await open(plan(tests: 10))
        let lease = try #require(try await claim("a", "1"))
        let again = try #require(try await claim("a", "1"))
        #expect(lease == again)
        let other = try #require(try await claim("b", "1"))
        #expect(Set(lease.shard.tests).isDisjoint(with: other.shard.tests))
    }

    @Test("a report is accepted once, then a duplicate, and stale from a lost lease")
    func fencing() async throws {
        let run = try await open(plan(tests: 1))
        let zombie = try #require(try await claim("a", "1"))
        #expect(try await ledger.reap(now: 31_000) == 1)
        let owner = try #require(try await claim("b", "1", now: 31_000))
        #expect(owner.token.epoch > zombie.token.epoch)
        let report = passed(TestID("t0"))
        #expect(try await ledger.report(zombie.token, [report], now: 31_001).answers != [.accepted])
        #expect(try await ledger.report(owner.token, [report], now: 31_002).answers == [.accepted])
        #expect(try await ledger.report(owner.token, [report], now: 31_003).answers == [.duplicate])
        #expect(try await ledger.renew(zombie.token, running: nil, now: 31_004) == .stale)
        let evidence = LeaseEvidence(job: JobName("unit"), cell: CellID("c0"))
        #expect(try await ledger.complete(zombie.token, evidence: evidence, now: 31_005) == .stale)
        #expect(
            try await ledger.complete(owner.token, evidence: evidence, now: 31_006) == .accepted
        )
        #expect(
            try await ledger.complete(owner.token, evidence: evidence, now: 31_007) == .duplicate
        )
        let tests = try await ledger.evidence(run).tests
        #expect(tests.map(\.verdict) == [.flaky] || tests.map(\.verdict) == [.passed])
    }

    @Test("a lost worker costs an attempt of the running test only")
    func lostWorker() async throws {
        let run = try await open(plan(tests: 4))
        let lease = try #require(try await claim("a", "1"))
        #expect(lease.shard.tests.count == 2)
        _ = try await ledger.renew(lease.token, running: TestID("t1"), now: 1)
        try await ledger.workerLost(WorkerID("a"), now: 2)
        let tests = try await ledger.evidence(run).tests
        #expect(tests.map(\.attempts.count) == [0, 1, 0, 0])
        #expect(try await ledger.progress(run, now: 2).done == 0)
    }

    @Test("a restart of the coordinator costs no attempt")
    func restart() async throws {
        let run = try await open(plan(tests: 4))
        let lease = try #require(try await claim("a", "1"))
        try await ledger.takeBackAll(now: 5)
        #expect(try await ledger.evidence(run).tests.allSatisfy { $0.attempts.isEmpty })
        #expect(
            try await ledger.report(lease.token, [passed(TestID("t0"))], now: 6).answers == [.stale]
        )
        #expect(try await claim("b", "1", now: 6)?.shard.tests.first == TestID("t0"))
    }

    @Test("a worker that leaves tests out of its reports cannot keep a run open for ever")
    func lyingWorker() async throws {
        let run = try await open(plan(tests: 1))
        for round in 1...FarmLimits.attemptsMax {
            let lease = try #require(try await claim("a", "\(round)"))
            let evidence = LeaseEvidence(job: JobName("unit"), cell: CellID("c0"))
            _ = try await ledger.complete(lease.token, evidence: evidence, now: 1)
        }
        #expect(try await claim("a", "last") == nil)
        #expect(try await ledger.evidence(run).tests.map(\.verdict) == [.errored])
        #expect(try await ledger.finishedRuns() == [run])
    }

    @Test("any order of claims, losses and repeats gives every test exactly one verdict")
    func randomised() async throws {
        var generator = SeededGenerator.announced()
        let run = try await open(plan(tests: 40, cells: 3))
        var live: [Lease] = []
        var request = 0
        var now: Int64 = 0
        for _ in 0..<3_000 {
            now += 1
            let progress = try await ledger.progress(run, now: now)
            if progress.done == progress.planned { break }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3:
                request += 1
                let worker = "w\(Int.random(in: 0..<4, using: &generator))"
                if let lease = try await claim(worker, "\(request)", now: now) {
                    live.append(lease)
                }
            case 3..<8:
                guard let lease = live.randomElement(using: &generator),
                    let test = lease.shard.tests.randomElement(using: &generator)
                else { continue }
                let answer = try await ledger.report(lease.token, [passed(test)], now: now).answers
                let again = try await ledger.report(lease.token, [passed(test)], now: now).answers
                #expect(answer == [.stale] ? again == [.stale] : again == [.duplicate])
            case 8:
                guard !live.isEmpty else { continue }
                let lease = live.removeFirst()
                _ = try await ledger.release(lease.token, now: now)
            default:
                now += 40_000
                _ = try await ledger.reap(now: now)
            }
        }
        try await ledger.takeBackAll(now: now)
        while let lease = try await claim("last", "last-\(now)", now: now) {
            now += 1
            _ = try await ledger.report(lease.token, lease.shard.tests.map(passed), now: now)
            _ = try await ledger.complete(
                lease.token,
                evidence: LeaseEvidence(job: JobName("unit"), cell: lease.shard.cell.id),
                now: now
            )
        }
        let tests = try await ledger.evidence(run).tests
        let counted = try await ledger.progress(run, now: now)
        #expect(counted.done == tests.count { $0.verdict != nil })
        #expect(counted.bad == tests.count { $0.verdict != .passed && $0.verdict != .flaky })
        #expect(tests.count == 120)
        #expect(tests.allSatisfy { $0.verdict != nil })
        #expect(try await ledger.finishedRuns() == [run])
    }

    @Test("a ledger opened again has everything that was accepted")
    func reopened() async throws {
        let run = try await open(plan(tests: 2))
        let lease = try #require(try await claim("a", "1"))
        _ = try await ledger.report(lease.token, [passed(TestID("t0"))], now: 1)
        let second = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        #expect(try await second.progress(run, now: 1).done == 1)
        #expect(try await second.openRun(planDigest: plan(tests: 2).digest.description) == run)
    }

    @Test("workers of the process before share out no work in the next one")
    func ghosts() async throws {
        let run = try await open(plan(tests: 40))
        for ghost in ["a", "b", "c"] { try await ledger.hello(WorkerID(ghost), now: 0) }
        try await ledger.takeBackAll(now: 1)
        #expect(try await ledger.progress(run, now: 1).workers == 0)
        let lease = try #require(try await claim("d", "1", now: 2))
        #expect(
            lease.shard.tests.count == ShardSize.next(waitingInCell: 40, waiting: 40, workers: 1)
        )
    }

    @Test("a plain pass comes back as it was reported, and so does everything else")
    func attemptsComeBack() async throws {
        let run = try await open(plan(tests: 4))
        let lease = try #require(try await claim("a", "1"))
        let reports = [
            TestReport(test: TestID("t0"), ending: .passed, seconds: 0.25, startedAt: 17),
            TestReport(
                test: TestID("t1"),
                ending: .passed,
                seconds: 1,
                output: "said",
                startedAt: 18
            ),
            TestReport(test: TestID("t2"), ending: .failed("passed"), seconds: 2, startedAt: 19),
            TestReport(test: TestID("t3"), ending: .skipped(""), seconds: 0, startedAt: 20),
        ]
        var lessees = lease.shard.tests.isEmpty ? [] : [lease]
        while let more = try await claim("a", "\(lessees.count + 1)") { lessees.append(more) }
        for lessee in lessees {
            let own = reports.filter { lessee.shard.tests.contains($0.test) }
            _ = try await ledger.report(lessee.token, own, now: 1)
        }
        let tests = try await ledger.evidence(run).tests
        #expect(tests.map(\.report) == reports)
        #expect(tests.map(\.verdict) == [.passed, .passed, .failed, .passed])
        let progress = try await ledger.progress(run, now: 2)
        #expect(progress.cells.map { [$0.planned, $0.done, $0.bad] } == [[4, 4, 1]])
    }

    @Test("what was accepted is on the disk before it is answered")
    func synchronous() async throws {
        #expect(try await ledger.syncsEveryCommit())
    }
}
