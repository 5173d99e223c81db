// Small changes of real files that keep them similar to their kind: another number or name,
// repeated or missing lines, another order, a cut, a flipped byte.
import FarmTesting
import Foundation

/// The parts of a line that may become another number or name, so that the file keeps its shape.
enum Spots {
    /// Text in quotation marks that is no markup.
    case quoted
    case words
    /// The text after the last slash.
    case lastNames

    func ranges(in line: String) -> [Range<String.Index>] {
        switch self {
        case .quoted:
            line.ranges(of: /"[^"<>]*"/).map {
                line.index(after: $0.lowerBound)..<line.index(before: $0.upperBound)
            }
        case .words: line.ranges(of: /[A-Za-z0-9_.]+/)
        case .lastNames:
            line.lastIndex(of: "/").map { [line.index(after: $0)..<line.endIndex] } ?? []
        }
    }
}

struct Mutator {
    private static let numbers = [
        "0", "-1", "00000000000000000001", "1,234.5", "0x7fffffffffffffff", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "1e308", "9.3e15", "1e999", "nan", "inf",
        "\u{661}", "1e18s", "99999999999h",
    ]
    private static let names = [
        "", ".", "..", "../\u{301}evil", "\u{600}/x", "/", "a/b", "\u{301}", "\u{E9}", "e\u{301}",
        "-", "--x", "~", "null", "true", "{}", "[]", "*", "**", "?", "\u{202E}", "\u{1B}[2J",
        "a\tb",
        "ext::\u{301}sh", "C:\\x", String(repeating: "x", count: 5_000),
        String(repeating: "\u{65E5}", count: 1_500),
    ]

    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// Returns `true` once in `times`.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    mutating func number() -> String { pick(Self.numbers) }

    mutating func name() -> String { pick(Self.names) }

    /// Returns a text after one to three changes; `spots` finds the parts that may become another
    /// number or name.
    mutating func changed(_ text: String, spots: Spots) -> [UInt8] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0...below(3) {
            let line = below(lines.count)
            switch below(8) {
            case 0...3: lines[line] = replaced(lines[line], spots)
            case 4:
                let count = once(in: 10) ? 500 : 1 + below(3)
                lines.insert(contentsOf: Array(repeating: lines[line], count: count), at: line)
            case 5: if lines.count > 1 { lines.remove(at: line) }
            case 6: lines.swapAt(line, below(lines.count))
            default:
                let end = min(lines.count, line + 1 + below(4))
                lines.insert(contentsOf: lines[line..<end], at: below(lines.count + 1))
            }
        }
        return damaged(Array(lines.joined(separator: "\n").utf8))
    }

    private mutating func replaced(_ line: String, _ spots: Spots) -> String {
        let found = spots.ranges(in: line)
        guard !found.isEmpty else { return line }
        let range = pick(found)
        let old = line[range]
        var new = once(in: 2) ? number() : name()
        if once(in: 6) { new = String(repeating: String(old), count: 2 + below(300)) }
        return line.replacingCharacters(in: range, with: new)
    }

    /// Returns the bytes, one time in eight cut or with some of them changed.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty, once(in: 8) else { return bytes }
        if once(in: 3) { return Array(bytes.prefix(below(bytes.count))) }
        for _ in 0...below(3) { bytes[below(bytes.count)] ^= 1 << UInt8(below(8)) }
        return bytes
    }
}
