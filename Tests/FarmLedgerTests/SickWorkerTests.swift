import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

/// Tests with workers over a ledger, without processes: each report is a function of the test.
@Suite("Sick workers")
struct SickWorkerTests {
    private let farm: LedgerFarm

    init() throws { farm = try LedgerFarm("sick") }

    @Test(
        "a worker that fails everything at once costs at most 5 % of 2,000 tests, and no verdict",
        arguments: [0, 1]
    )
    func sickWorker(retries: Int) async throws {
        let run = try await farm.open(tests: 2_000, retries: retries)
        // The sick worker is more than a hundred times as fast.
        let sick = LedgerFarm.Worker("sick", testsPerTick: 500) { _ in .failed("sick") }
        let sound = LedgerFarm.Worker("sound", testsPerTick: 4) { _ in .passed }
        try await farm.work([sick, sound], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        let burnt = tests.count { $0.attempts.contains { $0.worker == sick.id } }
        #expect(burnt <= 100, "\(burnt) of 2,000")
        #expect(tests.allSatisfy { $0.verdict == .passed || $0.verdict == .flaky })
        #expect(tests.count { $0.verdict == .flaky } == burnt)
        let incidents = try await farm.ledger.incidents(run)
        #expect(incidents.map(\.code) == ["worker-suspended"])
        #expect(incidents.first?.message.contains("worker sick") == true)
    }

    @Test("a worker that falls sick in the middle costs at most 5 % as well")
    func fallsSick() async throws {
        let run = try await farm.open(tests: 2_000)
        let sick = LedgerFarm.Worker("sick", testsPerTick: 50) { number in
            number < 300 ? .passed : .failed("sick")
        }
        let sound = LedgerFarm.Worker("sound", testsPerTick: 10) { _ in .passed }
        try await farm.work([sick, sound], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        let burnt = tests.count { $0.attempts.first?.report?.ending == .failed("sick") }
        #expect(burnt <= 100, "\(burnt) of 2,000")
        // The first two failures stand: the worker was sound so far, and the job has no retries.
        #expect(tests.count { $0.verdict == .failed } <= 2)
    }

    @Test("when all tests fail everywhere the tests are broken, nobody is suspended for long")
    func brokenTests() async throws {
        let run = try await farm.open(tests: 300)
        let workers = ["a", "b", "c"].map { name in
            LedgerFarm.Worker(name, testsPerTick: 7) { _ in .failed("broken") }
        }
        try await farm.work(workers, until: run)
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.allSatisfy { $0.verdict == .failed })
        #expect(try await farm.ledger.incidents(run).isEmpty)
        // Two failures on two workers are enough to believe the next ones at once.
        #expect(tests.allSatisfy { $0.attempts.count <= 2 })
        #expect(tests.contains { $0.attempts.count == 1 })
    }

    @Test("the only worker goes on whatever it fails, and so do workers that are all sick")
    func nobodyElse() async throws {
        let alone = try await farm.open(tests: 100, id: "alone")
        let sick = LedgerFarm.Worker("a", testsPerTick: 9) { _ in .failed("sick") }
        try await farm.work([sick], until: alone)
        let tests = try await farm.ledger.evidence(alone).tests
        #expect(tests.allSatisfy { $0.verdict == .failed && $0.attempts.count == 1 })
        let both = try await farm.open(tests: 100, id: "both")
        let other = LedgerFarm.Worker("b", testsPerTick: 4) { _ in .failed("sick") }
        try await farm.work([sick, other], until: both)
        #expect(try await farm.ledger.evidence(both).tests.allSatisfy { $0.verdict == .failed })
    }

    @Test("the first lease of a worker is small, unless it is the only one")
    func canary() async throws {
        _ = try await farm.open(tests: 2_000)
        let alone = try #require(try await farm.claim("a", "1"))
        #expect(alone.shard.tests.count > FarmLimits.unprovenTestsMax)
        let second = try #require(try await farm.claim("b", "1"))
        #expect(second.shard.tests.count == FarmLimits.unprovenTestsMax)
        let reports = second.shard.tests.map {
            TestReport(test: $0, ending: .passed, seconds: 0)
        }
        _ = try await farm.ledger.complete(
            second.token,
            reports: reports,
            evidence: LeaseEvidence(job: second.shard.job.name, cell: second.shard.cell.id),
            now: 0
        )
        let next = try #require(try await farm.claim("b", "2"))
        #expect(next.shard.tests.count > FarmLimits.unprovenTestsMax)
    }

    @Test("the first of eight workers to come takes its share, not half of everything")
    func firstOfMany() async throws {
        let farm = try LedgerFarm("first", workersMin: 8)
        _ = try await farm.open(tests: 1_600)
        let first = try #require(try await farm.claim("a", "1"))
        // Seven more workers were started and will come, so the first lease is small.
        #expect(first.shard.tests.count == FarmLimits.unprovenTestsMax)
        let passes = first.shard.tests.map { TestReport(test: $0, ending: .passed, seconds: 0.1) }
        _ = try await farm.ledger.complete(
            first.token,
            reports: passes,
            evidence: LeaseEvidence(job: first.shard.job.name, cell: first.shard.cell.id),
            now: 0
        )
        let second = try #require(try await farm.claim("a", "2"))
        #expect(second.shard.tests.count == 99)
    }

    @Test("a sick worker that comes first gives no verdict: those started with it are waited for")
    func sickOneComesFirst() async throws {
        let farm = try LedgerFarm("first-sick", workersMin: 2)
        let run = try await farm.open(tests: 400)
        let sick = LedgerFarm.Worker("sick", testsPerTick: 50) { _ in .failed("sick") }
        let sound = LedgerFarm.Worker("sound", testsPerTick: 10, comesAt: 20_000) { _ in .passed }
        try await farm.work([sick, sound], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.allSatisfy { $0.verdict == .passed || $0.verdict == .flaky })
        let burnt = tests.count { $0.attempts.contains { $0.worker == sick.id } }
        #expect(burnt <= 20, "\(burnt) of 400")
    }

    @Test("a worker that was started and never comes keeps nobody waiting for ever")
    func neverComes() async throws {
        let farm = try LedgerFarm("never-comes", workersMin: 2)
        let run = try await farm.open(tests: 40)
        let only = LedgerFarm.Worker("only", testsPerTick: 5) { .failed("\($0)") }
        try await farm.work([only], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.allSatisfy { $0.verdict == .failed })
        #expect(farm.now < Int64(2 * FarmLimits.suspendedSeconds * 1000))
    }

    @Test("while a worker that was lost is started again, the failures of a new one wait for it")
    func startedAgain() async throws {
        let farm = try LedgerFarm("again", workersMin: 2)
        let run = try await farm.open(tests: 400)
        try await farm.ledger.registerWorker(WorkerID("lost"), unfit: nil, beginsAnew: true, now: 0)
        let late = Int64(FarmLimits.suspendedSeconds * 1000)
        try await farm.ledger.takeBack(.lost(WorkerID("lost")), now: late)
        let ledger = farm.ledger
        let sick = WorkerID("sick")
        try await ledger.registerWorker(sick, unfit: nil, beginsAnew: true, now: late)
        let claimed = try await ledger.claim(worker: sick, request: "1", warm: nil, now: late)
        let lease = try #require(claimed)
        let failures = lease.shard.tests.map {
            TestReport(test: $0, ending: .failed("sick"), seconds: 0)
        }
        _ = try await ledger.report(lease.token, failures, now: late)
        #expect(try await ledger.evidence(run).tests.allSatisfy { $0.verdict == nil })
    }

    @Test("a worker that says it cannot work gets none, until it says that it can")
    func unfit() async throws {
        _ = try await farm.open(tests: 10)
        let full = Problem(code: "worker-unfit", message: "disk full.", remedy: "Free space.")
        let worker = WorkerID("a")
        try await farm.ledger.registerWorker(worker, unfit: full, beginsAnew: true, now: 0)
        #expect(try await farm.ledger.obstacle(to: worker, now: 0) == full)
        #expect(
            try await farm.ledger.claim(worker: worker, request: "1", warm: nil, now: 0) == nil
        )
        #expect(try await farm.ledger.progress(RunID("r"), now: 0).notes == [full])
        try await farm.ledger.registerWorker(worker, unfit: nil, beginsAnew: false, now: 1)
        #expect(try await farm.claim("a", "2") != nil)
    }

    @Test("what a worker failed waits for another one only while that one may take work")
    func avoidsOnlyAble() async throws {
        let run = try await farm.open(tests: 60, retries: 1)
        let sick = LedgerFarm.Worker("sick", testsPerTick: 20) { _ in .failed("sick") }
        // The worker fails one test once. While the sick worker is suspended, it repeats the test
        // itself.
        let sound = LedgerFarm.Worker("sound", testsPerTick: 2) { number in
            number == 25 ? .failed("once") : .passed
        }
        try await farm.work([sick, sound], until: run)
        let tests = try await farm.ledger.evidence(run).tests
        #expect(tests.allSatisfy { $0.verdict == .passed || $0.verdict == .flaky })
        #expect(tests.contains { $0.attempts.map(\.worker.text) == ["sound", "sound"] })
    }
}
