// Names of tests inside Markdown, as text and as links. Characters with a meaning in Markdown or
// HTML become character references, and `@` cannot notify a user of the Git host.

enum MarkdownName {
    private static let special: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\\": "&#92;", "`": "&#96;",
        "*": "&#42;", "_": "&#95;", "[": "&#91;", "]": "&#93;", "|": "&#124;", "~": "&#126;",
        "#": "&#35;", "@": "&#64;&#8203;", "$": "&#36;", ":": "&#58;",
    ]

    /// Returns a name as one line that Markdown shows as plain text.
    ///
    /// Special characters are escaped; control and directional characters are dropped.
    static func text(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            let category = scalar.properties.generalCategory
            guard category != .control, category != .format, category != .lineSeparator,
                category != .paragraphSeparator
            else { continue }
            if let reference = special[scalar] {
                escaped += reference
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns a relative path for an attribute or a link.
    ///
    /// Everything but unreserved characters (RFC 3986 §2.3) and slashes is percent-encoded.
    static func link(_ path: String) -> String {
        var link = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                link.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                link += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return link
    }
}
