// GitHub Actions: the report goes to the job summary, which holds 1 MiB; the worst findings
// become annotations, of which a step shows ten.
import FarmCore

enum GitHubDelivery {
    /// Bytes of one step's summary; more, and GitHub refuses the whole.
    static let summaryBytesMax = 1 << 20
    /// Error annotations of one step that GitHub shows.
    static let annotationsMax = 10
    /// Unicode scalars of one annotation: three lines of it are read.
    private static let messageScalarsMax = 500

    static func plan(
        _ summary: RunSummary,
        _ outputs: CIOutputs,
        sinks: [CISink: String]
    ) -> [CIDelivery] {
        var steps: [CIDelivery] = []
        if let path = sinks[.stepSummary], !outputs.report.isEmpty {
            let text = cut(outputs.report, to: summaryBytesMax)
            steps.append(.appendText(path: path, text: text))
        }
        let findings = summary.state == .passed ? [] : findings(summary)
        let shown = findings.count <= annotationsMax ? annotationsMax : annotationsMax - 1
        steps += findings.prefix(shown).map { .printLine(annotation($0.title, $0.message)) }
        if findings.count > shown {
            let rest = "\(findings.count - shown) more findings are in the summary of this job."
            steps.append(.printLine(annotation("snapfarm", rest)))
        }
        return steps
    }

    /// Problems first, then tests by severity, each with what its pictures show, then pictures that
    /// no test of the run makes.
    private static func findings(_ summary: RunSummary) -> [(title: String, message: String)] {
        let causes = TestCauses(summary)
        func severity(_ test: TestSummary) -> Int { test.verdict?.severity ?? .max }
        let tests = summary.tests.filter { $0.isRed ?? (severity($0) > Verdict.flaky.severity) }
            .sorted { severity($0) > severity($1) }
        var found = summary.problems.filter { !$0.isNote }.map {
            (title: $0.code, message: "\($0.message) \($0.remedy)")
        }
        found += tests.map { test in
            let verdict = test.verdict?.rawValue ?? "no verdict"
            let cell = summary.cells.count == 1 ? "" : " [\(test.cell)]"
            let message = causes.lines(of: test).joined(separator: "\n")
            return (title: test.test + cell, message: "\(verdict): \(message)")
        }
        found += causes.orphans.filter { $0.isRed == true }.map { picture in
            (title: picture.id, message: "\(picture.verdict.rawValue): \(picture.words)")
        }
        return found
    }

    private static func annotation(_ title: String, _ message: String) -> String {
        let title = escaped(title, property: true)
        let text = escaped(message, property: false)
        return "::error title=\(title)::\(text)"
    }

    /// The runner's own escapes; other control characters have no business in a log.
    private static func escaped(_ text: String, property: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars.prefix(messageScalarsMax) {
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case ":" where property: escaped += "%3A"
            case "," where property: escaped += "%2C"
            case _ where scalar.value < 32 || scalar.value == 127: continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Whole lines of the text in at most so many bytes, with a word about the rest.
    private static func cut(_ text: String, to bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        let note = "\n\nThe rest did not fit here: see `report.md` in the output folder.\n"
        let kept = text.utf8.prefix(bytesMax - note.utf8.count)
        let end = kept.lastIndex(of: UInt8(ascii: "\n")) ?? kept.startIndex
        return String(text[..<end]) + note
    }
}
