// Tests of the problem about screens without pictures.
import FarmCore
import Foundation
import Testing

@Suite("screens that should have pictures")
struct ScreenCoverageTests {
    private func judged(
        _ screens: [String]?,
        filtered: Bool = false
    ) throws -> (RunSummary, Problem?) {
        var builder = EvidenceBuilder()
        builder.filtered = filtered
        builder.add("a", [try EvidenceBuilder.capture("a")], verdict: .passed)
        builder.add("b", [try EvidenceBuilder.capture("b", reference: nil)], verdict: .new)
        try builder.expect("a", test: "a")
        // The reference's test ended without this picture.
        try builder.expect("gone", test: "a")
        var evidence = builder.evidence
        evidence.plan.screens = screens
        let summary = RunJudge.judge(evidence).summary
        return (summary, summary.problems.first { $0.code == "screens-without-pictures" })
    }

    @Test("a run names the screens without a picture, and is no redder for it")
    func named() throws {
        let (plain, nothing) = try judged(nil)
        let (summary, problem) = try judged(["S/a", "S/b", "S/c", "S/gone"])
        #expect(nothing == nil)
        #expect(problem?.message == "2 of 4 screens have pictures; without: S/c, S/gone.")
        #expect(problem?.isNote == true)
        #expect(summary.state == plain.state && summary.exitCode == plain.exitCode)
        #expect(try judged(["S/a", "S/b"]).1 == nil)
        #expect(try judged(["S/c"], filtered: true).1 == nil)
    }

    @Test("a long list is counted, not recited")
    func long() throws {
        let (_, problem) = try judged((0..<100).map { "S/\($0)" } + ["S/a"])
        let words = try #require(problem).message
        #expect(words.hasPrefix("1 of 101 screens has a picture; without: S/0, S/1, "))
        #expect(words.hasSuffix("S/19 and 80 more."))
    }

    @Test("a file names a screen on each line, each once, without comments")
    func lines() {
        let list = ScreenList(lines: "# all\nCart/empty\r\n\n  Cart/full \nCart/empty\n")
        #expect(list.names == ["Cart/empty", "Cart/full"])
    }

    @Test("a plan with names that no pipeline file can hold is refused")
    func mistakes() throws {
        var plan = EvidenceBuilder().evidence.plan
        plan.screens = ["S/a", "line\nbreak"]
        #expect(PlanMistakes(plan)?.message.contains("a name of screens") == true)
        plan.screens = (0...FarmLimits.screensMax).map { "S/\($0)" }
        #expect(PlanMistakes(plan)?.message.contains("screens") == true)
    }
}
