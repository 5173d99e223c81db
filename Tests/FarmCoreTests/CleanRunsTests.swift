import FarmCore
import Foundation
import Testing

@Suite("A quarantine that ends after clean runs")
struct CleanRunsTests {
    private static let entry = QuarantineEntry(
        test: "t*",
        until: "2999-12-31",
        reason: "known",
        cleanRuns: 3
    )

    /// Judges a run of tests with these verdicts, `nil` for one that was skipped.
    private static func judge(
        _ verdicts: [Verdict?],
        before: Int?,
        entry: QuarantineEntry = entry,
        change: (inout EvidenceBuilder) -> Void = { _ in }
    ) -> RunSummary {
        var builder = EvidenceBuilder()
        builder.job.kind = .unit
        for (index, verdict) in verdicts.enumerated() {
            let skips = verdict == nil
            builder.add(
                "t\(index)",
                [],
                ending: skips ? .skipped("no") : verdict == .failed ? .failed("no") : .passed,
                verdict: verdict ?? .passed
            )
        }
        builder.rules = RunRules(quarantine: [entry])
        change(&builder)
        var evidence = builder.evidence
        evidence.plan.cleanRuns = before.map { [entry.key: $0] }
        return RunJudge.judge(evidence).summary
    }

    @Test(
        "a run counts if all that the entry names passed at once, and anything bad begins anew",
        arguments: [
            ([.passed, .passed], nil, 1), ([.passed], 1, 2), ([.passed], 2, 3),
            ([.passed, nil], 1, 2), ([nil], 1, 1), ([], 1, 1),
            ([.passed, .failed], 2, 0), ([.flaky], 2, 0), ([.errored], 2, 0),
            // Nothing is known of a picture without a reference.
            ([.passed, .new], 1, 1),
            // An inherited test did not run.
            ([.inherited], 1, 1), ([.passed, .inherited], 1, 1), ([.flaky, .inherited], 2, 0),
            // It has left: nothing brings it back.
            ([.failed], 3, 3),
        ] as [([Verdict?], Int?, Int)]
    )
    func counts(verdicts: [Verdict?], before: Int?, after: Int) throws {
        let rows = try #require(Self.judge(verdicts, before: before).cleanRuns)
        #expect(rows.map(\.count) == [after] && rows.map(\.needed) == [3])
        #expect(rows.map(\.key) == [Self.entry.key] && rows.map(\.entry) == ["test t*"])
    }

    @Test("it excuses until then; after it the verdict counts, and a note says what to do")
    func leaves() throws {
        let within = Self.judge([.failed], before: 2)
        #expect(within.state == .passed && within.quarantined?.count == 1)
        #expect(within.problems.isEmpty)
        let after = Self.judge([.failed], before: 3)
        #expect(after.state == .failed && after.quarantined == nil && after.exitCode == 1)
        let note = try #require(after.problems.first)
        #expect(note.code == "quarantine-left" && note.isNote)
        #expect(
            note.message
                == "test t* left quarantine after 3 clean runs (known): its verdicts count again."
        )
        #expect(Self.judge([.passed], before: 3).state == .passed)
    }

    @Test("pictures are counted by their own verdicts")
    func pictures() throws {
        let entry = QuarantineEntry(
            snapshot: "*/b",
            until: "2999-12-31",
            reason: "known",
            cleanRuns: 3
        )
        for (bytes, count) in [("same", 2), ("other", 0)] {
            var builder = EvidenceBuilder()
            let verdict: Verdict = bytes == "same" ? .passed : .changed
            builder.add("t", [try EvidenceBuilder.capture("b", bytes)], verdict: verdict)
            builder.rules = RunRules(quarantine: [entry])
            var evidence = builder.evidence
            evidence.plan.cleanRuns = [entry.key: 1]
            #expect(RunJudge.judge(evidence).summary.cleanRuns?.map(\.count) == [count])
        }
    }

    @Test("the picture of an inherited test is no clean run")
    func inheritedPicture() throws {
        let entry = QuarantineEntry(
            snapshot: "*/b",
            until: "2999-12-31",
            reason: "known",
            cleanRuns: 3
        )
        var builder = EvidenceBuilder()
        builder.add("t", [], verdict: .inherited)
        try builder.expect("b", test: "t")
        builder.rules = RunRules(quarantine: [entry])
        var evidence = builder.evidence
        evidence.plan.cleanRuns = [entry.key: 1]
        let summary = RunJudge.judge(evidence).summary
        #expect(summary.snapshots.map(\.verdict) == [.inherited])
        #expect(summary.cleanRuns?.map(\.count) == [1])
    }

    @Test("a part, a record run and a test without a verdict are no clean run")
    func parts() {
        #expect(Self.judge([.passed], before: 1) { $0.filtered = true }.cleanRuns == nil)
        #expect(Self.judge([.passed], before: 1) { $0.mode = .record }.cleanRuns == nil)
        let open = Self.judge([.passed], before: 1) { $0.add("t9", [], verdict: nil) }
        #expect(open.cleanRuns?.map(\.count) == [1])
    }

    @Test("a changed entry is counted anew, and one without a number is not counted")
    func identity() {
        var other = Self.entry
        other.reason = "again"
        #expect(other.key != Self.entry.key)
        let counts = [Self.entry.key: 3]
        #expect(Quarantine([Self.entry], cleanRuns: counts, startedAt: 0).isEmpty)
        #expect(!Quarantine([other], cleanRuns: counts, startedAt: 0).isEmpty)
        other.cleanRuns = nil
        #expect(Self.judge([.passed], before: nil, entry: other).cleanRuns == nil)
    }

    @Test("the counts are no part of the plan's identity, and a plan from elsewhere is checked")
    func plan() {
        var builder = EvidenceBuilder()
        builder.add("t", [], verdict: .passed)
        builder.rules = RunRules(quarantine: [Self.entry])
        let plain = builder.evidence.plan
        var plan = plain
        plan.cleanRuns = [Self.entry.key: 2]
        #expect(plan.digest == plain.digest && PlanMistakes(plan) == nil)
        for count in [-1, .max] {
            plan.cleanRuns = [Self.entry.key: count]
            #expect(PlanMistakes(plan)?.message.contains("cleanRuns has a count") == true)
        }
        for count in [0, -3, .max] {
            plan = plain
            plan.rules?.quarantine[0].cleanRuns = count
            #expect(PlanMistakes(plan)?.message.contains("cleanRuns is not from 1") == true)
        }
    }

    @Test("the history keeps the counts of whole runs, within its limit")
    func history() throws {
        var history = RunHistory()
        func add(_ count: Int, key: String = Self.entry.key) {
            var summary = Self.judge([.passed], before: count - 1)
            summary.cleanRuns?[0].key = key
            history.add(summary)
        }
        add(2)
        var builder = EvidenceBuilder()
        builder.rules = RunRules(quarantine: [Self.entry])
        #expect(history.cleanRuns(before: builder.evidence.plan) == [Self.entry.key: 2])
        #expect(try RunHistory(parsing: Data(history.text.utf8)) == history)
        add(3)
        // A run that was planned from an older history does not bring it back.
        add(1)
        #expect(history.cleanRuns(before: builder.evidence.plan) == [Self.entry.key: 3])
        for index in 0..<FarmLimits.quarantineMax { add(1, key: "k\(index)") }
        #expect(history.cleanRuns.count == FarmLimits.quarantineMax)
        #expect(history.cleanRuns[Self.entry.key] == nil)
        let bad = history.text.replacingOccurrences(of: "\"count\":1", with: "\"count\":-1")
        #expect(throws: HistoryError.self) { try RunHistory(parsing: Data(bad.utf8)) }
    }
}
