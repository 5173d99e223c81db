// Texts that are JSON as they are, between quotes.

enum PlainText {
    /// Whether a byte stands for itself in a JSON string: printable ASCII but for what is escaped.
    static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
