// One test case as JUnit sees it: what it is called, how it ended, and what belongs to it.
// Names must be unique in the whole document: GitLab drops a second case of the same name.
import FarmCore

/// How a case ends in JUnit's words.
enum JUnitOutcome {
    case passed
    case skipped(message: String)
    /// Passed in the end; the text tells what an attempt said.
    case flaky(message: String, text: String)
    case failure(type: String, message: String, text: String)
    case error(message: String, text: String)
}

struct JUnitCase {
    var classname: String
    var name: String
    var seconds: Double
    var outcome: JUnitOutcome
    var output: String
    /// Paths relative to the output folder, the diff picture first: GitLab shows only the first.
    var attachments: [String]
}

extension JUnitCase {
    /// `excused` means that it does not make the run red, so its verdict is no failure.
    init(_ test: TestSummary, causes: TestCauses, tag: String, excused: Bool) {
        let open = causes.pictures(of: test)
        let (classname, method) = Self.names(test)
        self.classname = classname
        name = method + Self.tag(tag)
        seconds = test.seconds
        outcome = Self.outcome(test, open: open, causes: causes, excused: excused)
        output = test.output
        attachments = open.flatMap(Self.attachments)
    }

    /// A picture whose test is not known stands for itself, or its change would be lost.
    init(orphan picture: SnapshotSummary, tag: String, excused: Bool) {
        classname = LegalText.line(picture.suite)
        name = LegalText.line(picture.title) + Self.tag(tag)
        seconds = 0
        let text = Self.lines([picture])
        outcome =
            excused || picture.verdict == .flaky && picture.isRed != true
            ? .passed
            : .failure(type: Self.type(picture.verdict), message: picture.words, text: text)
        output = ""
        attachments = Self.attachments(picture)
    }

    init(_ problem: Problem) {
        classname = "snapfarm"
        name = problem.code
        seconds = 0
        outcome = .error(
            message: problem.message,
            text: "\(problem.message)\n\(problem.remedy)\n"
        )
        output = ""
        attachments = []
    }

    private static func tag(_ text: String) -> String { text.isEmpty ? "" : " [\(text)]" }

    /// `Target/Class/method` is class `Target.Class` and case `method`; an id without a slash
    /// belongs to its job.
    private static func names(_ test: TestSummary) -> (classname: String, name: String) {
        let line = LegalText.line(test.test)
        guard let slash = line.lastIndex(of: "/"), slash != line.startIndex,
            line.index(after: slash) != line.endIndex
        else { return (LegalText.line(test.job), line) }
        let folder = line[..<slash].split(separator: "/").joined(separator: ".")
        return (folder, String(line[line.index(after: slash)...]))
    }

    private static func outcome(
        _ test: TestSummary,
        open: [SnapshotSummary],
        causes: TestCauses,
        excused: Bool
    ) -> JUnitOutcome {
        if test.verdict == .passed, !test.skipped { return .passed }
        let cause = causes.cause(of: test)
        // First the pictures where it is about them, else first what the test said.
        let parts =
            test.isAboutPictures ? [lines(open), test.message] : [test.message, lines(open)]
        let said = parts.filter { !$0.isEmpty }.joined(separator: "\n")
        let text = said.isEmpty ? cause : said
        let first = LegalText.line(cause)
        switch test.verdict {
        case nil: return .error(message: first, text: text)
        case .errored: return .error(message: first, text: text)
        case .passed: return .skipped(message: first)
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
        case .passed, .flaky, .failed: "TestFailure"
        case .errored: "Infrastructure"
        }
    }

    private static func lines(_ pictures: [SnapshotSummary]) -> String {
        pictures.map { picture in
            var line = "\(picture.verdict.rawValue): \(picture.id): \(picture.words)"
            for kind in ["reference", "failed", "diff"] {
                if let path = picture.files[kind] { line += "\n  \(kind): \(path)" }
            }
            return line
        }.joined(separator: "\n")
    }

    private static func attachments(_ picture: SnapshotSummary) -> [String] {
        ["diff", "failed", "reference"].compactMap { picture.files[$0] }
            .filter(RelativePath.isPlain)
    }
}
