// The commands that a short answer proposes, and the words by which they name a run.
import FarmCore

/// A command that leads on from a short answer, with its reason.
package struct NextStep: Hashable, Sendable, Codable {
    package var command: String
    package var why: String

    package init(_ command: String, _ why: String) {
        self.command = command
        self.why = why
    }
}

/// The words by which the commands of a short answer name the run.
package struct RunWords: Hashable, Sendable {
    /// The argument of `show`: an id, or the path of a folder or zip.
    private let argument: String
    /// The options of `review`, `approve` and `reject`: `--run ID`, or `--from PATH`.
    private let option: String
    /// The options that all commands take: `--data DIR`, `--coordinator URL`, `--pipeline FILE`.
    private let place: [String]

    /// Makes the words for a run of a data folder or coordinator, or for one from `path`.
    ///
    /// `place` has the options after the run, each with its value.
    package init(run id: String, path: String? = nil, place: [(String, String)] = []) {
        argument = Self.word(path ?? id)
        option = path.map { "--from \(Self.word($0))" } ?? "--run \(Self.word(id))"
        self.place = place.map { "\($0.0) \(Self.word($0.1))" }
    }

    /// Returns the command that shows the run, or one of its changes.
    package func show(_ change: String? = nil, _ more: String...) -> String {
        let words = ["snapfarm show \(argument)"] + [change.map(Self.word)].compactMap(\.self)
        return (words + place + more).joined(separator: " ")
    }

    /// Returns the command that opens the run's page.
    package var review: String {
        (["snapfarm review \(option)"] + place).joined(separator: " ")
    }

    /// Returns the command `approve` or `reject` about pictures that `selection` names.
    package func decide(_ command: String, _ selection: String) -> String {
        (["snapfarm \(command) \(option)"] + place + [selection, "--reason \"…\""])
            .joined(separator: " ")
    }

    /// Returns a command of snapfarm with these words and the options of `place`.
    package static func command(_ words: String..., place: [(String, String)]) -> String {
        let all = words.map(word) + place.map { "\($0.0) \(word($0.1))" }
        return (["snapfarm"] + all).joined(separator: " ")
    }

    /// Returns a word as a shell reads it again.
    package static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_-./:=@,+%".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}

/// A part of a list, as many records as a short answer has.
package struct BriefPage<Record> {
    package var records: [Record]
    /// The cursor of the records that follow, or `nil` if these are the last.
    package var cursor: String?

    /// Cuts the records that follow a cursor out of all records.
    ///
    /// - Throws: ``BriefError/cursor(_:)`` for a text that no answer gave as a cursor.
    package init(of all: [Record], from cursor: String?) throws(BriefError) {
        var first = 0
        if let cursor {
            guard let number = Int(cursor), (0...all.count).contains(number) else {
                throw .cursor(cursor)
            }
            first = number
        }
        let end = min(all.count, first + FarmLimits.briefRecordsMax)
        records = Array(all[first..<end])
        self.cursor = end < all.count ? "\(end)" : nil
    }
}

/// The errors of a question that a short answer cannot answer.
package enum BriefError: ExplainedError, Hashable {
    case cursor(String)
    case unknown(String, run: String)
    case ambiguous(String, count: Int)
    /// The run ran no test, because an earlier one proves it green.
    case ranNothing(String)

    package var code: String {
        switch self {
        case .cursor: "cursor-unknown"
        case .unknown, .ambiguous: "change-unknown"
        case .ranNothing: "unchanged"
        }
    }
    package var message: String {
        switch self {
        case .cursor(let text): "\(text.prefix(40).debugDescription) is no cursor of this answer."
        case .unknown(let name, let run):
            "run \(run) has no cause, change, picture or test \(name.prefix(200).debugDescription)."
        case .ambiguous(let name, let count):
            "\(count) causes and changes begin with \(name.prefix(40).debugDescription)."
        case .ranNothing(let run):
            "run \(run) passed and ran no test: an earlier run proves it green."
        }
    }
    package var remedy: String {
        switch self {
        case .cursor: "Take the cursor of the answer before, or leave it out."
        case .unknown: "Take an id that `snapfarm show RUN` lists."
        case .ambiguous: "Give more digits of the id."
        case .ranNothing: "There is nothing to see. `snapfarm runs` lists the others."
        }
    }
    package var exit: ExitCode {
        switch self {
        case .cursor, .unknown, .ambiguous: .usage
        case .ranNothing: .invalidInput
        }
    }
}

/// Text as short answers have it.
enum BriefText {
    /// Returns the text as one line of limited length.
    static func line(_ text: String) -> String {
        let line = LegalText.line(text)
        guard line.unicodeScalars.count > FarmLimits.briefTextMax else { return line }
        return String(line.unicodeScalars.prefix(FarmLimits.briefTextMax)) + "…"
    }

    /// Returns the text, or `nil` if it is empty.
    static func some(_ text: String) -> String? { text.isEmpty ? nil : line(text) }

    /// Returns the end of a text of several lines, or `nil` if it is empty.
    static func end(_ text: String) -> String? {
        let text = LegalText.document(text)
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        let cut = text.unicodeScalars.count - FarmLimits.briefOutputMax
        return cut > 0 ? "…" + String(text.unicodeScalars.dropFirst(cut)) : text
    }

    /// Returns the standing decisions about pictures in words: `rejected by ada: too pale`; `nil` if
    /// there are none.
    static func decided(_ pictures: [SnapshotSummary], _ book: DecisionBook) -> String? {
        let made = pictures.compactMap { $0.subject.flatMap { book.standing[$0] } }
        guard let newest = made.max(by: { $0.when < $1.when }) else { return nil }
        guard made.count == pictures.count, Set(made.map(\.kind)).count == 1 else {
            let counts = Decision.Kind.allCases.compactMap { kind -> String? in
                let count = made.count { $0.kind == kind }
                return count > 0 ? "\(count) \(word(kind))" : nil
            }
            let open = pictures.count - made.count
            return (counts + (open > 0 ? ["\(open) open"] : [])).joined(separator: ", ")
        }
        let who = newest.who.isEmpty ? "" : " by \(PersonText.short(newest.who))"
        let reason = newest.reason.isEmpty ? "" : ": \(newest.reason)"
        return line(word(newest.kind) + who + reason)
    }

    /// Returns the comments about pictures, the newest last.
    static func comments(_ pictures: [SnapshotSummary], _ book: DecisionBook) -> [String]? {
        let made = pictures.flatMap { $0.subject.flatMap { book.comments[$0] } ?? [] }
            .sorted { $0.when < $1.when }.suffix(FarmLimits.briefRecordsMax)
        let lines = made.map { comment in
            let who = comment.who.isEmpty ? "" : "\(PersonText.short(comment.who)): "
            return line(who + comment.reason)
        }
        return lines.isEmpty ? nil : lines
    }

    private static func word(_ kind: Decision.Kind) -> String {
        switch kind {
        case .alternate: "accepted as alternate"
        case .published: "accepted and published"
        case .accepted, .rejected, .withdrawn, .commented: kind.rawValue
        }
    }
}
