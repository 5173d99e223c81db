// JSON documents that are put together line by line, in bytes. Documents with a value of their
// own go through JSONEncoder; a line for each of thousands of tests is quicker written, and bytes
// are quicker put together than texts.

/// A JSON document in the making.
package struct JSONText {
    package private(set) var bytes: [UInt8] = []
    /// The first member whose number has no spelling in JSON, with the number.
    package private(set) var unwritable: String?

    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// A string in its quotation marks, escaped as RFC 8259 §7 asks.
    package static func quoted(_ text: String) -> String {
        var document = JSONText()
        document.add(string: text)
        return String(decoding: document.bytes, as: UTF8.self)
    }

    /// Adds a piece of the document itself.
    package mutating func add(_ piece: StaticString) {
        piece.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Adds what is JSON already.
    package mutating func add(json text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ number: Int) { add(json: String(number)) }

    /// The shortest text that reads back as the same number; whole numbers without a fraction.
    package mutating func add(_ number: Double) {
        let whole = Int(exactly: number)
        if let whole, whole.magnitude < 1 << 53 { return add(whole) }
        add(json: number.description)
    }

    /// Adds a string in its quotation marks, escaped as RFC 8259 §7 asks.
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

    /// Nil is left out.
    package mutating func add(_ key: StaticString, _ value: Bool?) {
        guard let value else { return }
        add(key: key)
        add(value ? "true" : "false")
    }

    /// Nil is left out.
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
        // Marks one by one: pieces would make a summary of many tests half as slow again.
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
