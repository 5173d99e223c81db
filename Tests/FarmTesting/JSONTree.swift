// JSON that can be broken on purpose. Unlike an attacker, Foundation's encoder never writes a key
// twice or a number that Swift cannot hold.
import Foundation

/// A JSON document, exactly as written in its text.
package indirect enum JSONTree: Sendable {
    /// `null`, `true`, `false` or a number: a value without quotation marks.
    case word(String)
    case text(String)
    case list([JSONTree])
    case object([(key: String, value: JSONTree)])

    /// Parses a document.
    ///
    /// - Throws: If the bytes are not JSON.
    package init(parsing bytes: Data) throws {
        self = try Reader.tree(of: bytes)
    }

    /// The document as text.
    package var bytes: Data {
        var text = ""
        write(to: &text)
        return Data(text.utf8)
    }

    private func write(to text: inout String) {
        switch self {
        case .word(let word): text += word
        case .text(let value): text += Self.quoted(value)
        case .list(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += "," }
                item.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += Self.quoted(member.key) + ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data("\"\"".utf8), as: UTF8.self)
    }

    /// The number of values in the document, including itself.
    private var size: Int {
        switch self {
        case .word, .text: 1
        case .list(let items): items.reduce(1) { $0 + $1.size }
        case .object(let members): members.reduce(1) { $0 + $1.value.size }
        }
    }
}

extension JSONTree {
    /// Returns the document with some values changed.
    ///
    /// Most keep their kind, so that the document can still be decoded.
    package func mutated(changes: Int, using random: inout SeededGenerator) -> JSONTree {
        var tree = self
        for _ in 0..<changes {
            var place = Int.random(in: 0..<tree.size, using: &random)
            tree = tree.changed(at: &place, &random)
        }
        return tree
    }

    /// Counts down through the values, and changes the one at zero.
    private func changed(at place: inout Int, _ random: inout SeededGenerator) -> JSONTree {
        guard place > 0 else {
            place = -1
            return changed(&random)
        }
        place -= 1
        switch self {
        case .word, .text: return self
        case .list(let items):
            return .list(items.map { place < 0 ? $0 : $0.changed(at: &place, &random) })
        case .object(let members):
            return .object(
                members.map {
                    place < 0 ? $0 : ($0.key, $0.value.changed(at: &place, &random))
                }
            )
        }
    }

    private func changed(_ random: inout SeededGenerator) -> JSONTree {
        switch self {
        case .word(let word): .word(Self.other(word, &random))
        case .text(let text): .text(Self.otherText(text, &random))
        case .list(let items): .list(Self.other(items, &random))
        case .object(let members): .object(Self.other(members, &random))
        }
    }

    private static func other(_ word: String, _ random: inout SeededGenerator) -> String {
        if word == "true" || word == "false" { return word == "true" ? "false" : "true" }
        if word == "null" { return "0" }
        if let number = Int64(word), Bool.random(using: &random) {
            return
                "\([number &+ 1, number &- 1, 0 &- number, number &* 1_000].randomElement(using: &random) ?? 0)"
        }
        return numbers.randomElement(using: &random) ?? "0"
    }

    private static let numbers = [
        "0", "-1", "1", "2", "65536", "2147483648", "-2147483649", "9007199254740993",
        "9223372036854775807", "-9223372036854775808", "18446744073709551615", "0.5", "-0.0",
        "1e-300", "1e15", "9.3e18", "1e300", "-1e300", "1e999",
    ]

    private static func otherText(_ text: String, _ random: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: texts.randomElement(using: &random) ?? ""
        case 1: text + (texts.randomElement(using: &random) ?? "")
        case 2: String(text.dropLast())
        case 3: String(text.reversed())
        case 4: text + text
        case 5: text.replacing("1", with: numbers.randomElement(using: &random) ?? "2")
        case 6: "../" + text
        default: String(repeating: text, count: 300)
        }
    }

    private static let texts = [
        "", ".", "..", "/", "../../../evil", "..\u{301}", "/\u{301}etc", "a/b/c", "a//b", "\u{0}",
        "\u{1B}[2J", "\u{202E}gnp", "\u{FEFF}", "e\u{301}", "é", "\n", "NaN",
        "-9223372036854775808",
        "sha256:", String(repeating: "0", count: 64), String(repeating: "f", count: 40), "null",
    ]

    private static func other(_ items: [JSONTree], _ random: inout SeededGenerator) -> [JSONTree] {
        guard let item = items.randomElement(using: &random) else { return [] }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return []
        case 1: return items + [item]
        case 2: return items.reversed()
        case 3: return Array(items.dropLast())
        case 4: return items + items
        default: return Array(repeating: item, count: 300)
        }
    }

    private static func other(
        _ members: [(key: String, value: JSONTree)],
        _ random: inout SeededGenerator
    ) -> [(key: String, value: JSONTree)] {
        guard let one = members.randomElement(using: &random),
            let two = members.randomElement(using: &random)
        else { return members }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return members.filter { $0.key != one.key }
        case 1: return members + [(one.key, two.value)]
        case 2: return members + [(one.key + "2", one.value)]
        default: return members.map { $0.key == one.key ? ($0.key, $0.value.changed(&random)) : $0 }
        }
    }
}

/// Reads any JSON.
///
/// It does not use a decoder that tries one type after another: the test library keeps a backtrace
/// of every thrown error, and a fuzzer reads a million documents.
private struct Reader {
    private struct NoJSON: Error {}

    private let bytes: [UInt8]
    private var place = 0

    static func tree(of bytes: Data) throws -> JSONTree {
        var reader = Reader(bytes: Array(bytes))
        let tree = try reader.value()
        guard reader.peek() == nil else { throw NoJSON() }
        return tree
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next byte that is not white space.
    private mutating func peek() -> UInt8? {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        return place < bytes.count ? bytes[place] : nil
    }

    private mutating func take(_ sign: Unicode.Scalar) throws {
        guard peek() == UInt8(ascii: sign) else { throw NoJSON() }
        place += 1
    }

    private mutating func value() throws -> JSONTree {
        switch peek() {
        case UInt8(ascii: "{"):
            return .object(
                try items(from: "{", to: "}") { reader in
                    let key = try reader.text()
                    try reader.take(":")
                    return (key, try reader.value())
                }
            )
        case UInt8(ascii: "["): return .list(try items(from: "[", to: "]") { try $0.value() })
        case UInt8(ascii: "\""): return .text(try text())
        default: return .word(try word())
        }
    }

    private mutating func items<Item>(
        from open: Unicode.Scalar,
        to close: Unicode.Scalar,
        _ item: (inout Reader) throws -> Item
    ) throws -> [Item] {
        try take(open)
        var items: [Item] = []
        while peek() != UInt8(ascii: close) {
            if !items.isEmpty { try take(",") }
            items.append(try item(&self))
        }
        try take(close)
        return items
    }

    private mutating func text() throws -> String {
        try take("\"")
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        let inside = bytes[start..<min(place, bytes.count)]
        try take("\"")
        guard inside.contains(UInt8(ascii: "\\")) else {
            return String(decoding: inside, as: UTF8.self)
        }
        return try JSONDecoder().decode(String.self, from: Data([0x22] + inside + [0x22]))
    }

    private mutating func word() throws -> String {
        let rest = bytes[place...]
        let word = rest.prefix { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
                || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }
        guard !word.isEmpty else { throw NoJSON() }
        place += word.count
        return String(decoding: word, as: UTF8.self)
    }
}
