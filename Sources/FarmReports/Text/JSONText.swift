// JSON documents that are put together line by line, in bytes. Documents with a value of their
// own go through JSONEncoder; a line for each of thousands of tests is quicker written, and bytes
// are quicker put together than texts.

/// A JSON document in the making.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// A string in its quotation marks, escaped as RFC 8259 §7 asks.
    static func quoted(_ text: String) -> String {
        var document = JSONText()
        document.add(string: text)
        return String(decoding: document.bytes, as: UTF8.self)
    }

    /// Adds a piece of the document itself.
    mutating func add(_ piece: StaticString) {
        piece.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Adds what is JSON already.
    mutating func add(json text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func add(_ number: Int) { add(json: String(number)) }

    /// The shortest text that reads back as the same number; whole numbers without a fraction.
    mutating func add(_ number: Double) {
        let whole = Int(exactly: number)
        if let whole, whole.magnitude < 1 << 53 { return add(whole) }
        add(json: "\(number)")
    }

    /// Adds a string in its quotation marks, escaped as RFC 8259 §7 asks.
    mutating func add(string text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { source in
            if source.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
                bytes.append(contentsOf: source)
            } else {
                for byte in source { addEscaped(byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// All that must be escaped is ASCII, so bytes do as well as scalars.
    private mutating func addEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): add("\\\"")
        case UInt8(ascii: "\\"): add("\\\\")
        case UInt8(ascii: "\n"): add("\\n")
        case UInt8(ascii: "\r"): add("\\r")
        case UInt8(ascii: "\t"): add("\\t")
        case 0..<0x20:
            let hex = String(byte, radix: 16)
            add(json: "\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
        default: bytes.append(byte)
        }
    }
}
