// The paths of pictures as bytes, because a name on disk may not be valid text. Names that look
// alike stay different, and a shown path never breaks a line.

/// A path as bytes, without a trailing NUL.
package struct PathBytes: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { self.bytes = Array(text.utf8) }

    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The path's last component.
    package var name: ArraySlice<UInt8> {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes[...] }
        return bytes[(slash + 1)...]
    }

    /// Whether the path's name ends in `.png`, in any case.
    package var isPicture: Bool { Self.isPicture(bytes) }

    /// Whether a name ends in `.png`, in any case.
    package static func isPicture(_ name: [UInt8]) -> Bool {
        // `| 0x20` turns upper case into lower case; no other byte becomes one of these letters.
        name.count > 4 && name[name.count - 4] == UInt8(ascii: ".")
            && name[name.count - 3] | 0x20 == UInt8(ascii: "p")
            && name[name.count - 2] | 0x20 == UInt8(ascii: "n")
            && name[name.count - 1] | 0x20 == UInt8(ascii: "g")
    }

    /// Returns the path of `name` inside the folder of this path; the empty path is the folder
    /// itself.
    package func appending(_ name: [UInt8]) -> PathBytes {
        if bytes.isEmpty { return PathBytes(name) }
        return PathBytes(bytes + [UInt8(ascii: "/")] + name)
    }

    /// The path's components, or `nil` if it is absolute or has a component that is empty, `.`,
    /// `..` or contains NUL.
    package var parts: [[UInt8]]? {
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let safe = parts.allSatisfy {
            !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
                && !$0.contains(0)
        }
        return safe ? parts.map(Array.init) : nil
    }

    /// Whether the path is valid UTF-8.
    package var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The path as text; bytes that are not UTF-8 become replacement characters.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The path for people: one line without control or reordering characters.
    ///
    /// Other paths are in quotation marks, with escapes.
    package var shown: String {
        guard bytes.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return text }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return "\"" + bytes.map(Self.escaped).joined() + "\""
        }
        guard text.unicodeScalars.contains(where: TerminalText.isUnsafe) else { return text }
        return "\"" + text.unicodeScalars.map(Self.escaped).joined() + "\""
    }

    /// Returns the text with its control characters written as escapes.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.map(escaped).joined()
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case _ where TerminalText.isUnsafe(scalar): "\\u{\(String(scalar.value, radix: 16))}"
        default: String(scalar)
        }
    }

    private static func escaped(_ byte: UInt8) -> String {
        byte < 0x80
            ? escaped(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
    }
}
