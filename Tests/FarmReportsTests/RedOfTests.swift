// Tests that a run of what is red says, together with what it inherits, what a whole run would say.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("A run of what is red")
struct RedOfTests {
    private static let runs = 500

    /// Returns a random whole run of a known and clean commit.
    private func first(_ random: inout SeededGenerator) throws -> RunEvidence {
        while true {
            var evidence = try RejudgementTests().run(&random)
            guard !evidence.plan.filtered else { continue }
            evidence.facts.modified = false
            evidence.facts.filtered = false
            for planned in evidence.plan.jobs {
                for cell in planned.job.cells where Int.random(in: 0..<12, using: &random) == 0 {
                    evidence.leases.append(
                        LeaseEvidence(
                            job: planned.job.name,
                            cell: cell.id,
                            problem: Problem(code: "flood", message: "m", remedy: "r")
                        )
                    )
                }
            }
            nameTests(&evidence, &random)
            return evidence
        }
    }

    /// Makes the records of suites name the tests of some pictures.
    private func nameTests(_ evidence: inout RunEvidence, _ random: inout SeededGenerator) {
        for test in evidence.tests {
            for capture in test.report?.pictures.captures ?? []
            where Bool.random(using: &random) {
                let id = capture.capture.id
                guard var known = evidence.references[id.cell] else { continue }
                var suite =
                    known.suites[id.firstFolder]
                    ?? SuiteRecord(job: test.key.job, renderer: [:], tests: [:])
                guard suite.job == test.key.job else { continue }
                suite.tests["\(id.suite)/\(id.name)"] = test.key.test
                known.suites[id.firstFolder] = suite
                evidence.references[id.cell] = known
            }
        }
    }

    private func red(_ evidence: RunEvidence, otherCode: Bool = false) throws -> Plan {
        let earlier = EarlierRun(
            plan: evidence.plan,
            summary: RunJudge.judge(evidence).summary,
            leases: evidence.leases
        )
        var plan = evidence.plan
        plan.inherited = nil
        return try plan.red(of: earlier, evidence.facts, allowsOtherCode: otherCode)
    }

    /// Returns the evidence of a run of all tests after `first`, in which the tests that are not in
    /// `kept` have other results.
    private func second(
        _ first: RunEvidence,
        but kept: Set<TestKey>,
        _ random: inout SeededGenerator
    ) -> RunEvidence {
        var second = first
        second.facts.id = "run-2"
        second.leases = []
        for index in second.tests.indices where !kept.contains(second.tests[index].key) {
            let choice = Int.random(in: 0..<4, using: &random)
            guard choice > 0 else { continue }
            let key = second.tests[index].key
            var pictures = second.tests[index].report?.pictures.captures ?? []
            for place in pictures.indices {
                guard let object = pictures[place].reference else { continue }
                pictures[place].capture.objectID = object
                pictures[place].comparison = .identicalBytes
                pictures[place].problem = nil
            }
            let report = TestReport(
                test: key.test,
                ending: choice == 1 ? .failed("no") : .passed,
                seconds: 1,
                pictures: PictureReports(captures: choice == 3 ? [] : pictures)
            )
            second.tests[index].attempts = [
                Attempt(worker: WorkerID("w"), outcome: .reported(report))
            ]
            second.tests[index].verdict = choice == 1 ? .failed : .passed
        }
        return RejudgementTests().withReferences(second)
    }

    @Test("says with what it inherits what a run of all tests says, in 500 random runs")
    func union() throws {
        var random = SeededGenerator.announced("RedOfTests.union")
        var inherited = 0
        var turned = 0
        for number in 0..<Self.runs {
            let first = try first(&random)
            let plan = try red(first)
            let kept = Set(plan.inheritedKeys.map(\.key))
            let whole = second(first, but: kept, &random)
            var part = whole
            part.plan = plan
            part.tests.removeAll { kept.contains($0.key) }
            #expect(part.tests.map(\.key) == plan.shareKeys, "run \(number)")
            let expected = RunJudge.judge(whole).summary
            let found = RunJudge.judge(part).summary
            #expect(found.state == expected.state, "run \(number)")
            #expect(found.exitCode == expected.exitCode, "run \(number)")
            #expect(found.counts.planned == expected.counts.planned, "run \(number)")
            #expect(found.counts.inherited == kept.count, "run \(number)")
            for (row, other) in zip(found.tests, expected.tests) {
                #expect(row.test == other.test && row.cell == other.cell)
                if row.verdict == .inherited {
                    #expect(other.verdict == .passed && !other.skipped, "run \(number): \(other)")
                    #expect(row.inheritedFrom == "run-1" && row.seconds == 0)
                } else {
                    #expect(row.verdict == other.verdict, "run \(number): \(other)")
                    #expect(row.inheritedFrom == nil)
                }
            }
            let open = { (summary: RunSummary) in summary.openPictures.map(\.id) }
            #expect(open(found) == open(expected), "run \(number)")
            #expect(found.changes == expected.changes, "run \(number)")
            inherited += kept.count
            if expected.state != RunJudge.judge(first).summary.state { turned += 1 }
            guard found.state == expected.state, open(found) == open(expected) else { return }
        }
        // Otherwise the tests above say nothing.
        #expect(inherited > Self.runs && turned > Self.runs / 20, "\(inherited), \(turned)")
    }

    @Test("runs all again of a job on a cell with a doubtful lease, and of a job without pictures")
    func doubtful() throws {
        var random = SeededGenerator.announced("RedOfTests.doubtful")
        var leases = 0
        var jobs = 0
        for number in 0..<100 {
            var first = try first(&random)
            let inherited = try red(first).inheritedKeys.map(\.key)
            for lease in first.leases where lease.problem != nil {
                leases += 1
                let again = inherited.allSatisfy { $0.job != lease.job || $0.cell != lease.cell }
                #expect(again, "run \(number)")
            }
            first.leases = []
            first.references = [:]
            for index in first.tests.indices {
                let report = TestReport(
                    test: first.tests[index].key.test,
                    ending: .passed,
                    seconds: 1
                )
                first.tests[index].attempts = [
                    Attempt(worker: WorkerID("w"), outcome: .reported(report))
                ]
                first.tests[index].verdict = .passed
            }
            let problems = RunJudge.judge(first).summary.problems
            let without = problems.filter { $0.code == "no-pictures" }.compactMap(\.about)
            jobs += without.count
            let passed = try red(first).inheritedKeys.map(\.key.job.text)
            #expect(Set(passed).isDisjoint(with: without), "run \(number)")
        }
        #expect(leases > 0 && jobs > 0)
    }

    @Test("names the run that really ran a test, however often verdicts were inherited since")
    func chain() throws {
        var random = SeededGenerator.announced("RedOfTests.chain")
        for number in 0..<100 {
            let first = try first(&random)
            let plan = try red(first)
            var part = second(first, but: Set(plan.inheritedKeys.map(\.key)), &random)
            part.plan = plan
            part.tests.removeAll { Set(plan.inheritedKeys.map(\.key)).contains($0.key) }
            let again = try red(part)
            let sources = Dictionary(
                again.inheritedKeys.map { ($0.key, $0.run) },
                uniquingKeysWith: { first, _ in first }
            )
            #expect(again.inherited?.run == "run-2", "run \(number)")
            for (key, _) in plan.inheritedKeys {
                #expect(sources[key] ?? "run-1" == "run-1", "run \(number): \(key)")
            }
            let rest = sources.filter { part.tests.map(\.key).contains($0.key) }
            #expect(rest.allSatisfy { $0.value == "run-2" }, "run \(number)")
        }
    }

    @Test("is never green with verdicts that may be of other code, and hands none of them on")
    func otherCode() throws {
        var random = SeededGenerator.announced("RedOfTests.otherCode")
        for number in 0..<100 {
            var first = try first(&random)
            first.facts.modified = true
            #expect(throws: RedOfError.otherCode("run-1", .modifiedNow)) { try red(first) }
            let plan = try red(first, otherCode: true)
            let kept = Set(plan.inheritedKeys.map(\.key))
            var part = second(first, but: kept, &random)
            part.plan = plan
            part.tests.removeAll { kept.contains($0.key) }
            let judged = RunJudge.judge(part).summary
            #expect(judged.state != .passed && judged.exitCode != 0, "run \(number)")
            #expect(judged.problems.contains { $0.code == "inherited-other-code" && !$0.isNote })
            part.facts.modified = false
            for isAllowed in [false, true] {
                let next = Set(try red(part, otherCode: isAllowed).inheritedKeys.map(\.key))
                #expect(next.isDisjoint(with: kept), "run \(number), allowed: \(isAllowed)")
            }
        }
    }

    @Test("is refused for another plan or another code, with the difference")
    func refused() throws {
        var random = SeededGenerator.announced("RedOfTests.refused")
        var first = try first(&random)
        first.plan.rules = nil
        let earlier = EarlierRun(
            plan: first.plan,
            summary: RunJudge.judge(first).summary,
            leases: []
        )
        func words(_ change: (inout Plan, inout RunFacts) -> Void) -> String {
            var plan = first.plan
            var facts = first.facts
            change(&plan, &facts)
            do {
                _ = try plan.red(of: earlier, facts, allowsOtherCode: false)
                return ""
            } catch {
                return error.message
            }
        }
        func plan(_ change: (inout Plan) -> Void) -> String { words { plan, _ in change(&plan) } }
        func facts(_ change: (inout RunFacts) -> Void) -> String { words { change(&$1) } }
        #expect(plan { _ in } == "")
        #expect(plan { $0.rules = RunRules(repeats: 3, failsFast: true) } == "")
        #expect(plan { $0.jobs[0].tests.reverse() } == "")
        #expect(plan { $0.jobs[0].tests.append(TestID("S/new")) }.contains("other tests"))
        #expect(plan { $0.jobs[0].job.retries = 7 }.contains("other settings"))
        #expect(plan { $0.jobs[0].job.cells.removeFirst() }.contains("other devices"))
        #expect(plan { $0.screens = ["Cart"] }.contains("other rules"))
        #expect(plan { $0.mode = .record }.contains("record"))
        #expect(plan { $0.filtered = true }.contains("part"))
        #expect(facts { $0.commit = "decade" }.contains("commit c0ffee, and this is decade"))
        #expect(facts { $0.commit = "" }.contains("is not known"))
        #expect(facts { $0.modified = nil }.contains("differ"))
    }

    @Test("with impossible inherited tests is no plan")
    func impossible() throws {
        var random = SeededGenerator.announced("RedOfTests.impossible")
        let plan = try red(try first(&random))
        func mistakes(_ change: (inout InheritedTests) -> Void) -> String {
            var other = plan
            other.inherited = InheritedTests(run: "run-1", isOfOtherCode: false, sources: [])
            let none = plan.jobs.map { $0.job.cells.map { _ in [Int]() } }
            other.inherited?.sources = [InheritedTests.Source(run: "run-1", tests: none)]
            if var inherited = other.inherited {
                change(&inherited)
                other.inherited = inherited
            }
            return PlanMistakes(other)?.message ?? ""
        }
        #expect(mistakes { _ in }.contains("inherited") == false)
        #expect(mistakes { $0.sources[0].tests[0][0] = [0, 0] }.contains("inherited.tests"))
        #expect(mistakes { $0.sources[0].tests[0][0] = [-1] }.contains("inherited.tests"))
        #expect(mistakes { $0.sources[0].tests[0] = [] }.contains("inherited.tests"))
        #expect(mistakes { $0.sources[0].tests = [] }.contains("inherited.tests"))
        #expect(mistakes { $0.sources[0].run = "../x" }.contains("names no run"))
        #expect(mistakes { $0.sources += $0.sources }.contains("names no run"))
        var record = plan
        record.mode = .record
        #expect(PlanMistakes(record)?.message.contains("record run inherits") == true)
    }

    @Test("counts inherited tests apart in every document")
    func documents() throws {
        var summary = Fixture.green()
        let ran = try #require(summary.tests.first { !$0.skipped })
        var other = ran
        other.test += "2"
        other.verdict = .inherited
        other.inheritedFrom = "run-0"
        (other.attempts, other.seconds, other.worker) = (0, 0, "")
        summary.tests = [ran, other]
        summary.counts = VerdictCounts()
        for test in summary.tests { summary.counts.add(test.verdict) }
        let terminal = TerminalSummary.render(summary, style: .plain, width: 100)
        #expect(terminal.hasPrefix("passed: 1 test as expected, 1 inherited."), "\(terminal)")
        #expect(terminal.contains("passed  inherited"), "\(terminal)")
        let report = MarkdownReport.render(summary, limitBytes: 60_000)
        #expect(report.contains("|planned|inherited|passed|\n|---:|---:|---:|\n|2|1|1|"))
        let junit = JUnitReport.render(summary)
        #expect(junit.contains("<skipped message=\"inherited: it passed in run run-0\"/>"))
        #expect(junit.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""))
        let json = String(decoding: try SummaryJSON.encode(summary), as: UTF8.self)
        #expect(json.contains("\"inherited\" : 1") && json.contains("\"inheritedFrom\":"))
        #expect(try SummaryJSON.decode(Data(json.utf8)) == summary)
        let page = HTMLReport.render(summary)
        #expect(page.contains("Inherited, did not run <small>1</small>"))
        #expect(page.contains("passed in run run-0"))
        let japanese = HTMLReport.render(summary, language: .japanese)
        #expect(japanese.contains("引き継いだ判定（実行していません） <small>1</small>"))
        #expect(CommitStatus(summary, page: nil).description == "1 passed, 1 inherited")
        var history = RunHistory()
        history.add(summary)
        #expect(history.tests.count == 1, "an inherited verdict has no time")
    }
}
