// The end of what a program printed: what a person reads first when something went wrong.
import FarmCore
import Foundation
import Synchronization

/// Keeps the last bytes it is given.
package final class OutputTail: Sendable {
    private let limit: Int
    private let bytes = Mutex<[UInt8]>([])

    /// - Parameter limit: bytes kept.
    init(limit: Int = FarmLimits.resultOutputBytesMax) { self.limit = limit }

    package func append(_ more: some Collection<UInt8>) {
        bytes.withLock { bytes in
            bytes += more
            // Cut rarely, not for every line.
            if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
        }
    }

    /// The text kept, from a whole line on where something was cut; broken UTF-8 is repaired.
    package var text: String {
        let kept = bytes.withLock { Array($0.suffix(limit + 1)) }
        guard kept.count > limit else { return String(decoding: kept, as: UTF8.self) }
        let cut = kept.dropFirst()
        let lineEnd = cut.firstIndex(of: UInt8(ascii: "\n")).map { cut[($0 + 1)...] }
        return String(decoding: lineEnd.flatMap { $0.isEmpty ? nil : $0 } ?? cut, as: UTF8.self)
    }

    /// The last lines of a program that died, after the one that says why: a backtrace may be
    /// longer than they are.
    func lastWords(_ count: Int = 12) -> String {
        let lines = text.split(separator: "\n").map(String.init)
        let end = lines.suffix(count)
        let cause = lines.last { CrashWords.areIn($0) }.flatMap { end.contains($0) ? nil : $0 }
        return ([cause].compactMap(\.self) + end).joined(separator: "\n")
    }

    /// The line that says why a program ended, as far as anybody can tell: the last one that names
    /// an error, else the last one; a stack of calls or advice may follow it.
    var cause: String {
        let lines = text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let line = lines.last { $0.contains("Error") || $0.contains("error:") } ?? lines.last ?? ""
        return String(line.prefix(Self.causeCharactersMax))
    }

    private static let causeCharactersMax = 300

    /// The last lines, for an error's message.
    package func lastLines(_ count: Int = 12) -> String {
        text.split(separator: "\n").suffix(count).joined(separator: "\n")
    }
}

/// Splits bytes that come in pieces into lines.
struct LineSplitter {
    /// A longer line is handed on in pieces.
    private static let lineBytesMax = 1 << 20
    private var rest: [UInt8] = []

    /// The lines that `bytes` completes, without their ends (`\n` or `\r\n`).
    mutating func feed(_ bytes: some Collection<UInt8>) -> [String] {
        var lines: [String] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(line(rest + bytes[start..<end]))
            rest = []
            start = bytes.index(after: end)
        }
        rest += bytes[start...]
        if rest.count > Self.lineBytesMax { lines += finish() }
        return lines
    }

    /// What is left when nothing more comes.
    mutating func finish() -> [String] {
        guard !rest.isEmpty else { return [] }
        defer { rest = [] }
        return [line(rest)]
    }

    private func line(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...],
            as: UTF8.self
        )
    }
}
