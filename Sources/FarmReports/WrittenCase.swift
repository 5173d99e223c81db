// A test case in JUnit's terms: its name, its outcome and its attachments. Names must be unique in
// the whole document: GitLab drops a second case of the same name.
import FarmCore

/// The outcome of a test case, in JUnit's terms.
enum JUnitOutcome {
    case passed
    case skipped(message: String)
    /// The test passed in the end; `text` has the words of an earlier attempt.
    case flaky(message: String, text: String)
    case failure(type: String, message: String, text: String)
    case error(message: String, text: String)
}

struct WrittenCase {
    var classname: String
    var name: String
    var seconds: Double
    var outcome: JUnitOutcome
    var output: String
    /// The paths of the case's files relative to the output folder, the diff picture first: GitLab
    /// shows only the first.
    var attachments: [String]
}

extension WrittenCase {
    /// Makes the case of a test; with `excused`, the test does not make the run red, so that its
    /// verdict is no failure.
    init(_ test: TestSummary, findings: RunFindings, tag: String, excused: Bool) {
        let open = findings.causes.pictures(of: test)
        let (classname, method) = TestID(LegalText.line(test.test))
            .names(in: JobName(LegalText.line(test.job)))
        self.classname = classname
        name = method + Self.tag(tag)
        seconds = test.seconds
        outcome = Self.outcome(test, findings, excused: excused)
        output = test.output
        attachments = open.flatMap(Self.attachments)
    }

    /// Makes the case of a picture whose test is unknown; without it, the change would be lost.
    init(orphan picture: SnapshotSummary, titles: RunTitles, tag: String, excused: Bool) {
        classname = LegalText.line(picture.suite)
        name = LegalText.line(picture.identifierOrName) + Self.tag(tag)
        seconds = 0
        let text = "\(picture.words)\n\(Self.line(picture, titles))"
        outcome =
            excused || picture.verdict == .flaky && picture.isRed != true
            ? .passed
            : .failure(type: Self.type(picture.verdict), message: picture.words, text: text)
        output = ""
        attachments = Self.attachments(picture)
    }

    init(_ finding: ProblemFinding) {
        classname = "snapfarm"
        name = finding.problem.code
        seconds = 0
        let lines = [finding.message, finding.follows, finding.problem.remedy]
        outcome = .error(
            message: finding.message,
            text: lines.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
        )
        output = ""
        attachments = []
    }

    private static func tag(_ text: String) -> String { text.isEmpty ? "" : " [\(text)]" }

    private static func outcome(
        _ test: TestSummary,
        _ findings: RunFindings,
        excused: Bool
    ) -> JUnitOutcome {
        if test.verdict == .passed, !test.skipped { return .passed }
        let lines = findings.causes.lines(of: test) { line($0, findings.titles) }
        let text = lines.joined(separator: "\n")
        let first = LegalText.line(findings.causes.cause(of: test))
        switch test.verdict {
        case nil: return .error(message: first, text: text)
        case .errored: return .error(message: first, text: text)
        case .passed: return .skipped(message: first)
        // A pass would say that the test ran, and would count as a time of 0 s.
        case .inherited:
            return .skipped(message: "inherited: it passed in run \(test.inheritedFrom ?? "")")
        case .flaky where test.isRed == true:
            return .failure(type: "Flaky", message: first, text: text)
        case .flaky: return .flaky(message: first, text: text)
        case .some(let verdict):
            if excused { return .passed }
            return .failure(type: type(verdict), message: first, text: text)
        }
    }

    private static func type(_ verdict: Verdict) -> String {
        switch verdict {
        case .changed: "SnapshotMismatch"
        case .moved: "SnapshotMoved"
        case .new: "SnapshotNew"
        case .missing: "SnapshotMissing"
        case .unreached: "SnapshotUnreached"
        case .passed, .inherited, .flaky, .failed: "TestFailure"
        case .errored: "Infrastructure"
        }
    }

    /// Returns the lines about a picture with its id and its files, for the body of a failure.
    private static func line(_ picture: SnapshotSummary, _ titles: RunTitles) -> String {
        var line = "\(picture.verdict.rawValue): \(titles.title(of: picture)): \(picture.words)"
        line += "\n  picture: \(picture.id)"
        for kind in ["reference", "failed", "diff"] {
            if let path = picture.files[kind] { line += "\n  \(kind): \(path)" }
        }
        return line
    }

    private static func attachments(_ picture: SnapshotSummary) -> [String] {
        ["diff", "failed", "reference"].compactMap { picture.files[$0] }
            .filter(RelativePath.isPlain)
    }
}
