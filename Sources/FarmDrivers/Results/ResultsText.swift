// Converts the bytes of a results file to UTF-8, by its first bytes or its declaration. Bytes that
// are no character of its encoding become U+FFFD: one bad byte, which a test printed, must not cost
// the results of all.
import FarmCore
import Foundation

struct ResultsText {
    private(set) var bytes: [UInt8] = []
    /// The byte offsets of the first U+FFFD that stand for unreadable bytes, at most `replacedMax`.
    private(set) var replaced: [Int] = []

    private enum Encoding {
        case utf8, windows1252
        case utf16(isBigEndian: Bool)
    }
    /// The most offsets of unreadable bytes that are kept; people look at the first.
    static let replacedMax = 1_000
    /// The number of bytes that are converted between two calls of `mayGoOn`.
    private static let pieceBytes = 1 << 16

    /// Converts a file to UTF-8, or returns `nil` for UTF-8 without a fault, which needs no
    /// conversion.
    ///
    /// - Throws: `Ended` if `mayGoOn` stopped the work.
    init?(_ file: UnsafeBufferPointer<UInt8>, while mayGoOn: () -> Bool) throws(Ended) {
        switch Self.encoding(of: file) {
        case .utf8:
            let firstBad = try Self.firstBadPiece(of: file, while: mayGoOn)
            guard let firstBad else { return nil }
            bytes += file[..<firstBad]
            try append(file[firstBad...], of: UTF8.self, while: mayGoOn)
        case .windows1252:
            try append(file.lazy.map(Self.windows1252), of: UTF16.self, while: mayGoOn)
        case .utf16(let isBigEndian):
            let units = (0..<file.count / 2).lazy.map { index in
                let (one, two) = (UInt16(file[2 * index]), UInt16(file[2 * index + 1]))
                return isBigEndian ? one << 8 | two : two << 8 | one
            }
            try append(units, of: UTF16.self, while: mayGoOn)
        }
    }

    struct Ended: Error {}

    /// Returns the start of the first piece that is not UTF-8, or `nil` if all bytes are.
    private static func firstBadPiece(
        of file: UnsafeBufferPointer<UInt8>,
        while mayGoOn: () -> Bool
    ) throws(Ended) -> Int? {
        var start = 0
        while start < file.count {
            guard mayGoOn() else { throw Ended() }
            // A piece ends before the first byte of a character.
            var end = min(start + pieceBytes, file.count)
            while end < file.count, end > start, file[end] & 0xC0 == 0x80 { end -= 1 }
            let piece = UnsafeBufferPointer(rebasing: file[start..<end])
            guard end > start, String(validating: piece, as: UTF8.self) != nil else { return start }
            start = end
        }
        return nil
    }

    private mutating func append<Coding: Unicode.Encoding>(
        _ units: some Sequence<Coding.CodeUnit>,
        of coding: Coding.Type,
        while mayGoOn: () -> Bool
    ) throws(Ended) {
        var parser = Coding.ForwardParser()
        var units = units.makeIterator()
        var steps = 0
        while true {
            steps += 1
            if steps % Self.pieceBytes == 0, !mayGoOn() { throw Ended() }
            switch parser.parseScalar(from: &units) {
            case .valid(let scalar):
                if let utf8 = UTF8.transcode(scalar, from: Coding.self) { bytes += utf8 }
            case .error:
                if replaced.count < Self.replacedMax {
                    replaced.append(bytes.count)
                }
                bytes += "\u{FFFD}".utf8
            case .emptyInput: return
            }
        }
    }

    // MARK: encodings

    private static func encoding(of file: UnsafeBufferPointer<UInt8>) -> Encoding {
        switch (file.first, file.dropFirst().first) {
        case (0xFF, 0xFE), (0x3C, 0): .utf16(isBigEndian: false)
        case (0xFE, 0xFF), (0, 0x3C): .utf16(isBigEndian: true)
        // Any other file is UTF-8, even if it declares UTF-16.
        default: isWindows1252(file) ? .windows1252 : .utf8
        }
    }

    private static func isWindows1252(_ file: UnsafeBufferPointer<UInt8>) -> Bool {
        let head = String(decoding: file.prefix(200), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let end = head.range(of: "?>"),
            let key = head[..<end.lowerBound].range(of: "encoding")
        else { return false }
        let value = head[key.upperBound..<end.lowerBound].split { "= \t\r\n\"'".contains($0) }.first
        let names = ["iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252"]
        return names.contains(value?.lowercased() ?? "")
    }

    /// Returns the character of a byte in Windows-1252.
    ///
    /// ISO-8859-1 has control characters where Windows-1252 has letters and signs; programs that
    /// declare the first write the second.
    private static func windows1252(_ byte: UInt8) -> UInt16 {
        guard (0x80..<0xA0).contains(byte) else { return UInt16(byte) }
        return windows1252Signs[Int(byte) - 0x80]
    }

    private static let windows1252Signs: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039,
        0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
