import FarmCore
import Foundation
import Testing

@Suite("Tests that were there before and are not in the plan")
struct VanishedTests {
    private static func lost(_ tests: [String], other: String? = nil) -> LostTests {
        let ids = tests.map { TestID($0) }
        return LostTests(run: "before", other: other, tests: ["snap": ids, "no": ids])
    }

    /// Returns a green run of one test with a reference.
    private static func green(_ mode: RunMode = .verify) throws -> EvidenceBuilder {
        var builder = EvidenceBuilder(mode: mode)
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("a", test: "a")
        return builder
    }

    private static func quarantine(_ pattern: String, until: String) -> RunRules {
        RunRules(quarantine: [QuarantineEntry(test: pattern, until: until, reason: "went")])
    }

    @Test("are red, and named in the problem and the summary")
    func red() throws {
        var builder = try Self.green()
        builder.lost = Self.lost((10...21).map { "gone\($0)" } + ["a"])
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed && summary.exitCode == 1)
        #expect(summary.vanished == ["snap": (10...21).map { "gone\($0)" }])
        let problem = try #require(summary.problems.first)
        #expect(summary.problems.map(\.code) == ["tests-vanished"] && !problem.isNote)
        let words = "job snap: 12 tests of the last complete runs (up to before) vanished"
        #expect(problem.message.hasPrefix(words), "\(problem.message)")
        #expect(
            problem.message.hasSuffix(
                "gone10, gone11, gone12, gone13, gone14, gone15, gone16, gone17, gone18, gone19 and 2 more"
            )
        )
        #expect(RunJudge.judge(builder.evidence).summary == summary)
    }

    @Test("are a note where the job allows it, and of another branch")
    func notes() throws {
        var builder = try Self.green()
        builder.lost = Self.lost(["gone"])
        builder.job.vanished = .accept
        var summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed && summary.vanished == nil)
        #expect(summary.problems.map(\.code) == ["tests-vanished-accepted"])
        #expect(summary.problems.allSatisfy { $0.isNote && $0.message.contains("gone") })
        builder.job.vanished = nil
        builder.lost = Self.lost(["gone"], other: "branch main")
        summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed && summary.vanished == nil)
        #expect(summary.problems.map(\.code) == ["tests-gone"])
        #expect(summary.problems.allSatisfy { $0.isNote && $0.message.contains("branch main") })
    }

    @Test("are no matter for a part, a share, a record run and what is quarantined")
    func exempt() throws {
        var builder = try Self.green()
        builder.lost = Self.lost(["gone"])
        builder.filtered = true
        #expect(RunJudge.judge(builder.evidence).summary.problems.isEmpty)
        builder.filtered = false
        var share = builder.evidence
        share.plan.share = ShardPlace(index: 0, total: 2).map {
            PlanShare(place: $0, history: nil, tests: [[[0]]])
        }
        #expect(RunJudge.judge(share).summary.state == .passed)
        var record = try Self.green(.record)
        record.lost = builder.lost
        #expect(RunJudge.judge(record.evidence).summary.problems.isEmpty)
        builder.rules = Self.quarantine("go*", until: "1970-01-01")
        #expect(RunJudge.judge(builder.evidence).summary.problems.isEmpty)
        builder.rules = Self.quarantine("go*", until: "1969-12-31")
        let codes = RunJudge.judge(builder.evidence).summary.problems.map(\.code)
        #expect(codes == ["tests-vanished", "quarantine-expired"])
    }

    @Test(
        "that own references are told once, as missing pictures, whoever judges",
        arguments: [Judge.farm, .framework]
    )
    func owners(judge: Judge) throws {
        var builder = try Self.green()
        builder.job.judge = judge
        try builder.expect("old", test: "gone")
        builder.lost = Self.lost(["gone"])
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .failed && summary.problems.isEmpty && summary.vanished == nil)
        let old = try #require(summary.snapshots.first { $0.name == "old" })
        #expect(old.verdict == .missing && old.isRed == true)
        #expect(old.words == "its test gone is not in the list of tests any more.")

        builder.job.vanished = .accept
        let accepted = RunJudge.judge(builder.evidence).summary
        #expect(accepted.state == .passed && accepted.problems.isEmpty)
        #expect(accepted.snapshots.first { $0.name == "old" }?.isRed == false)

        builder.job.vanished = nil
        builder.rules = Self.quarantine("gone", until: "1970-01-01")
        #expect(RunJudge.judge(builder.evidence).summary.state == .passed)

        builder.rules = nil
        builder.filtered = true
        #expect(RunJudge.judge(builder.evidence).summary.state == .passed)
    }

    @Test("a picture whose test was never named is made by no test any more")
    func unnamed() throws {
        var builder = try Self.green()
        try builder.expect("old", test: nil)
        let summary = RunJudge.judge(builder.evidence).summary
        let old = try #require(summary.snapshots.first { $0.name == "old" })
        #expect(old.verdict == .missing && old.words == "no test makes it any more.")
    }

    @Test("and whose picture another test makes now have only another name")
    func renamed() throws {
        var builder = EvidenceBuilder()
        builder.add("new", [try EvidenceBuilder.capture("a")], verdict: .passed)
        try builder.expect("a", test: "old")
        builder.lost = Self.lost(["old"])
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.state == .passed && summary.problems.isEmpty)
    }

    @Test("are no part of the plan's identity, and a plan from elsewhere may name only tests")
    func plan() throws {
        var builder = try Self.green()
        let plain = builder.evidence.plan
        builder.lost = Self.lost(["gone"])
        #expect(builder.evidence.plan.digest == plain.digest)
        #expect(PlanMistakes(builder.evidence.plan) == nil)
        builder.lost = Self.lost([""])
        #expect(PlanMistakes(builder.evidence.plan)?.message.contains("lost has a test") == true)
    }
}
