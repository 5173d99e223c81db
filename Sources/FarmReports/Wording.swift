// The sentences, signs and numbers that all documents share, so that no two reports word one thing
// in two ways.
import FarmCore
import Foundation

enum Wording {
    /// The verdicts in the order of documents: the worst first, those that need no action last.
    static let verdictOrder: [Verdict] = [
        .errored, .failed, .changed, .missing, .unreached, .new, .moved, .flaky, .inherited,
        .passed,
    ]

    /// Returns a sign for a verdict, so that colour is never the only difference.
    static func sign(_ verdict: Verdict?) -> String {
        switch verdict {
        case .passed: "✓"
        case .changed: "≠"
        case .moved: "→"
        case .new: "+"
        case .missing: "−"
        case .unreached: "…"
        case .flaky: "~"
        case .failed: "✕"
        case .errored: "!"
        case .inherited: "↳"
        case nil: "?"
        }
    }

    static func word(_ verdict: Verdict?) -> String { verdict?.rawValue ?? "no verdict" }

    /// Returns the result of a run as one sentence.
    ///
    /// `escaped` escapes foreign text for the document.
    static func headline(
        _ summary: RunSummary,
        escaped: (String) -> String = { $0 }
    ) -> String {
        if summary.isProven {
            return "nothing has changed; none of \(tests(summary.counts.planned)) ran."
        }
        return (summary.judgedRun != nil ? "judged again: " : "") + result(summary, escaped)
    }

    private static func result(_ summary: RunSummary, _ escaped: (String) -> String) -> String {
        let counts = summary.counts
        let tests = Self.tests(counts.planned)
        let inherited = counts.inherited > 0 ? ", \(counts.inherited) inherited" : ""
        switch summary.state {
        case .passed:
            let ran = counts.planned - counts.skipped - counts.inherited
            if ran == 0, counts.inherited > 0 { return "0 tests ran\(inherited)." }
            if ran == 0, counts.skipped > 0 { return "\(tests) skipped." }
            let verb = summary.run.mode == .record ? "recorded" : "as expected"
            let flaky = counts.flaky > 0 ? ", \(counts.flaky) of them flaky" : ""
            let skipped = counts.skipped > 0 ? ", \(counts.skipped) skipped" : ""
            let quarantined = summary.quarantined ?? []
            let excused =
                quarantined.isEmpty ? "" : ", \(quarantined.count) bad but quarantined"
            let rest =
                flaky + accepted(counts, but: quarantined) + skipped + excused
                + inherited
            let good = counts.passed + counts.flaky
            return summary.run.mode == .record || good == ran
                ? "\(Self.tests(ran)) \(verb)\(rest)."
                : "\(good) of \(Self.tests(ran)) \(verb)\(rest)."
        case .failed:
            let open = counts.open
            if open == 0 {
                return cause(summary, escaped)
            }
            return "\(open) of \(tests) \(open == 1 ? "needs" : "need") a look: "
                + list(counts, without: [.passed, .flaky, .inherited]) + inherited + "."
        case .incomplete where counts.withoutVerdict == 0 && counts.inherited > 0:
            return "\(counts.inherited) of \(tests) inherited verdicts that may be of other code, "
                + "so the run proves nothing: " + list(counts, without: []) + "."
        case .incomplete:
            return "\(counts.withoutVerdict) of \(tests) got no verdict, "
                + "so the run proves nothing: " + list(counts, without: []) + "."
        case .running: return "\(tests) planned; the run is not over."
        case .unjudgeable:
            let reason = summary.problems.first.map { escaped($0.message) }
            return reason ?? "The run cannot be judged."
        case .cancelled: return "Cancelled with \(list(counts, without: [])) of \(tests)."
        }
    }

    /// Returns the tests that are not as expected and that no quarantine excuses, so that the
    /// pipeline accepts them: `, 2 new accepted`; empty if there are none.
    private static func accepted(
        _ counts: VerdictCounts,
        but quarantined: [QuarantinedSummary]
    ) -> String {
        verdictOrder.filter { ![.passed, .flaky, .inherited].contains($0) }.map { verdict in
            let excused = quarantined.count { $0.snapshot.isEmpty && $0.verdict == verdict }
            let count = counts[verdict] - excused
            return count > 0 ? ", \(count) \(verdict.rawValue) accepted" : ""
        }.joined()
    }

    private static func tests(_ count: Int) -> String { count == 1 ? "1 test" : "\(count) tests" }

    /// Returns the reason why a run is red although all its tests are as expected.
    private static func cause(
        _ summary: RunSummary,
        _ escaped: (String) -> String
    ) -> String {
        let counts = summary.counts
        if let finding = RunFindings(summary).problems.first(where: { !$0.problem.isNote }) {
            return escaped(finding.message)
        }
        var pictures = VerdictCounts()
        let open = summary.openPictures.filter { $0.verdict != .flaky }
        for picture in open { pictures.add(picture.verdict) }
        if pictures.planned > 0 {
            let verb = pictures.planned == 1 ? "needs" : "need"
            let words = SnapshotCount(open).words
            return "\(words) \(verb) a look: \(list(pictures, without: []))."
        }
        return "\(counts.flaky) of \(counts.planned) tests flaky."
    }

    private static func list(_ counts: VerdictCounts, without: Set<Verdict>) -> String {
        var parts = verdictOrder.filter { !without.contains($0) && counts[$0] > 0 }
            .map { "\(counts[$0]) \($0.rawValue)" }
        if !without.contains(.passed), counts.skipped > 0 {
            parts.append("\(counts.skipped) skipped")
        }
        if parts.isEmpty { parts = ["none"] }
        return parts.joined(separator: ", ")
    }

    /// Returns a percentage such as `0.42 %`, or `< 0.01 %` for a smaller share that is not zero.
    static func percent(_ share: Double) -> String {
        guard share.isFinite, share > 0 else { return "0 %" }
        if share < 0.0001 { return "< 0.01 %" }
        return String(format: "%.2f %%", share * 100)
    }

    /// Returns seconds such as `3.210`, for machines; never negative, always a number.
    static func seconds(_ value: Double) -> String {
        let value = value.isFinite ? max(0, value) : 0
        let thousandths = value * 1000
        // `String(format:)` costs more than all else of a line in a report. It is used only for
        // huge values, and if the product is so near to a half that its own rounding could decide.
        let isTie = abs(thousandths - thousandths.rounded(.down) - 0.5) < 0.000_1
        guard thousandths < 1e9, !isTie else { return String(format: "%.3f", value) }
        let whole = Int(thousandths.rounded())
        let rest = String(whole % 1000)
        return "\(whole / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }

    /// Returns a run's duration such as `4 min 10 s`, or `nil` if its start or end is missing, and
    /// for a judgement, whose times are those of the judged run.
    static func duration(_ summary: RunSummary) -> String? {
        guard summary.judgedRun == nil else { return nil }
        let run = summary.run
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let started = try? style.parse(run.started),
            let finished = try? style.parse(run.finished), finished >= started
        else { return nil }
        let seconds = finished.timeIntervalSince(started)
        if seconds < 60 { return String(format: "%.1f s", seconds) }
        let whole = Int(seconds.rounded())
        return whole < 3_600
            ? "\(whole / 60) min \(whole % 60) s"
            : "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}

extension VerdictCounts {
    /// The number of test cases with a verdict; for `nil`, the number without one.
    subscript(_ verdict: Verdict?) -> Int {
        switch verdict {
        case nil: withoutVerdict
        case .passed: passed
        case .changed: changed
        case .moved: moved
        case .new: new
        case .missing: missing
        case .unreached: unreached
        case .flaky: flaky
        case .failed: failed
        case .errored: errored
        case .inherited: inherited
        }
    }

    /// The number of test cases that need a look.
    var open: Int { planned - passed - skipped - flaky - inherited }
}

extension QuarantinedSummary {
    /// The name of the quarantined picture or test case.
    var name: String { snapshot.isEmpty ? test : snapshot }
}
