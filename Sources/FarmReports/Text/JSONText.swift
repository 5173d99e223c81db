// Strings of JSON documents that are put together line by line. Documents with a value of their
// own go through JSONEncoder; a line for each of thousands of tests is quicker written.

enum JSONText {
    /// A string in its quotation marks, escaped as RFC 8259 §7 asks.
    static func quoted(_ text: String) -> String {
        var document = ""
        append(text, to: &document)
        return document
    }

    /// Adds a string in its quotation marks; makes no text of its own on the way.
    static func append(_ text: String, to document: inout String) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        }
        document += "\""
        if isPlain { document += text } else { appendEscaped(text, to: &document) }
        document += "\""
    }

    private static func appendEscaped(_ text: String, to quoted: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: quoted.unicodeScalars.append(scalar)
            }
        }
    }
}
