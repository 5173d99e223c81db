import FarmCore
import Foundation
import Testing

@Suite("Quarantine")
struct QuarantineTests {
    /// 2026-11-21 08:00 UTC.
    private static let start: Int64 = 1_795_248_000_000

    private func judge(_ builder: EvidenceBuilder, _ entries: [QuarantineEntry]) -> RunSummary {
        var evidence = builder.evidence
        evidence.plan.rules = RunRules(quarantine: entries)
        evidence.startedAt = Self.start
        return RunJudge.judge(evidence).summary
    }

    private func entry(
        test: String? = nil,
        snapshot: String? = nil,
        cell: String? = nil,
        until: String = "2026-12-31"
    ) -> QuarantineEntry {
        QuarantineEntry(test: test, snapshot: snapshot, cell: cell, until: until, reason: "known")
    }

    private func failing() throws -> EvidenceBuilder {
        var builder = EvidenceBuilder()
        builder.add("good", [try EvidenceBuilder.capture("a")], verdict: .passed)
        builder.add("bad", [try EvidenceBuilder.capture("b", "other")], verdict: .changed)
        return builder
    }

    @Test("a bad verdict of a quarantined test is listed with reason and date, and not red")
    func excused() throws {
        let summary = judge(try failing(), [entry(test: "b?d")])
        #expect(summary.state == .passed && summary.exitCode == 0)
        #expect(summary.counts.changed == 1)
        let listed = try #require(summary.quarantined?.first)
        #expect(listed.test == "bad" && listed.verdict == .changed)
        #expect(listed.words == "quarantined until 2026-12-31: known")
    }

    @Test(
        "it holds on its last day, is red on the next with a problem, and only for its cells",
        arguments: [
            ("2026-11-21", nil, RunState.passed, []),
            ("2026-11-20", nil, .failed, ["quarantine-expired"]),
            ("2026-12-31", "c", .passed, []), ("2026-12-31", "d*", .failed, []),
        ] as [(String, String?, RunState, [String])]
    )
    func day(until: String, cell: String?, state: RunState, problems: [String]) throws {
        let summary = judge(try failing(), [entry(test: "bad", cell: cell, until: until)])
        #expect(summary.state == state)
        #expect(summary.problems.map(\.code) == problems)
        #expect((summary.quarantined == nil) == (state == .failed))
    }

    @Test("a picture's entry excuses its test only when nothing else of it is wrong")
    func pictures() throws {
        let entries = [entry(snapshot: "*/S/b")]
        #expect(judge(try failing(), entries).state == .passed)
        var both = EvidenceBuilder()
        both.add(
            "bad",
            [
                try EvidenceBuilder.capture("b", "other"),
                try EvidenceBuilder.capture("d", "other"),
            ],
            verdict: .changed
        )
        #expect(judge(both, entries).state == .failed)
        var own = EvidenceBuilder()
        own.add(
            "bad",
            [try EvidenceBuilder.capture("b", "other")],
            ending: .failed("no"),
            verdict: .failed
        )
        #expect(judge(own, entries).state == .failed)
    }

    @Test("a quarantined picture that nobody made is not missing, another one is")
    func missing() throws {
        var builder = try failing()
        try builder.expect("gone", test: "good")
        let quarantined = [entry(test: "bad"), entry(snapshot: "*/gone")]
        #expect(judge(builder, quarantined).state == .passed)
        #expect(judge(builder, [entry(test: "bad")]).state == .failed)
    }

    @Test("a run with something without a verdict stays incomplete")
    func incomplete() throws {
        var builder = try failing()
        builder.add("never", [], verdict: nil)
        #expect(judge(builder, [entry(test: "*")]).state == .incomplete)
    }
}
