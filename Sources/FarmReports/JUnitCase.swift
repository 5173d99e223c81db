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
    /// `excused` means that the run is green, so no verdict of it is a failure.
    init(_ test: TestSummary, pictures: [SnapshotSummary], tag: String, excused: Bool) {
        let open = pictures.filter { $0.verdict != .passed }
        let (classname, method) = Self.names(test)
        self.classname = classname
        name = "\(method) [\(tag)]"
        seconds = test.seconds
        outcome = Self.outcome(test, open: open, excused: excused)
        output = test.output
        attachments = open.flatMap(Self.attachments)
    }

    /// A picture whose test is not known stands for itself, or its change would be lost.
    init(orphan picture: SnapshotSummary, tag: String, excused: Bool) {
        classname = LegalText.line(picture.suite)
        name = "\(LegalText.line(picture.title)) [\(tag)]"
        seconds = 0
        let text = Self.lines([picture])
        outcome =
            excused || picture.verdict == .flaky
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
        excused: Bool
    ) -> JUnitOutcome {
        if test.verdict == .passed, !test.skipped { return .passed }
        let text = [test.message, lines(open)].filter { !$0.isEmpty }.joined(separator: "\n")
        let first = LegalText.line(test.message.isEmpty ? open.first?.words ?? "" : test.message)
        switch test.verdict {
        case nil:
            let message = first.isEmpty ? "the test got no verdict." : first
            return .error(message: message, text: text.isEmpty ? message : text)
        case .errored: return .error(message: first, text: text)
        case .passed: return .skipped(message: first)
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
