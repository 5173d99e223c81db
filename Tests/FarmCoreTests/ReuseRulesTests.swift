// Tests of the rules by which a run inherits verdicts without being asked.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("The rules of reuse")
struct ReuseRulesTests {
    private static let inputs = ReuseFacts.Inputs(digest: Digest(of: Data("a".utf8)), names: ["a"])
    private static let job = JobName("snap")
    private static let tests = 12

    /// A green run of twelve tests with a picture each, and what is recorded of it.
    private struct First {
        var evidence: RunEvidence
        var facts: ReuseFacts
        var record = ReuseRecord()

        init(_ change: (inout EvidenceBuilder) throws -> Void = { _ in }) throws {
            var builder = EvidenceBuilder()
            builder.job.reuse = .usual
            for number in 0..<ReuseRulesTests.tests {
                let capture = try EvidenceBuilder.capture("p\(number)")
                builder.add("t\(number)", [capture], verdict: .passed)
                try builder.expect("p\(number)", test: "t\(number)")
            }
            try change(&builder)
            evidence = builder.evidence
            evidence.startedAt = 1_000
            facts = ReuseFacts(
                inputs: [ReuseRulesTests.job: ReuseRulesTests.inputs],
                references: evidence.references
            )
            record.add(RunJudge.judge(evidence).summary, evidence, facts)
        }

        /// The evidence of the next run, whose plan inherits, if its tests give the same results.
        func next(_ id: String = "r2") -> RunEvidence {
            var next = evidence
            next.facts.id = id
            next.startedAt = 2_000
            next.plan = evidence.plan.reusing(record, facts)
            let inherited = Set(next.plan.inheritedKeys.map(\.key))
            next.tests.removeAll { inherited.contains($0.key) }
            return next
        }
    }

    private func inheritable(_ plan: Plan) -> Int {
        plan.inherited.map { $0.count + ($0.unchanged?.sample.count ?? 0) } ?? 0
    }

    @Test("what passed is inherited with its run, but for a sample that each run draws anew")
    func inherits() throws {
        var first = try First()
        let plan = first.evidence.plan.reusing(first.record, first.facts)
        #expect(plan.inherited?.count == 7 && inheritable(plan) == 12)
        #expect(plan.inheritedKeys.allSatisfy { $0.run == "r" })
        #expect(plan.inherited?.unchanged?.inputs["snap"]?.first == ["a"])
        #expect(plan == first.evidence.plan.reusing(first.record, first.facts))
        #expect(PlanMistakes(plan) == nil)
        let next = first.next()
        let summary = RunJudge.judge(next).summary
        #expect(summary.state == .passed && summary.counts.inherited == 7)
        #expect(summary.counts.passed == 5 && summary.tests.count == 12)
        let note = summary.problems.first { $0.code == "inherited-unchanged" }
        #expect(note?.message.contains("1 input of job snap (a)") == true, "\(note as Any)")
        first.record.add(summary, next, first.facts)
        #expect(first.record.tests.count == 12 && first.record.fullRun == 1_000)
        #expect(Set(first.record.tests.map(\.run)) == ["r", "r2"])
        let third = first.evidence.plan.reusing(first.record, first.facts)
        let sampled = { (plan: Plan) in plan.inherited?.unchanged?.sample.map(\.key) }
        #expect(sampled(third) != sampled(plan))
        #expect(first.record.counts.map(\.inherited) == [7, 0] && first.record.total.sampled == 5)
    }

    private typealias Change = @Sendable (inout Plan, inout ReuseFacts) throws -> Void
    private static let cell = CellID("c")

    private static func reference(_ name: String, _ text: String) throws -> Reference {
        Reference(id: try EvidenceBuilder.id(name), objectID: ObjectID(ofBlob: Data(text.utf8)))
    }

    private static let changes: [(String, Int, Change)] = [
        ("nothing", 12, { _, _ in }),
        ("another sample", 12, { plan, _ in plan.jobs[0].job.reuse?.samplePercent = 40 }),
        ("a new test", 12, { plan, _ in plan.jobs[0].tests.append(TestID("new")) }),
        ("an input", 0, { _, facts in facts.inputs[job]?.digest = Digest(of: Data("b".utf8)) }),
        ("unknown inputs", 0, { _, facts in facts.inputs = [:] }),
        ("a setting", 0, { plan, _ in plan.jobs[0].job.env = ["A": "b"] }),
        ("the pipeline", 0, { plan, _ in plan.pipeline = "q" }),
        ("no rule", 0, { plan, _ in plan.jobs[0].job.reuse = nil }),
        ("a part", 0, { plan, _ in plan.filtered = true }),
        ("a record run", 0, { plan, _ in plan.mode = .record }),
        ("repeats", 0, { plan, _ in plan.rules = RunRules(repeats: 2) }),
        (
            "a quarantined test", 11,
            { plan, _ in
                let entry = QuarantineEntry(test: "t3", until: "2036-12-31", reason: "r")
                plan.rules = RunRules(quarantine: [entry])
            }
        ),
        (
            "a quarantined picture", 11,
            { plan, _ in
                let entry = QuarantineEntry(snapshot: "*/p3", until: "2036-12-31", reason: "r")
                plan.rules = RunRules(quarantine: [entry])
            }
        ),
        (
            "the reference of one picture", 11,
            { _, facts in
                facts.references[cell]?.references[0] = try reference("p0", "other")
            }
        ),
        (
            "an alternate of one picture", 11,
            { _, facts in
                let other = ObjectID(ofBlob: Data("other".utf8))
                facts.references[cell]?.references[0].alternates = [other]
            }
        ),
        (
            "a reference that is gone", 11,
            { _, facts in facts.references[cell]?.references.remove(at: 4) }
        ),
        (
            "a new reference of a test", 11,
            { _, facts in
                facts.references[cell]?.references.append(try reference("q", "new"))
                facts.references[cell]?.suites["S"]?.tests["S/q"] = TestID("t5")
            }
        ),
        (
            "a new reference without a test", 0,
            { _, facts in facts.references[cell]?.references.append(try reference("q", "new")) }
        ),
    ]

    @Test("what may change a verdict makes its tests run, and nothing else does", arguments: 0..<18)
    func changed(_ number: Int) throws {
        let (name, expected, change) = Self.changes[number]
        let first = try First()
        var (plan, facts) = (first.evidence.plan, first.facts)
        try change(&plan, &facts)
        #expect(inheritable(plan.reusing(first.record, facts)) == expected, "\(name)")
    }

    @Test("only a test that passed with one picture is recorded, and only of a whole run")
    func recorded() throws {
        let first = try First { builder in
            let other = try EvidenceBuilder.capture("q", "other")
            builder.add("failed", [], ending: .failed("no"), verdict: .failed)
            builder.add("changed", [other], verdict: .changed)
            builder.add("flaky", [], verdict: .flaky)
            builder.add("skipped", [], ending: .skipped("why"), verdict: .passed)
            let takes = [[try EvidenceBuilder.capture("r", "first")]]
            let last = try EvidenceBuilder.capture("r")
            builder.add("unsteady", [last], verdict: .passed, earlier: takes)
        }
        #expect(first.record.tests.map(\.key.test.text) == (0..<12).map { "t\($0)" }.sorted())
        let renderer = ["browser": "1"]
        let lease = LeaseEvidence(job: Self.job, cell: Self.cell, renderer: renderer)
        #expect(try First { $0.leases = [lease] }.record.tests.isEmpty)
        #expect(try First { $0.filtered = true }.record == ReuseRecord())
        #expect(try First { $0.mode = .record }.record == ReuseRecord())
        #expect(try First { $0.add("open", [], verdict: nil) }.record == ReuseRecord())
    }

    private typealias FileChange = @Sendable (inout ReuseFacts, inout ReusedTest) -> Void
    private static let fileChanges: [(String, Int, FileChange)] = [
        ("nothing", 12, { _, _ in }),
        ("a file of all", 0, { facts, _ in facts.contents["all.css"] = "file b" }),
        ("a file of one", 11, { facts, _ in facts.contents["t3"] = "file b" }),
        ("a file that is unknown", 11, { facts, _ in facts.contents["t3"] = nil }),
        (
            "an entry", 11,
            { facts, _ in facts.inputs[job]?.entries?[TestID("t4")] = Digest(of: Data()) }
        ),
        (
            "an entry that is gone", 11,
            { facts, _ in facts.inputs[job]?.entries?[TestID("t4")] = nil }
        ),
        ("no entries", 0, { facts, _ in facts.inputs[job]?.entries = nil }),
        ("a list without a file", 11, { _, test in test.files = ["all.css"] }),
        ("no list", 11, { _, test in test.files = nil }),
    ]

    /// The facts of a job whose driver records the files of each test.
    private static func recording(_ first: First) -> ReuseFacts {
        var facts = first.facts
        let entries = (0..<tests).map { (TestID("t\($0)"), Digest(of: Data("e\($0)".utf8))) }
        facts.inputs[job]?.entries = Dictionary(uniqueKeysWithValues: entries)
        facts.contents = ["all.css": "file a", "gone": "none"]
        for number in 0..<tests { facts.contents["t\(number)"] = "file \(number)" }
        return facts
    }

    /// Records the files that each test of a run read.
    private static func record(_ first: inout First, _ facts: ReuseFacts) {
        for place in first.evidence.tests.indices {
            guard case .reported(var report) = first.evidence.tests[place].attempts[0].outcome
            else { continue }
            let files = ["all.css", "gone", report.test.text]
            report.inputs = RecordedInputs(files: files, unknown: place == 0 ? "a socket" : nil)
            first.evidence.tests[place].attempts[0].outcome = .reported(report)
        }
        first.record.add(RunJudge.judge(first.evidence).summary, first.evidence, facts)
    }

    @Test("the files that a test read decide, and nothing is recorded of what is unknown")
    func files() throws {
        var first = try First()
        let facts = Self.recording(first)
        Self.record(&first, facts)
        #expect(first.record.tests.count == 11 && first.record.tests[0].key.test.text == "t1")
        #expect(first.record.tests[0].files == ["all.css", "gone", "t1"])
        for (name, expected, change) in Self.fileChanges {
            var (changed, record) = (facts, first.record)
            let place = try #require(record.tests.firstIndex { $0.key.test.text == "t5" })
            change(&changed, &record.tests[place])
            let count = inheritable(first.evidence.plan.reusing(record, changed))
            #expect(count == max(0, expected - 1), "\(name)")
        }
        let plan = first.evidence.plan.reusing(first.record, facts)
        #expect(plan.inherited?.unchanged?.inputs["snap"]?.first.contains("all.css") == true)
        var history = RunHistory(runs: 3)
        history.reuse = first.record
        #expect(try RunHistory(parsing: Data(history.text.utf8)) == history)
        #expect(history.text.components(separatedBy: "all.css").count == 12)
    }

    @Test("a run of all tests is made again after a day, or if the clock was set back")
    func age() throws {
        let record = try First().record
        let day: Int64 = 86_400_000
        let ages = [999, 1_000, 1_000 + day, 1_001 + day].map { record.isYoung(now: $0) }
        #expect(ages == [false, true, true, false])
        #expect(!ReuseRecord().isYoung(now: 0))
    }

    /// Another picture that its policy allows, or that is not as expected.
    private static func other(_ test: TestID, passes: Bool) throws -> CaptureReport {
        let name = "p" + test.text.dropFirst()
        var capture = try EvidenceBuilder.capture(name, "other")
        guard passes, let difference = capture.comparison?.difference else { return capture }
        capture.comparison = .withinTolerance(difference)
        return capture
    }

    @Test(
        "a sampled test that differs makes the run red and ends reuse until all tests are green",
        arguments: [true, false]
    )
    func lie(passes: Bool) throws {
        var first = try First()
        var next = first.next()
        next.plan.inherited?.unchanged?.suspects = ["x/hidden", "y"]
        let sampled = try #require(next.tests.first?.key)
        let report = TestReport(
            test: sampled.test,
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: [try Self.other(sampled.test, passes: passes)])
        )
        next.tests[0].attempts = [Attempt(worker: WorkerID("w"), outcome: .reported(report))]
        next.tests[0].verdict = passes ? .passed : .changed
        let summary = RunJudge.judge(next).summary
        #expect(summary.state == .failed && summary.exitCode == 1)
        let problem = summary.problems.first { $0.code == Problem.inputMissingCode }
        #expect(problem?.about == "snap" && problem?.isNote == false)
        #expect(problem?.message.contains("\(sampled.test) on c differed") == true)
        #expect(problem?.message.contains("x/hidden, y") == true, "\(problem as Any)")
        first.record.add(summary, next, first.facts)
        #expect(first.record.off == [Self.job] && first.record.total.differed == 1)
        #expect(first.evidence.plan.reusing(first.record, first.facts).inherited == nil)
        var full = first.evidence
        full.tests[0].verdict = .failed
        first.record.add(RunJudge.judge(full).summary, full, first.facts)
        #expect(first.record.off == [Self.job], "a red run")
        first.record.add(RunJudge.judge(first.evidence).summary, first.evidence, first.facts)
        #expect(first.record.off.isEmpty && inheritable(first.next().plan) == 12)
    }

    @Test("a sampled test without a verdict, or a flaky one, shows nothing")
    func shown() throws {
        let first = try First()
        for verdict in [Verdict.flaky, nil] {
            var next = first.next()
            next.tests[0].verdict = verdict
            let problems = RunJudge.judge(next).summary.problems
            #expect(!problems.contains { $0.code == Problem.inputMissingCode })
        }
    }

    @Test("a record that was changed at any place is no record, and the rest of the history is")
    func damaged() throws {
        var random = SeededGenerator.announced("ReuseRulesTests.damaged")
        var history = RunHistory(runs: 3)
        history.tests[HistoryFixture.key("t")] = TestHistory(samples: [5], seen: 3)
        history.reuse = try First().record
        let text = history.text
        #expect(try RunHistory(parsing: Data(text.utf8)) == history)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let place = try #require(lines.firstIndex { $0.hasPrefix("\"reuse\":") })
        let digits = Array("0123456789abcdef".utf8)
        var read = 0
        for _ in 0..<300 {
            var changed = lines.map { Array($0.utf8) }
            let index = Int.random(in: 10..<changed[place].count - 1, using: &random)
            let new = digits.randomElement(using: &random) ?? 0
            guard changed[place][index] != new else { continue }
            changed[place][index] = new
            let bytes = Data(changed.joined(separator: [10]))
            guard let other = try? RunHistory(parsing: bytes) else { continue }
            read += 1
            #expect(other.reuse == nil && other.tests == history.tests)
        }
        #expect(read > 100)
    }

    @Test("a record over its limit loses its last tests, and the commits that no test needs")
    func bounded() throws {
        var record = ReuseRecord()
        let digest = Digest(of: Data())
        for number in 0..<70_000 {
            let key = HistoryFixture.key(String(format: "test/%06d", number))
            var test = ReusedTest(
                key: key,
                digest: digest,
                run: number < 9 ? "a" : "b",
                pictures: [:]
            )
            test.files = number.isMultiple(of: 9) ? nil : ["all.css", "p/\(number / 6).html"]
            record.tests.append(test)
        }
        let first = try First()
        var bounded = first.record
        bounded.tests = record.tests
        bounded.commits = ["a": "1", "b": "2", "c": "3"]
        var history = RunHistory()
        history.reuse = bounded
        history.reuse?.shrink()
        #expect(history.text.utf8.count <= FarmLimits.reuseBytesMax)
        #expect((20_000..<70_000).contains(history.reuse?.tests.count ?? 0))
        #expect(history.reuse?.commits == ["a": "1", "b": "2"])
    }
}
