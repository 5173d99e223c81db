// Escapes hostile text for GitHub-flavoured Markdown. Punctuation with a meaning becomes a
// character reference, which no parser reads as structure. `@` gets a zero-width space behind it,
// so that a hostile name notifies no person.
import FarmCore

enum MarkdownText {
    private static let special: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\\": "&#92;",
        "`": "&#96;", "*": "&#42;", "_": "&#95;", "[": "&#91;", "]": "&#93;", "|": "&#124;",
        "~": "&#126;", "#": "&#35;", "@": "&#64;&#8203;", "$": "&#36;", ":": "&#58;",
    ]

    /// Returns the text escaped as one line, cut at ``ReportLimits/sentenceScalarsMax``.
    static func plain(_ text: String) -> String {
        whole(LegalText.clipped(LegalText.line(text), to: ReportLimits.sentenceScalarsMax))
    }

    /// Returns the text escaped as one line that is never cut, for sentences that say what to do.
    static func whole(_ text: String) -> String {
        var escaped = ""
        for scalar in LegalText.line(text).unicodeScalars {
            if let reference = special[scalar] {
                escaped += reference
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a problem as a list item; its message may be cut, its remedy is not.
    static func problem(_ finding: ProblemFinding) -> String {
        let problem = finding.problem
        let words = [plain(finding.message), plain(finding.follows), whole(problem.remedy)]
        return "- \(problem.isNote ? "note: " : "")**\(plain(problem.code))**: "
            + "\(words.filter { !$0.isEmpty }.joined(separator: " "))\n"
    }

    /// Returns the text of a cause, escaped; the cause of an error contains its remedy and is never
    /// cut.
    static func cause(_ finding: CauseFinding) -> String {
        finding.verdict == .errored ? whole(finding.cause) : plain(finding.cause)
    }

    /// Returns the text in code type; an empty text stays empty.
    static func code(_ text: String) -> String {
        let inner = plain(text)
        return inner.isEmpty ? "" : "<code>\(inner)</code>"
    }

    /// Returns the end of a text, as much as fits on a screen.
    static func tail(_ text: String) -> String {
        let legal = LegalText.document(text)
        let tail = legal.unicodeScalars.suffix(ReportLimits.outputScalarsMax)
        return tail.startIndex == legal.startIndex ? legal : "…" + String(tail)
    }

    /// Returns several lines verbatim as a code block, whose fence is longer than any run of
    /// backticks in it; `language` says how a Git host colours them.
    static func fenced(_ text: String, as language: String = "text") -> String {
        let body = LegalText.document(text)
        var longest = 0
        var run = 0
        for byte in body.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "\(fence)\(language)\n\(body)\(body.hasSuffix("\n") ? "" : "\n")\(fence)\n"
    }
}
