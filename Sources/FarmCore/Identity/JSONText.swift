// Builds JSON documents line by line, in bytes. Documents with a `Codable` type go through
// `JSONEncoder`. For thousands of lines, one for each test, this is faster; and bytes are faster
// than strings.

/// A JSON document that is built piece by piece, as bytes.
package struct JSONText {
    package private(set) var bytes: [UInt8] = []
    /// The first member whose number JSON cannot express (infinite, NaN), with the number, or
    /// `nil`.
    package private(set) var unwritable: String?

    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Returns the text as a JSON string: in quotation marks, escaped by RFC 8259 §7.
    package static func quoted(_ text: String) -> String {
        var document = JSONText()
        document.add(string: text)
        return String(decoding: document.bytes, as: UTF8.self)
    }

    /// Appends literal JSON to the document.
    package mutating func add(_ piece: StaticString) {
        piece.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a text that is JSON already.
    package mutating func add(json text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ number: Int) { add(json: String(number)) }

    /// Appends a number as the shortest text that reads back as the same number; whole numbers have
    /// no fraction.
    package mutating func add(_ number: Double) {
        let whole = Int(exactly: number)
        if let whole, whole.magnitude < 1 << 53 { return add(whole) }
        add(json: number.description)
    }

    /// Appends a JSON string: in quotation marks, escaped by RFC 8259 §7.
    package mutating func add(string text: String) {
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

    /// Appends a byte of a string, escaped if necessary; only ASCII must be escaped, so bytes need
    /// not be decoded.
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

// MARK: members of an object, in one line

extension JSONText {
    package mutating func add(_ key: StaticString, _ value: Int) {
        add(key: key)
        add(value)
    }

    package mutating func add(_ key: StaticString, _ value: Double) {
        if !value.isFinite, unwritable == nil { unwritable = "\(key) is \(value)" }
        add(key: key)
        add(value)
    }

    /// Appends the member `"key": value` to the object, or nothing if the value is `nil`.
    package mutating func add(_ key: StaticString, _ value: Bool?) {
        guard let value else { return }
        add(key: key)
        add(value ? "true" : "false")
    }

    /// Appends the member `"key": "value"` to the object, or nothing if the value is `nil`.
    package mutating func add(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        add(key: key)
        add(string: value)
    }

    package mutating func add(_ key: StaticString, _ members: (inout JSONText) -> Void) {
        add(key: key)
        add("{")
        members(&self)
        add("}")
    }

    package mutating func add<Item>(
        _ key: StaticString,
        list items: [Item],
        _ members: (inout JSONText, Item) -> Void
    ) {
        add(key: key)
        for (place, item) in items.enumerated() {
            add(place == 0 ? "[{" : ", {")
            members(&self, item)
            add("}")
        }
        add(items.isEmpty ? "[]" : "]")
    }

    private mutating func add(key: StaticString) {
        // Appends single bytes: with `add`, a summary of many tests would take half as long again.
        if bytes.last != UInt8(ascii: "{") {
            bytes.append(UInt8(ascii: ","))
            bytes.append(UInt8(ascii: " "))
        }
        bytes.append(UInt8(ascii: "\""))
        add(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
    }
}
