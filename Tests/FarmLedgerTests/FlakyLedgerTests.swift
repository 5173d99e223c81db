// Tests of finding flaky tests in a real ledger with several runs.
import FarmCore
import FarmTesting
import GRDB
import LedgerConformance
import Testing

@testable import FarmLedger

@Suite("flaky tests of a ledger")
struct FlakyLedgerTests {
    private let folder: TemporaryFolder
    private let ledger: SQLiteLedger
    private let bench: LedgerBench

    init() throws {
        folder = try TemporaryFolder("flaky")
        let ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        self.ledger = ledger
        bench = LedgerBench { ledger }
    }

    /// Runs t0, t1 … to the end.
    ///
    /// A test's name and its number of attempts in this run decide its ending.
    private func run(
        _ id: String,
        commit: String = "",
        retries: Int = 0,
        at now: Int64,
        earlierFailure: String? = nil,
        branch: String = "",
        ending: (TestID, Int) -> TestEnding
    ) async throws {
        let plan = LedgerBench.plan(tests: 4, cells: 2, retries: retries)
        var facts = RunFacts.plain(id, planDigest: plan.digest.description)
        facts.commit = commit
        facts.branch = branch
        let run = try await ledger.openRun(NewRun(key: id, facts: facts, plan: plan), now: now)
        var ran: [String: Int] = [:]
        var claims = 0
        while let lease = try await bench.claim("w", "\(id) \(claims)", now: now) {
            claims += 1
            let reports = lease.shard.tests.map { test in
                let key = "\(lease.shard.cell.id) \(test)"
                defer { ran[key, default: 0] += 1 }
                return TestReport(
                    test: test,
                    ending: ending(test, ran[key] ?? 0),
                    seconds: 0.1,
                    earlierFailure: test == TestID("t1") ? earlierFailure : nil
                )
            }
            _ = try await bench.complete(lease, reporting: reports, now: now)
        }
        let judged = try await bench.judgement(run, .failed)
        try await ledger.close(run, judged: judged, now: now + 1)
    }

    @Test("tests are flaky by their attempts, told with workers and messages, newest run first")
    func attempts() async throws {
        for number in 1...3 {
            try await run("r\(number)", retries: 2, at: Int64(number) * 1_000) { test, ran in
                test == TestID("t1") && ran == 0 ? .failed("no \(number)") : .passed
            }
        }
        let found = try await ledger.flaky(FlakyQuestion(pipeline: "p", runs: 50))
        #expect(found.runs == 3)
        #expect(found.tests.map(\.test) == [TestID("t1"), TestID("t1")])
        #expect(found.tests.map(\.cell.text) == ["c0", "c1"])
        let test = try #require(found.tests.first)
        #expect(test.runs == 3 && test.flakyRuns == 3 && test.disputedCommits == 0)
        #expect(test.evidence.map(\.run.text) == ["r3", "r2", "r1"])
        let attempts = try #require(test.evidence.first).attempts
        #expect(attempts.map(\.ending) == ["failed", "passed"])
        #expect(attempts.first?.message == "no 3" && attempts.first?.worker == WorkerID("w"))

        // The same answer is read from the file while the ledger has it open.
        let question = FlakyQuestion(pipeline: nil, runs: 2)
        let read = try SQLiteLedger.flaky(inFileAt: folder.file("ledger.sqlite"), question)
        #expect(read.runs == 2 && read.tests.first?.flakyRuns == 2)
        let other = try await ledger.flaky(FlakyQuestion(pipeline: "q", runs: 50))
        #expect(other.runs == 0 && other.tests == [])
    }

    @Test("histories are read a run at a time, however many tests may be flaky")
    func statements() async throws {
        for number in 1...2 {
            try await run("r\(number)", retries: 2, at: Int64(number) * 1_000) { _, ran in
                ran == 0 ? .failed("no") : .passed
            }
        }
        let database = try DatabaseQueue(path: folder.file("ledger.sqlite"))
        try await database.read { db in
            var statements = 0
            db.trace { _ in statements += 1 }
            let found = try SQLiteLedger.flaky(db, FlakyQuestion(pipeline: "p", runs: 50))
            db.trace(nil)
            #expect(found.tests.count == 8)
            let attempts = found.tests.flatMap(\.evidence).map(\.attempts.count)
            #expect(attempts == Array(repeating: 2, count: 16))
            #expect(statements <= 2 + 5 * 2, "\(statements)")
        }
    }

    @Test("a test that passed only when its own tool ran it again is flaky in one attempt")
    func repeatedByItsTool() async throws {
        try await run("r1", at: 1_000, earlierFailure: "once") { _, _ in .passed }
        let found = try await ledger.flaky(FlakyQuestion(pipeline: "p", runs: 50))
        #expect(found.tests.map(\.test) == [TestID("t1"), TestID("t1")])
        let attempts = try #require(found.tests.first?.evidence.first).attempts
        #expect(attempts.map(\.ending) == ["passed"])
        #expect(attempts.map(\.message) == ["failed first: once"])
    }

    @Test("a test that passed one run of a commit and failed another is flaky, a broken one is not")
    func commits() async throws {
        let runs = [
            ("r1", "aaa", ["t0", "t1"]), ("r2", "aaa", ["t0"]), ("r3", "bbb", ["t0", "t2"]),
        ]
        for (number, (id, commit, failing)) in runs.enumerated() {
            try await run(id, commit: commit, at: Int64(number) * 1_000) { test, _ in
                failing.contains(test.text) ? .failed("no") : .passed
            }
        }
        let found = try await ledger.flaky(FlakyQuestion(pipeline: nil, runs: 50))
        #expect(found.tests.map(\.test.text) == ["t1", "t1"])
        #expect(found.tests.first?.disputedCommits == 1)
        #expect(found.tests.first?.evidence.map(\.verdict) == [.passed, .failed])
    }

    @Test("a test that fails and passes again is flaky, with its hosts and the farm's faults")
    func mended() async throws {
        try await ledger.hello(WorkerID("w"), now: 0)
        try await ledger.setHost(WorkerID("w"), on: "boot", now: 0)
        for number in 1...5 {
            // A day each.
            try await run("r\(number)", at: Int64(number) * 86_400_000, branch: "main") { test, _ in
                test == TestID("t1") && number % 2 == 0 ? .failed("no") : .passed
            }
        }
        let found = try await ledger.flaky(FlakyQuestion(pipeline: "p", runs: 50))
        #expect(found.tests.map(\.test.text) == ["t1", "t1"])
        let test = try #require(found.tests.first)
        #expect(test.mendedFailures == 2 && test.times == 2 && test.hosts == 1)
        #expect(test.evidence.map(\.run.text) == ["r4", "r2"])
        #expect(test.evidence.first?.attempts.first?.host == "boot")
        try await DatabaseQueue(path: folder.file("ledger.sqlite")).write { db in
            try db.execute(
                sql: "INSERT INTO incident VALUES ('r4', 'worker-lost', '', x'7b7d', 0)"
            )
        }
        let faulty = try await ledger.flaky(FlakyQuestion(pipeline: "p", runs: 50))
        #expect(faulty.tests.first?.evidence.map(\.fault) == ["worker-lost", nil])
        #expect(faulty.tests.first?.times == 1)
    }

    @Test("the clean runs of an entry are those of the newest run that counted them")
    func cleanRuns() async throws {
        var keys: [String] = []
        for (number, count) in [1, 2, nil].enumerated() {
            var plan = LedgerBench.plan(tests: 1)
            let entry = QuarantineEntry(
                test: "t0",
                until: "2999-12-31",
                reason: "r",
                cleanRuns: 9
            )
            keys = [entry.key]
            plan.rules = RunRules(quarantine: count == nil ? [] : [entry])
            var facts = RunFacts.plain("r\(number)", planDigest: plan.digest.description)
            facts.pipeline = "p"
            let now = Int64(number) * 1_000
            let run = try await ledger.openRun(
                NewRun(key: "r\(number)", facts: facts, plan: plan),
                now: now
            )
            var judged = try await bench.judgement(run, .passed)
            judged.summary.cleanRuns?[0].count = count ?? 0
            try await ledger.close(run, judged: judged, now: now + 1)
        }
        #expect(try await ledger.cleanRuns(of: "p", keys: [keys[0], "x"]) == [keys[0]: 2])
        #expect(try await ledger.cleanRuns(of: "q", keys: [keys[0]]) == [:])
    }
}
