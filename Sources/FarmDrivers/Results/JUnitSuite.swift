// A suite may report more than its cases do: failures of its own (a hook, a module that cannot be
// imported), and how many cases failed.
import FarmCore

/// A `<testsuite>` or `<testsuites>`.
struct JUnitSuite {
    let name: String
    let file: String
    /// The number of failures and errors that the suite's attributes count.
    let counted: Int
    /// The index of the first case in the suite, or in a suite within it.
    let firstCase: Int
    var failures = JUnitFailures()
    /// The number of failed cases in the suite.
    private var failed = 0
    /// The number of failure elements in the suite's cases; some programs count these.
    private var elementsOfCases = 0

    /// The most bytes of the suite's failure, which each of its cases may repeat.
    private static let wordsBytesMax = 2 << 10

    init(name: String, file: String, counted: Int, firstCase: Int) {
        self.name = name
        self.file = file
        self.counted = counted
        self.firstCase = firstCase
    }

    mutating func addFailed(_ count: Int, elements: Int) {
        failed += count
        elementsOfCases += elements
    }

    var elements: Int { elementsOfCases + failures.count }

    /// The number of failures that the suite around this one counts for it.
    var failedAtLeast: Int { max(counted, failed + failures.count) }

    /// Returns a text about the suite's own failure, or about counts that its cases do not add up
    /// to, or `nil` if there is neither.
    func words(isWhole: Bool) -> String? {
        let title = name.isEmpty ? "a suite" : "the suite \(name)"
        if let text = failures.text {
            var words = Array("\(title) failed: \(text)".utf8)
            words.cut(toBytes: Self.wordsBytesMax)
            return String(decoding: words, as: UTF8.self)
        }
        guard isWhole, counted > failed, counted != elements else { return nil }
        return "the results file counts \(counted) failed in \(title) and shows \(failed); "
            + "it does not say which."
    }

    /// Returns an entry for the suite itself, with its own failures; `words` are their text.
    func asCase(_ words: String) -> JUnitCase {
        JUnitCase(
            name: "",
            className: name,
            file: file,
            ending: .failed(words),
            failures: failures.all
        )
    }
}

/// The status of a case by its attributes `status` and `result`, which some programs write instead
/// of an element.
enum JUnitStatus {
    /// The case failed; the value is the attribute's word, as written.
    case failed(String)
    case skipped(String)

    /// Creates the status that the attributes' words mean, or `nil` if they mean none.
    init?(of words: [String?]) {
        let words = words.compactMap { $0 }
        if let word = words.first(where: { Self.failing.contains(Self.plain($0)) }) {
            self = .failed(word)
        } else if let word = words.first(where: { Self.skipping.contains(Self.plain($0)) }) {
            self = .skipped(word)
        } else {
            return nil
        }
    }

    /// Returns the ending of a case with this status and no failure element; `ending` is the ending
    /// by its elements.
    func ending(of ending: JUnitCase.Ending) -> JUnitCase.Ending {
        switch self {
        case .failed(let word): .failed("the results file says \"\(word)\", and not why.")
        case .skipped(let word): ending == .passed ? .skipped(word) : ending
        }
    }

    private static func plain(_ word: String) -> String { word.lowercased().filter(\.isLetter) }

    private static let failing: Set = [
        "failed", "fail", "failure", "failing", "error", "errored", "broken", "crashed", "crash",
        "aborted", "timeout", "timedout", "interrupted", "incomplete", "cancelled", "canceled",
        "notok",
        "exception",
    ]
    private static let skipping: Set = [
        "notrun", "notexecuted", "notrunnable", "skipped", "skip", "suppressed", "disabled",
        "ignored",
        "ignore", "pending", "todo", "inconclusive", "filtered",
    ]
}
