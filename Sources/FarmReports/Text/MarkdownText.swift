// Hostile text inside GitHub-flavoured Markdown. Punctuation that means something becomes a
// character reference, which no parser reads as structure; `@` gets a zero-width space behind it,
// or a hostile name would notify people.

enum MarkdownText {
    private static let special: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\\": "&#92;",
        "`": "&#96;", "*": "&#42;", "_": "&#95;", "[": "&#91;", "]": "&#93;", "|": "&#124;",
        "~": "&#126;", "#": "&#35;", "@": "&#64;&#8203;", "$": "&#36;", ":": "&#58;",
    ]

    /// One line of plain text.
    static func plain(_ text: String) -> String {
        var escaped = ""
        let line = LegalText.clipped(
            LegalText.line(text),
            to: ReportLimits.sentenceScalarsMax
        )
        for scalar in line.unicodeScalars {
            if let reference = special[scalar] {
                escaped += reference
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A name, in code type; empty stays empty.
    static func code(_ text: String) -> String {
        let inner = plain(text)
        return inner.isEmpty ? "" : "<code>\(inner)</code>"
    }

    /// Several lines, verbatim; the fence is longer than any run of backticks inside.
    static func fenced(_ text: String) -> String {
        let legal = LegalText.document(text)
        let tail = legal.unicodeScalars.suffix(ReportLimits.outputScalarsMax)
        let body = tail.startIndex == legal.startIndex ? legal : "…" + String(tail)
        var longest = 0
        var run = 0
        for byte in body.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "\(fence)text\n\(body)\(body.hasSuffix("\n") ? "" : "\n")\(fence)\n"
    }
}
