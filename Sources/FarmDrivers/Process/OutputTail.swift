// Keeps the end of a program's output, which people read first when something went wrong.
import FarmCore
import Foundation
import Synchronization

/// Keeps the last bytes of an output.
package final class OutputTail: Sendable {
    private let limit: Int
    private let bytes = Mutex<[UInt8]>([])

    /// Creates an empty tail that keeps the last `limit` bytes.
    package init(limit: Int = FarmLimits.resultOutputBytesMax) { self.limit = limit }

    package func append(_ more: some Collection<UInt8>) {
        bytes.withLock { bytes in
            bytes += more
            // Cuts rarely, not for every line.
            if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
        }
    }

    /// The end of the output as text, with broken UTF-8 repaired; if something was cut, it begins
    /// with a whole line.
    package var text: String {
        let kept = bytes.withLock { Array($0.suffix(limit + 1)) }
        guard kept.count > limit else { return String(decoding: kept, as: UTF8.self) }
        let cut = kept.dropFirst()
        let lineEnd = cut.firstIndex(of: UInt8(ascii: "\n")).map { cut[($0 + 1)...] }
        return String(decoding: lineEnd.flatMap { $0.isEmpty ? nil : $0 } ?? cut, as: UTF8.self)
    }

    /// Returns the last `count` lines of a program that died, and before them the line with the
    /// reason if they lack it: a backtrace may be longer than these lines.
    func lastWords(_ count: Int = 12) -> String {
        let lines = text.split(separator: "\n").map(String.init)
        let end = lines.suffix(count)
        let cause = lines.last { CrashWords.areIn($0) }.flatMap { end.contains($0) ? nil : $0 }
        return ([cause].compactMap(\.self) + end).joined(separator: "\n")
    }

    /// The line that probably has the reason why a program ended: the last one that names an error,
    /// else the last one.
    ///
    /// A stack of calls or advice may follow it.
    var cause: String {
        let lines = text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let line = lines.last { $0.contains("Error") || $0.contains("error:") } ?? lines.last ?? ""
        return String(line.prefix(Self.causeCharactersMax))
    }

    private static let causeCharactersMax = 300

    /// Returns the last `count` lines, for an error's message.
    package func lastLines(_ count: Int = 12) -> String {
        text.split(separator: "\n").suffix(count).joined(separator: "\n")
    }
}

/// Splits bytes that arrive in pieces into lines.
struct LineSplitter {
    /// The most bytes of a line; a longer one is passed on in pieces.
    private static let lineBytesMax = 1 << 20
    private var rest: [UInt8] = []

    /// Returns the lines that `bytes` completes, without their ends (`\n` or `\r\n`).
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

    /// Returns the last, unfinished line, if there is one; to be called when no more bytes come.
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
