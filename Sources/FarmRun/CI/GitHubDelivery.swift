// Outputs for GitHub Actions: the report goes to the job summary, which holds 1 MiB. The worst
// findings become annotations; GitHub shows ten for each step.
import FarmCore

enum GitHubDelivery {
    /// The size limit of a step's summary, in bytes; GitHub refuses a larger one as a whole.
    static let summaryBytesMax = 1 << 20
    /// The number of error annotations that GitHub shows for one step.
    static let annotationsMax = 10
    /// The length limit of an annotation's message, in Unicode scalars: readers read about three
    /// lines.
    ///
    /// The remedy is never cut.
    private static let messageScalarsMax = 500
    /// The length limit of an annotation's title, in Unicode scalars; GitHub takes 255 characters.
    private static let titleScalarsMax = 250
    /// The size limit of one annotation, in bytes; GitHub takes 64 KiB.
    private static let textBytesMax = 64 << 10

    static func plan(
        _ summary: RunSummary,
        _ outputs: CIOutputs,
        sinks: [CISink: String]
    ) -> [CIDelivery] {
        var steps: [CIDelivery] = []
        if let path = sinks[.stepSummary], !outputs.report.isEmpty {
            let text = cutAtLine(outputs.report, to: summaryBytesMax)
            steps.append(.appendText(path: path, text: text))
        }
        let notes = summary.state == .passed ? [] : annotations(summary)
        let shown = notes.count <= annotationsMax ? annotationsMax : annotationsMax - 1
        steps += notes.prefix(shown).map { .printLine(line($0)) }
        if notes.count > shown {
            let rest = "\(notes.count - shown) more findings are in the summary of this job."
            steps.append(.printLine(line(Annotation(title: "snapfarm", message: rest))))
        }
        return steps
    }

    private struct Annotation {
        var title: String
        var message: String
        /// The remedy of the annotated problem, which is never cut.
        var remedy = ""
    }

    /// Returns a run's annotations: problems first, then red tests by severity and cause, then red
    /// pictures that no test of the run makes; each finding once.
    private static func annotations(_ summary: RunSummary) -> [Annotation] {
        let findings = RunFindings(summary)
        func severity(_ test: TestSummary) -> Int { test.verdict?.severity ?? .max }
        let tests = summary.tests.filter {
            ($0.isRed ?? (severity($0) > Verdict.flaky.severity)) && !findings.isExplained($0)
        }.sorted { severity($0) > severity($1) }
        let orphans = findings.causes.orphans.filter {
            $0.isRed == true && !findings.isExplained($0)
        }
        let problems = findings.problems.filter { !$0.problem.isNote }.map {
            Annotation(
                title: $0.problem.code,
                message: [$0.message, $0.follows].filter { !$0.isEmpty }.joined(separator: " "),
                remedy: $0.problem.remedy
            )
        }
        let causes = findings.grouped(tests).map { annotation($0, findings) }
        let pictures = findings.grouped(orphans).map {
            Annotation(
                title: title($0.verdict, findings.titles.name(of: $0.pictures)),
                message: $0.words
            )
        }
        return problems + causes + pictures
    }

    /// Returns the annotation of a cause: the cause, then further facts of its first test.
    ///
    /// The text of an error includes its remedy.
    private static func annotation(
        _ finding: CauseFinding,
        _ findings: RunFindings
    ) -> Annotation {
        let title = title(finding.verdict, findings.titles.name(of: finding.tests))
        let causes = findings.causes
        let isAlone = finding.tests.first.map { causes.pictures(of: $0).count == 1 } ?? false
        let lines = finding.tests.prefix(1).flatMap { test in
            causes.lines(of: test) { picture in
                // The cause already names the only picture.
                if isAlone, test.isAboutPictures { return "" }
                let name = findings.titles.name(of: picture)
                return "\(picture.verdict.rawValue): \(name): \(picture.words)"
            }
        }
        let known = [finding.cause] + lines.dropFirst().filter { !$0.isEmpty }
        let text = known.joined(separator: "\n")
        return finding.verdict == .errored
            ? Annotation(title: title, message: "", remedy: text)
            : Annotation(title: title, message: text)
    }

    private static func title(_ verdict: Verdict?, _ name: String) -> String {
        "\(verdict?.rawValue ?? "no verdict"): \(name)"
    }

    private static func line(_ note: Annotation) -> String {
        let title = escaped(cut(note.title, scalarsMax: titleScalarsMax), property: true)
        let parts = [cut(note.message, scalarsMax: messageScalarsMax), note.remedy]
        let text = parts.filter { !$0.isEmpty }.joined(separator: " ")
        let whole = escaped(cut(text, bytesMax: textBytesMax), property: false)
        return "::error title=\(title)::\(whole)"
    }

    private static func cut(_ text: String, scalarsMax: Int) -> String {
        let head = text.unicodeScalars.prefix(scalarsMax)
        return head.endIndex == text.endIndex ? text : String(head) + "…"
    }

    private static func cut(_ text: String, bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var head = String.UnicodeScalarView()
        var bytes = "…".utf8.count
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= bytesMax else { break }
            head.append(scalar)
        }
        return String(head) + "…"
    }

    /// Returns `text` escaped for a command of GitHub's runner, without other control characters.
    private static func escaped(_ text: String, property: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
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

    /// Returns `text` if it has at most `bytesMax` bytes, or else its first lines and a note that
    /// more is in the report.
    private static func cutAtLine(_ text: String, to bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        let note = "\n\nThe rest did not fit here: see `report.md` in the output folder.\n"
        let kept = text.utf8.prefix(bytesMax - note.utf8.count)
        let end = kept.lastIndex(of: UInt8(ascii: "\n")) ?? kept.startIndex
        return String(text[..<end]) + note
    }
}
