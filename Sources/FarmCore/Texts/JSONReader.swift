// Reads JSON (RFC 8259) without losing what the comparison needs: numbers keep all their digits, and
// two spellings of one letter stay two keys.
import Foundation

struct JSONReader {
    enum Value {
        /// A text, number, `true`, `false` or `null` in its one spelling.
        case plain(String)
        case list([Value])
        /// The members by the bytes of their names; of several with one name, the last.
        case object([(name: String, value: Value)])
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: Data) { self.bytes = Array(bytes) }

    mutating func document() throws(TextDefect) -> Value {
        let value = try value(depth: 0)
        skipSpace()
        guard place == bytes.count else { throw wrong("something follows its end") }
        return value
    }

    // MARK: values

    private mutating func value(depth: Int) throws(TextDefect) -> Value {
        guard depth < FarmLimits.jsonDepthMax else {
            throw wrong("it is nested more than \(FarmLimits.jsonDepthMax) levels deep")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try list(depth: depth)
        case UInt8(ascii: "\""): return .plain(JSONText.quoted(try text()))
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte):
            return .plain(try number())
        default:
            for word in ["true", "false", "null"] where bytes[place...].starts(with: word.utf8) {
                place += word.utf8.count
                return .plain(word)
            }
            throw wrong("a value is missing")
        }
    }

    private mutating func object(depth: Int) throws(TextDefect) -> Value {
        var members: [(name: String, value: Value)] = []
        place += 1
        skipSpace()
        while next != UInt8(ascii: "}") {
            if !members.isEmpty { try take(UInt8(ascii: ",")) }
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw wrong("the name of a member is missing") }
            let name = try text()
            skipSpace()
            try take(UInt8(ascii: ":"))
            members.append((name, try value(depth: depth + 1)))
            skipSpace()
        }
        place += 1
        // The sort is stable, so the last of equal names stays last.
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var kept: [(name: String, value: Value)] = []
        for member in members {
            if let last = kept.last, last.name.utf8.elementsEqual(member.name.utf8) {
                kept.removeLast()
            }
            kept.append(member)
        }
        return .object(kept)
    }

    private mutating func list(depth: Int) throws(TextDefect) -> Value {
        var values: [Value] = []
        place += 1
        skipSpace()
        while next != UInt8(ascii: "]") {
            if !values.isEmpty { try take(UInt8(ascii: ",")) }
            values.append(try value(depth: depth + 1))
            skipSpace()
        }
        place += 1
        return .list(values)
    }

    /// Reads a text by Foundation, which knows all escapes.
    private mutating func text() throws(TextDefect) -> String {
        let start = place
        place += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            place += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.count else { throw wrong("a text has no end") }
        place += 1
        let inside = bytes[start + 1..<place - 1]
        guard inside.contains(where: { $0 == UInt8(ascii: "\\") || $0 < 0x20 }) else {
            return String(decoding: inside, as: UTF8.self)
        }
        let piece = Data(bytes[start..<place])
        guard let text = try? JSONDecoder().decode(String.self, from: piece) else {
            place = start
            throw wrong("a text has a wrong escape or a control character")
        }
        return text
    }

    // MARK: numbers

    /// Reads a number, and writes it in the one spelling of its value: `1.50e1` is `15`.
    private mutating func number() throws(TextDefect) -> String {
        let start = place
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let whole = digits()
        guard let first = whole.first, whole.count == 1 || first != UInt8(ascii: "0") else {
            throw wrong("a number has no digits, or begins with 0")
        }
        var fraction: ArraySlice<UInt8> = []
        if next == UInt8(ascii: ".") {
            place += 1
            fraction = digits()
            guard !fraction.isEmpty else { throw wrong("a number has no digits after its point") }
        }
        var power = 0
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            place += 1
            let isSmall = next == UInt8(ascii: "-")
            if isSmall || next == UInt8(ascii: "+") { place += 1 }
            let digits = digits()
            guard !digits.isEmpty else { throw wrong("a number has no digits in its exponent") }
            guard let value = Int(String(decoding: digits, as: UTF8.self)), value < 1 << 40 else {
                return String(decoding: bytes[start..<place], as: UTF8.self)
            }
            power = isSmall ? -value : value
        }
        var all = Array(whole + fraction)
        power -= fraction.count
        while all.last == UInt8(ascii: "0"), all.count > 1 {
            all.removeLast()
            power += 1
        }
        all = Array(all.drop { $0 == UInt8(ascii: "0") })
        guard !all.isEmpty else { return "0" }
        return (isNegative ? "-" : "") + Self.spelled(String(decoding: all, as: UTF8.self), power)
    }

    /// Returns the number `digits × 10^power`, without an exponent if it is at most 21 digits long.
    private static func spelled(_ digits: String, _ power: Int) -> String {
        let count = digits.utf8.count
        if power >= 0, count + power <= 21 {
            return digits + String(repeating: "0", count: power)
        }
        if power < 0, -power < count {
            return "\(digits.dropLast(-power)).\(digits.suffix(-power))"
        }
        if power < 0, -power <= 21 {
            return "0." + String(repeating: "0", count: -power - count) + digits
        }
        return "\(digits)e\(power)"
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let start = place
        while let byte = next, Self.isDigit(byte) { place += 1 }
        return bytes[start..<place]
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    // MARK: bytes

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    private mutating func take(_ byte: UInt8) throws(TextDefect) {
        guard next == byte else {
            throw wrong("\"\(Character(Unicode.Scalar(byte)))\" is missing")
        }
        place += 1
    }

    private func wrong(_ reason: String) -> TextDefect {
        let line = bytes.prefix(place).count { $0 == UInt8(ascii: "\n") } + 1
        return .notJSON(reason: "\(reason), in line \(line).")
    }
}
