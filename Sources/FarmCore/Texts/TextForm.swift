// The form in which a text is compared: its lines. JSON becomes one line for each value, with
// sorted keys and one spelling of each number, so that equal values are equal lines.
import Foundation

/// The reason why a file is no text that can be compared.
package enum TextDefect: ExplainedError, Equatable {
    case tooLong(bytes: Int)
    case notText
    case notJSON(reason: String)

    package var code: String { "text-unreadable" }
    package var message: String {
        switch self {
        case .tooLong(let bytes):
            "the text has \(bytes) bytes, more than \(FarmLimits.textBytesMax)."
        case .notText: "the text is no UTF-8."
        case .notJSON(let reason): "the text is no JSON: \(reason)"
        }
    }
    package var remedy: String {
        switch self {
        case .tooLong: "Let the test write several shorter texts."
        case .notText: "Let the test write UTF-8, or give a file of another kind another ending."
        case .notJSON: "Let the test write JSON, or another ending than .json."
        }
    }
    package var exit: ExitCode { .invalidInput }
}

/// A text in the form in which it is compared.
package struct TextForm: Hashable, Sendable {
    /// The lines as UTF-8 without their ends.
    ///
    /// They are bytes because two spellings of one letter are one `String`, and two texts.
    package let lines: [[UInt8]]

    /// Reads a text.
    ///
    /// A `\r\n` is a `\n`; a missing end of the last line counts.
    package init(_ bytes: Data, _ rule: TextRule) throws(TextDefect) {
        guard bytes.count <= FarmLimits.textBytesMax else {
            throw .tooLong(bytes: bytes.count)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        var lines =
            try rule.isJSON
            ? JSONForm.lines(of: bytes, ignoring: rule.ignored) : Self.lines(of: text)
        for case .pattern(let pattern) in rule.ignored {
            // The pipeline file was refused if it is no regular expression.
            guard let pattern = try? Regex(pattern) else { continue }
            if rule.isFindings {
                lines.removeAll { String(decoding: $0, as: UTF8.self).contains(pattern) }
                continue
            }
            lines = lines.map { line in
                let text = String(decoding: line, as: UTF8.self)
                return text.contains(pattern)
                    ? Array(text.replacing(pattern, with: Self.ignoredMark).utf8) : line
            }
        }
        self.lines = lines
    }

    /// Whether the text is equal to its reference by their rule.
    package func isEqual(to reference: TextForm, _ rule: TextRule) -> Bool {
        if lines == reference.lines { return true }
        return rule.isFindings && Set(lines).isSubset(of: reference.lines)
    }

    private static func lines(of text: String) -> [[UInt8]] {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? Array($0.dropLast()) : Array($0) }
        if lines.last?.isEmpty == true {
            lines.removeLast()
        } else {
            lines.append(Array(Self.noEnd.utf8))
        }
        return lines
    }

    /// The text in place of what is ignored.
    static let ignoredMark = "…"
    private static let noEnd = "\\ No newline at end of file"
}
