// Decodes the texts of XML: replaces references, and ends lines with LF. No text is rejected,
// because one bad character must not cost the results of a whole file.
import FarmCore
import Foundation

extension XMLScanner {
    /// The most bytes of a reference that is recognised: seven digits name any character, and
    /// leading zeros mean nothing.
    private static let referenceBytesMax = 16
    private static let named: [(StaticString, Unicode.Scalar)] = [
        ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"),
    ]

    /// The character that a reference in the text stands for, and the end of the reference.
    struct Reference {
        var scalar: Unicode.Scalar
        /// The offset of the first byte after the reference.
        var end: Int
        /// Whether the reference names no character, so that U+FFFD stands for it.
        var isReplaced = false
    }

    func reference(at start: Int, in range: Range<Int>) -> Reference {
        let asItIs = Reference(scalar: "&", end: start + 1)
        guard let end = referenceEnd(at: start, in: range) else { return asItIs }
        for (name, scalar) in Self.named where name.utf8CodeUnitCount == end - start - 2 {
            guard memcmp(base + start + 1, name.utf8Start, name.utf8CodeUnitCount) != 0 else {
                return Reference(scalar: scalar, end: end)
            }
        }
        guard let value = number(start..<end) else { return asItIs }
        if value > 0, let scalar = Unicode.Scalar(value) {
            return Reference(scalar: scalar, end: end)
        }
        // Some programs write a character as its two UTF-16 surrogates.
        if Self.highSurrogates.contains(value),
            let lowEnd = referenceEnd(at: end, in: range), let low = number(end..<lowEnd),
            Self.lowSurrogates.contains(low),
            let scalar = Unicode.Scalar(
                0x10000 + (value - Self.highSurrogates.lowerBound) << 10
                    + (low - Self.lowSurrogates.lowerBound)
            )
        {
            return Reference(scalar: scalar, end: lowEnd)
        }
        return Reference(scalar: "\u{FFFD}", end: end, isReplaced: true)
    }

    private static let highSurrogates: Range<UInt32> = 0xD800..<0xDC00
    private static let lowSurrogates: Range<UInt32> = 0xDC00..<0xE000

    /// Returns the position after the `;` of a reference at `start`, or `nil` if there is none
    /// nearby.
    private func referenceEnd(at start: Int, in range: Range<Int>) -> Int? {
        guard start < range.upperBound, bytes[start] == UInt8(ascii: "&") else { return nil }
        let limit = min(range.upperBound, start + Self.referenceBytesMax)
        return find(UInt8(ascii: ";"), in: start..<limit).map { $0 + 1 }
    }

    /// Returns the number in a reference `&#…;`, or `nil` if it has none; a number that is too
    /// large becomes one that names no character.
    private func number(_ range: Range<Int>) -> UInt32? {
        let name = string(range.lowerBound + 1..<range.upperBound - 1)
        let isHex = name.utf8.starts(with: "#x".utf8)
        let digits = name.dropFirst(isHex ? 2 : 1)
        guard name.utf8.first == UInt8(ascii: "#"), !digits.isEmpty,
            digits.utf8.allSatisfy({ isHex ? Self.isHex($0) : (0x30...0x39).contains($0) })
        else { return nil }
        return UInt32(digits, radix: isHex ? 16 : 10) ?? .max
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// Returns the offset, at most `limit`, at which a piece of a text ends that goes on after it.
    ///
    /// A reference, a pair of surrogate references and a line end stay in one piece.
    func pieceEnd(before limit: Int) -> Int {
        var end = limit
        if let open = lastReference(before: end), referenceEnd(at: open, in: open..<end) == nil {
            end = open
        }
        if let open = lastReference(before: end), referenceEnd(at: open, in: open..<end) == end,
            number(open..<end).map(Self.highSurrogates.contains) == true
        {
            end = open
        }
        return bytes[end - 1] == 13 ? end - 1 : end
    }

    private func lastReference(before end: Int) -> Int? {
        (end - Self.referenceBytesMax..<end).last { bytes[$0] == UInt8(ascii: "&") }
    }

    /// Returns the bytes of a range as text, unchanged.
    func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Returns the first bytes of an attribute's value, cut between two characters, with white
    /// space as spaces.
    func value(_ range: Range<Int>, bytesMax: Int) -> String {
        var kept: [UInt8] = []
        pieces(of: range) { piece in
            kept += piece
            return kept.count <= bytesMax
        }
        kept.cut(toBytes: bytesMax)
        for index in kept.indices where [9, 10, 13].contains(kept[index]) { kept[index] = 32 }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Passes a text to `take` in pieces, with its references replaced and its lines ended by LF,
    /// until `take` returns false.
    func pieces(
        of range: Range<Int>,
        hasReferences: Bool = true,
        _ take: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        var start = range.lowerBound
        var index = start
        while index < range.upperBound {
            let byte = bytes[index]
            let isReference = byte == UInt8(ascii: "&") && hasReferences
            // Long texts come in pieces too, so that `take` can stop early.
            guard isReference || byte == 13 || index - start == 1 << 16 else {
                index += 1
                continue
            }
            guard take(UnsafeBufferPointer(rebasing: bytes[start..<index])) else { return }
            start = index
            guard isReference || byte == 13 else { continue }
            var replacement = [UInt8(ascii: "\n")]
            start += 1
            if isReference {
                let found = reference(at: index, in: range)
                replacement = Array(String(found.scalar).utf8)
                start = found.end
            } else if start < range.upperBound, bytes[start] == 10 {
                start += 1
            }
            index = start
            guard replacement.withUnsafeBufferPointer(take) else { return }
        }
        _ = take(UnsafeBufferPointer(rebasing: bytes[start..<range.upperBound]))
    }
}
