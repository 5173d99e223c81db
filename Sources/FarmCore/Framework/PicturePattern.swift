// The pattern of a picture's path in a framework. One text serves to read and to write paths:
//
//     {suite}/{name}.png                    a field is one part of a path, at least one letter
//     {folder:path}/__Snapshots__/…         `:path`: one part or several
//     {test:word}                           letters, digits and `_` alone
//     {device=iPhone|iPad}                  one of these texts
//     {counter|identifier}                  the first of these fields that fits
//     {test}[_{identifier}][@{scale}x]      the text in brackets may be missing
//
// If a path matches in two ways, the reading with the shortest field wins, the first field first.
// Of two readings that differ only in brackets, the one without them wins. `counter` is a number,
// `scale` one with a point, `os` numbers with `.` or `_`, `size` is 390x844, and an `identifier`
// holds no `@`.
//
// Invariant: a path that is read is written back unchanged. Fields that are written are read back
// unchanged, or are not written at all.

/// A pattern of the path or name of pictures, which reads and writes them.
package struct PicturePattern: Hashable, Sendable, Codable {
    /// The form of the texts that a field may have.
    enum Form: Hashable, Sendable {
        /// One part of a path, of the letters that the field allows.
        case part
        /// One part or several parts of a path.
        case path
        case word
        case oneOf([String])
    }

    indirect enum Piece: Hashable, Sendable {
        case literal(String)
        case field([PictureField], Form)
        case optional([Piece])
    }

    /// The text that the pattern was parsed from.
    package let text: String
    let pieces: [Piece]
    /// All fields that the pattern can contain.
    package let fields: Set<PictureField>

    /// Parses a pattern.
    ///
    /// - Throws: `PicturePatternError` if the text is not a pattern.
    package init(_ text: String) throws(PicturePatternError) {
        var parser = PatternParser(text)
        self.text = text
        pieces = try parser.pattern()
        fields = parser.fields
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do throws(PicturePatternError) {
            self = try PicturePattern(try container.text())
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Returns the fields of a path, or `nil` if the path does not match.
    ///
    /// A field with `known` values must have one of them: the tests of a lease show where a test's
    /// name ends. A path that takes too long to match counts as not matching.
    package func read(
        _ path: String,
        known: [PictureField: [String]] = [:]
    ) -> PictureFields? {
        var reader = PatternReader(path, known: known)
        return reader.read(pieces)
    }

    /// Returns the path of a picture, or `nil` if a required field is missing, or if the path would
    /// be read as other fields.
    ///
    /// Fields that the pattern lacks are left out.
    package func write(_ given: PictureFields) -> String? {
        let own = given.only(fields)
        guard let path = Self.written(pieces, own) else { return nil }
        let known = own[.test].map { [PictureField.test: [$0]] } ?? [:]
        return read(path, known: known) == own ? path : nil
    }

    /// Returns the pattern's text with the fields filled in, even if it can be read in another way,
    /// or `nil` if a required field is missing.
    package func filled(with fields: PictureFields) -> String? { Self.written(pieces, fields) }

    private static func written(_ pieces: [Piece], _ fields: PictureFields) -> String? {
        var path = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): path += text
            case .field(let choices, _):
                guard let value = choices.lazy.compactMap({ fields[$0] }).first else { return nil }
                path += value
            case .optional(let inner): path += written(inner, fields) ?? ""
            }
        }
        return path
    }
}

extension SingleValueDecodingContainer {
    /// Decodes a string; throws `PicturePatternError.noText` if the value is another one.
    fileprivate func text() throws(PicturePatternError) -> String {
        do { return try decode(String.self) } catch { throw .noText }
    }
}

/// The reason why a text is not a picture pattern.
package enum PicturePatternError: ExplainedError, Equatable {
    case noText
    case empty
    case tooLong(bytes: Int)
    case unknownField(String)
    case unknownForm(String)
    case open(String)
    case fieldsTouch(String)
    case nothingOptional
    case leavesFolder

    package var code: String { "picture-pattern-invalid" }

    package var message: String {
        switch self {
        case .noText: "a pattern of a picture is not text."
        case .empty: "the pattern is empty."
        case .tooLong(let bytes): "the pattern has \(bytes) bytes."
        case .unknownField(let name): "the pattern has the unknown field \"\(name)\"."
        case .unknownForm(let form): "the pattern has the unknown form \":\(form)\"."
        case .open(let sign): "the pattern has a \"\(sign)\" without its partner."
        case .fieldsTouch(let name):
            "nothing stands before {\(name)}, so its beginning is unknown."
        case .nothingOptional: "brackets of the pattern hold no field."
        case .leavesFolder: "the pattern begins with / or leaves its folder by `..`."
        }
    }

    package var exit: ExitCode { .invalidInput }

    package var remedy: String {
        switch self {
        case .noText, .empty: "Write a text such as \"{suite}/{name}.png\"."
        case .tooLong: "At most \(FarmLimits.patternBytesMax)."
        case .unknownField:
            "Known: " + PictureField.allCases.map(\.rawValue).joined(separator: ", ") + "."
        case .unknownForm: "Known are :path and :word."
        case .open: "Close it; { } hold a field and [ ] what may be missing."
        case .fieldsTouch: "Put a letter between the two fields, such as _."
        case .nothingOptional: "Remove the brackets, or put a field into them."
        case .leavesFolder: "Write it from the folder that the profile names."
        }
    }
}
