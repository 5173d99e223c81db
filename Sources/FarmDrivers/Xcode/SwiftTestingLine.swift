// One line of Swift Testing's console, after a sign that differs between systems:
//   ◇ Test run started.                    ◇ Suite CartSuite started.
//   ◇ Test empty() started.                ◇ Test empty() started (repetition 2).
//   ✘ Test empty() recorded an issue at File.swift:13:22: Expectation failed: …
//   ✘ Test empty() failed after 0.001 seconds with 1 issue.       | passed | was cancelled
//   ➜ Test empty() skipped: "off"
//   ↳ the comment of the issue above
// Xcode puts a zero-width space before some signs, and a test that prints without a line break puts
// its text there. So the last sign of a line that a whole sentence follows counts.
import FarmCore

/// A sentence of Swift Testing about a test, a suite or the run.
struct SwiftTestingLine: Equatable {
    enum Sentence: Equatable {
        case runStarted
        case runEnded
        case suiteStarted(String)
        case started
        /// An issue: the text after its place, or all of the text if the place has not come yet.
        case issue(String, hasPlace: Bool)
        /// The end of a test: `passed`, `failed` or `skipped`.
        case ended(String, seconds: Double, reason: String)
    }

    let test: TestID?
    let sentence: Sentence

    /// Returns the sentence after the last sign, or `nil` if no sign is followed by a sentence
    /// about this launch's tests.
    ///
    /// `test` finds the test with a name as Swift Testing prints it: `function()`, or a display
    /// name in quotes.
    static func read(_ line: String, test: (Substring) -> TestID?) -> SwiftTestingLine? {
        for text in sentences(of: line) {
            if let found = sentence(text, test) { return found }
        }
        return nil
    }

    /// Whether a line looks like the start or the end of any test, whatever its words.
    ///
    /// `Test case passing 1 argument … to each(_:) started.` is about an argument, and `recorded a
    /// known issue` ends no test.
    static func looksLikeTest(_ line: String) -> Bool {
        sentences(of: line).contains { text in
            let rest = text.dropFirst("Test ".count)
            let end =
                rest.hasPrefix("\"")
                ? rest.dropFirst().firstRange(of: "\" ")?.lowerBound
                : rest.firstRange(of: ") ")?.lowerBound
            guard text.hasPrefix("Test "), !rest.hasPrefix("case "), let end else { return false }
            return !rest[end...].dropFirst(2).hasPrefix("recorded ")
        }
    }

    /// Returns the text after the sign of a line that begins with one, such as the comment of an
    /// issue, or `nil` for any other line.
    static func detail(_ line: String) -> Substring? {
        let barrier = "XCTestOutputBarrier"
        let line = line.dropFirst(line.hasPrefix(barrier) ? barrier.count : 0)
            .drop { $0 == "\u{200B}" }
        guard let sign = line.first, isSign(sign), line.dropFirst().first == " " else { return nil }
        return line.dropFirst().drop { $0 == " " }
    }

    /// Returns `File.swift:13: text` for ` at File.swift:13:22: text`, or `nil` if there is no
    /// place.
    ///
    /// An argument before the place may contain ` at `, too.
    static func placed(_ text: some StringProtocol) -> String? {
        for range in text.ranges(of: " at ") {
            let parts = text[range.upperBound...]
                .split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, Int(parts[1]) != nil, Int(parts[2]) != nil else { continue }
            return "\(parts[0]):\(parts[1]):\(parts[3])"
        }
        return nil
    }

    // MARK: signs

    /// Returns the texts after the signs of a line, the last first.
    private static func sentences(of line: String) -> [Substring] {
        // Most lines are no sentences of Swift Testing, and every sign is beyond ASCII.
        guard line.utf8.contains(where: { $0 > 0x7F }) else { return [] }
        return ["Test ", "Suite "].flatMap { line.ranges(of: $0) }
            .sorted { $0.lowerBound > $1.lowerBound }
            .compactMap { range in
                let before = line[..<range.lowerBound]
                guard before.last == " ", let sign = before.last(where: { $0 != " " }),
                    isSign(sign)
                else { return nil }
                return line[range.lowerBound...]
            }
    }

    /// Whether a character is a sign: a symbol, or a letter of SF Symbols in Unicode's private
    /// area.
    private static func isSign(_ character: Character) -> Bool {
        !character.isASCII && !character.isLetter && !character.isNumber
    }

    // MARK: sentences

    private static func sentence(
        _ text: Substring,
        _ test: (Substring) -> TestID?
    ) -> SwiftTestingLine? {
        if text.hasPrefix("Suite ") {
            guard text.hasSuffix(" started.") else { return nil }
            let name = text.dropFirst("Suite ".count).dropLast(" started.".count)
            return SwiftTestingLine(test: nil, sentence: .suiteStarted(String(name)))
        }
        let rest = text.dropFirst("Test ".count)
        // A display name may contain any of the words, and so may the text of an issue.
        let quoted = rest.hasPrefix("\"") ? rest.dropFirst().firstRange(of: "\" ") : nil
        let tail = rest[(quoted?.lowerBound ?? rest.startIndex)...]
        for verb in Verb.allCases {
            for range in tail.ranges(of: verb.rawValue) {
                guard let sentence = verb.sentence(tail[range.upperBound...]),
                    let found = test(withoutCases(rest[..<range.lowerBound]))
                else { continue }
                return SwiftTestingLine(test: found, sentence: sentence)
            }
        }
        if rest == "run started." { return SwiftTestingLine(test: nil, sentence: .runStarted) }
        guard rest.hasPrefix("run with "), rest.contains(" after ") else { return nil }
        return SwiftTestingLine(test: nil, sentence: .runEnded)
    }

    /// Returns `each(_:)` for `each(_:) with 3 test cases`, and a display name whatever it
    /// contains.
    private static func withoutCases(_ name: Substring) -> Substring {
        guard name.hasPrefix("\"") else {
            return name.firstRange(of: " with ").map { name[..<$0.lowerBound] } ?? name
        }
        guard !name.hasSuffix("\""), let range = name.ranges(of: "\" with ").last else {
            return name
        }
        return name[...range.lowerBound]
    }

    /// The verbs of sentences about a test.
    ///
    /// An issue comes first: its text may contain the others.
    private enum Verb: String, CaseIterable {
        case issue = " recorded an issue"
        case started = " started"
        case passed = " passed after "
        case failed = " failed after "
        case cancelled = " was cancelled after "
        case skipped = " skipped"

        /// Returns the sentence that this verb makes with the text after it, or `nil` if there is
        /// none.
        func sentence(_ rest: Substring) -> Sentence? {
            switch self {
            case .issue: issue(rest)
            case .started:
                rest == "." || rest.hasPrefix(" (repetition ") && rest.hasSuffix(").")
                    ? .started : nil
            case .passed, .failed: ended(rest)
            case .cancelled: ended(rest)
            case .skipped: skipped(rest)
            }
        }

        private func issue(_ rest: Substring) -> Sentence? {
            guard rest.isEmpty || rest.hasPrefix(" ") || rest.hasPrefix(":") else { return nil }
            guard let text = SwiftTestingLine.placed(rest) else {
                return .issue(String(rest.drop { ": ".contains($0) }), hasPlace: false)
            }
            return .issue(text, hasPlace: true)
        }

        /// Reads the rest of an ending, or returns `nil`: `0.001 seconds.`, `0.001 seconds with 2
        /// issues.` or `0.001 seconds: "reason"`.
        private func ended(_ rest: Substring) -> Sentence? {
            guard let space = rest.firstIndex(of: " "), let seconds = Double(rest[..<space]),
                rest[space...].hasPrefix(" second")
            else { return nil }
            let words = rest[space...].dropFirst().drop { $0.isLetter }
            switch self {
            case .cancelled:
                return .ended("skipped", seconds: seconds, reason: Self.reason(words))
            default:
                guard words == "." || words.hasPrefix(" with ") && words.hasSuffix(".") else {
                    return nil
                }
                let word = self == .passed ? "passed" : "failed"
                return .ended(word, seconds: seconds, reason: "")
            }
        }

        private func skipped(_ rest: Substring) -> Sentence? {
            guard rest.isEmpty || rest == "." || rest.hasPrefix(":") else { return nil }
            return .ended("skipped", seconds: 0, reason: Self.reason(rest))
        }

        /// Returns the reason of a skip: `off` for `: "off"` and for `: "off".`, and an empty text
        /// for `.`.
        private static func reason(_ rest: Substring) -> String {
            let reason = rest.drop { ": .\"".contains($0) }
            let end = ["\".", "\""].first { reason.hasSuffix($0) } ?? ""
            return String(reason.dropLast(end.count))
        }
    }
}
