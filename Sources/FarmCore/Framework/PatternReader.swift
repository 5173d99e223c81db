// The matcher of a path against a pattern. It tries the possible ends of each field in order.
// Patterns come from users' files, so the number of bytes that it reads is limited.

/// Matches one path with a pattern, to find the pattern's fields in the path.
struct PatternReader {
    private let path: [UInt8]
    private let known: [PictureField: [String]]
    private var bytesLeft = FarmLimits.pictureLookBytesMax

    init(_ path: String, known: [PictureField: [String]]) {
        self.path = Array(path.utf8)
        // The longest first: one test's name may be the beginning of another's.
        self.known = known.mapValues { $0.sorted { $0.utf8.count > $1.utf8.count } }
    }

    mutating func read(_ pieces: [PicturePattern.Piece]) -> PictureFields? {
        guard path.count <= FarmLimits.picturePathBytesMax else { return nil }
        return match(pieces[...], from: 0, [:])
    }

    private mutating func match(
        _ pieces: ArraySlice<PicturePattern.Piece>,
        from start: Int,
        _ fields: PictureFields
    ) -> PictureFields? {
        guard bytesLeft > 0 else { return nil }
        bytesLeft -= 1
        guard let first = pieces.first else { return start == path.count ? fields : nil }
        let rest = pieces.dropFirst()
        switch first {
        case .literal(let text):
            guard path[start...].starts(with: text.utf8) else { return nil }
            return match(rest, from: start + text.utf8.count, fields)
        case .optional(let inner):
            return match(rest, from: start, fields) ?? match(inner + rest, from: start, fields)
        case .field(let choices, let form):
            for field in choices {
                if let found = match(field, form, rest, from: start, fields) { return found }
            }
            return nil
        }
    }

    private mutating func match(
        _ field: PictureField,
        _ form: PicturePattern.Form,
        _ rest: ArraySlice<PicturePattern.Piece>,
        from start: Int,
        _ fields: PictureFields
    ) -> PictureFields? {
        var texts: [String]?
        if case .oneOf(let values) = form { texts = values }
        if let values = known[field] { texts = texts.map { $0.filter(values.contains) } ?? values }
        // A repeated field must have the same text.
        if let value = fields[field] { texts = [value] }
        if let texts {
            for text in texts where path[start...].starts(with: text.utf8) && !text.isEmpty {
                var more = fields
                more[field] = text
                if let found = match(rest, from: start + text.utf8.count, more) { return found }
            }
            return nil
        }
        var next = ""
        if case .literal(let text) = rest.first { next = text }
        for end in ends(of: field, form, from: start, before: next) {
            var more = fields
            more[field] = String(decoding: path[start..<end], as: UTF8.self)
            if let found = match(rest, from: end, more) { return found }
        }
        return nil
    }

    /// Returns the possible ends of a field that begins at `start` and that the literal text `next`
    /// must follow.
    private mutating func ends(
        of field: PictureField,
        _ form: PicturePattern.Form,
        from start: Int,
        before next: String
    ) -> [Int] {
        let letters = letters(of: field, form, from: start)
        bytesLeft -= letters.count + 1
        return (letters.startIndex..<letters.endIndex).map { $0 + 1 }.filter { end in
            path[end...].starts(with: next.utf8) && isCharacterEnd(end)
                && Self.isWhole(field, path[start..<end])
        }
    }

    /// Returns the longest text that the field may have from `start` on, complete or not.
    private func letters(
        of field: PictureField,
        _ form: PicturePattern.Form,
        from start: Int
    ) -> ArraySlice<UInt8> {
        let letters = path[start...].prefix { Self.mayHold(field, form, $0) }
        switch form {
        case .word:
            let text = String(decoding: letters, as: UTF8.self).unicodeScalars
            return letters.prefix(String(text.prefix { $0.isWordLetter }).utf8.count)
        case .path:
            let slash = UInt8(ascii: "/")
            let twice = zip(letters, letters.dropFirst()).map { $0 == slash && $1 == slash }
            return letters.prefix(twice.firstIndex(of: true).map { $0 + 1 } ?? letters.count)
        case .part, .oneOf: return letters
        }
    }

    /// Whether the byte position `end` lies between two UTF-8 characters, or after the last.
    private func isCharacterEnd(_ end: Int) -> Bool {
        end == path.count || path[end] & 0b1100_0000 != 0b1000_0000
    }

    private static func mayHold(
        _ field: PictureField,
        _ form: PicturePattern.Form,
        _ byte: UInt8
    ) -> Bool {
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        switch field {
        case .counter: return isDigit
        case .scale: return isDigit || byte == UInt8(ascii: ".")
        case .os: return isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        case .size: return isDigit || byte == UInt8(ascii: "x")
        case .identifier where byte == UInt8(ascii: "@"): return false
        default: return form == .path || byte != UInt8(ascii: "/")
        }
    }

    private static func isWhole(_ field: PictureField, _ bytes: ArraySlice<UInt8>) -> Bool {
        switch field {
        case .counter: return true
        case .scale: return isNumbers(bytes, separators: [UInt8(ascii: ".")], countMax: 2)
        case .os:
            let separators = [UInt8(ascii: "."), UInt8(ascii: "_")]
            return isNumbers(bytes, separators: separators, countMax: 3)
        case .size:
            return bytes.contains(UInt8(ascii: "x"))
                && isNumbers(bytes, separators: [UInt8(ascii: "x")], countMax: 2)
        default: break
        }
        let slash = UInt8(ascii: "/")
        return bytes.first != slash && bytes.last != slash
    }

    private static func isNumbers(
        _ bytes: ArraySlice<UInt8>,
        separators: [UInt8],
        countMax: Int
    ) -> Bool {
        let parts = bytes.split(omittingEmptySubsequences: false) { separators.contains($0) }
        return parts.count <= countMax && parts.allSatisfy { !$0.isEmpty }
    }
}
