import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import LedgerConformance
import Testing

/// Tests that several reports in one message have the same effect as one after another.
@Suite("Reports kept together")
struct PlainPassesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("together") }

    private func ledger(_ name: String, names: [String], retries: Int) async throws -> (
        SQLiteLedger, RunID
    ) {
        let ledger = try SQLiteLedger(path: folder.file("\(name).sqlite"))
        let job = Job(
            name: JobName("unit"),
            kind: .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            retries: retries,
            cells: [Cell(id: CellID("c"), device: nil, variant: [])]
        )
        let plan = Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: names.map { TestID($0) }, prepared: [:])],
            workTree: "/"
        )
        let facts = RunFacts.plain("r")
        return (
            ledger, try await ledger.openRun(NewRun(key: "r", facts: facts, plan: plan), now: 0)
        )
    }

    private func claim(_ ledger: SQLiteLedger, _ request: Int) async throws -> Lease? {
        let worker = WorkerID("w\(request % 2)")
        try await ledger.hello(worker, now: 0)
        return try await ledger.claim(worker: worker, request: "\(request)", warm: nil, now: 0)
    }

    /// Returns mostly plain passes; sometimes another ending, a repeated report, or a report of
    /// another lease's test.
    private func reports(
        of lease: Lease,
        _ generator: inout SeededGenerator
    ) -> [TestReport] {
        var reports: [TestReport] = []
        for test in lease.shard.tests {
            let seconds = Double.random(in: 0..<2, using: &generator)
            let started = Int64.random(in: 0..<1_000_000_000_000, using: &generator)
            var report = TestReport(
                test: test,
                ending: .passed,
                seconds: seconds,
                startedAt: started
            )
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: report.ending = .failed("no")
            case 1: report.output = "said"
            case 2: reports.append(report)
            case 3: report.test = TestID("t1")
            case 4: report.test = TestID("nobody's")
            case 5: continue
            default: break
            }
            reports.append(report)
        }
        return reports.shuffled(using: &generator)
    }

    @Test(
        "one message of many reports, or a completion with them, is as many messages of one"
    )
    func equalsOneByOne() async throws {
        var generator = SeededGenerator.announced()
        let odd = ["ä", "it's \"quoted\"\\", "1", "01", "\u{1F4F7} \u{1}"]
        let names = (0..<120).map { "t\($0)" } + odd
        let (together, run) = try await ledger("together", names: names, retries: 1)
        let (single, _) = try await ledger("single", names: names, retries: 1)
        var refusals = 0
        // Ends when both workers find nothing: a test may be kept for the other worker.
        for request in 0..<2_000 where refusals < 2 {
            guard let lease = try await claim(together, request) else {
                refusals += 1
                continue
            }
            refusals = 0
            let same = try #require(try await claim(single, request))
            #expect(lease == same)
            let reports = reports(of: lease, &generator)
            let evidence = LeaseEvidence(job: JobName("unit"), cell: CellID("c"))
            let isLast = Bool.random(using: &generator)
            let received =
                isLast
                ? try await together.complete(
                    lease.token,
                    reports: reports,
                    evidence: evidence,
                    now: 7
                ).answers : try await together.report(lease.token, reports, now: 7).answers
            var answers: [FencedAnswer] = []
            for report in reports {
                answers += try await single.report(same.token, [report], now: 7).answers
            }
            #expect(received == answers)
            for (ledger, token) in [(together, lease.token), (single, same.token)] {
                // Tests without a report end with the lease, like those of a lost worker.
                _ = try await ledger.complete(token, evidence: evidence, now: 8)
            }
        }
        let found = try await together.evidence(run).tests
        #expect(found.map(\.key.test.text) == names)
        #expect(found.allSatisfy { $0.verdict != nil })
        #expect(found == (try await single.evidence(run).tests))
        let counted = try await together.progress(run, now: 9)
        #expect(counted.cells == (try await single.progress(run, now: 9).cells))
        #expect(try await together.finishedRuns() == [run])
    }

    @Test("reports of a lost lease are stale together, and repeats of kept ones are duplicates")
    func fenced() async throws {
        let (ledger, run) = try await ledger("fenced", names: (0..<40).map { "t\($0)" }, retries: 0)
        let lost = try #require(try await claim(ledger, 0))
        let reports = lost.shard.tests.map { TestReport(test: $0, ending: .passed, seconds: 1) }
        _ = try await ledger.release(lost.token, now: 1)
        let answers = try await ledger.report(lost.token, reports, now: 2).answers
        #expect(answers == reports.map { _ in .stale })
        let owner = try #require(try await claim(ledger, 1))
        let own = owner.shard.tests.map { TestReport(test: $0, ending: .passed, seconds: 1) }
        let first = try await ledger.report(owner.token, own, now: 3).answers
        #expect(first == own.map { _ in .accepted })
        let again = try await ledger.report(owner.token, own, now: 4).answers
        #expect(again == own.map { _ in .duplicate })
        let attempts = try await ledger.evidence(run).tests.map(\.attempts.count)
        #expect(attempts.reduce(0, +) == own.count)
    }
}
