// The parser of a picture pattern's text.

/// Parses the text of a picture pattern into pieces.
struct PatternParser {
    private static let depthMax = 4

    private let text: String
    private var rest: Substring
    private(set) var fields: Set<PictureField> = []
    /// Whether the last parsed piece is a field.
    ///
    /// The next piece must then be a literal text, because two adjacent fields have no border.
    private var endsWithField = false

    init(_ text: String) {
        self.text = text
        rest = text[...]
    }

    mutating func pattern() throws(PicturePatternError) -> [PicturePattern.Piece] {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= FarmLimits.patternBytesMax else {
            throw .tooLong(bytes: text.utf8.count)
        }
        guard !text.isAbsolutePath, !text.pathParts.contains("..") else { throw .leavesFolder }
        let pieces = try sequence(depth: 0)
        guard rest.isEmpty else { throw .open("]") }
        return pieces
    }

    /// Parses up to the end of the text, or to the bracket that ends this optional part.
    private mutating func sequence(
        depth: Int
    ) throws(PicturePatternError) -> [PicturePattern.Piece] {
        var pieces: [PicturePattern.Piece] = []
        while let sign = rest.first, sign != "]" {
            switch sign {
            case "{": pieces.append(try field())
            case "[": pieces.append(try optional(depth: depth))
            case "}": throw .open("}")
            default:
                let literal = rest.prefix { !"{}[]".contains($0) }
                rest = rest.dropFirst(literal.count)
                pieces.append(.literal(String(literal)))
                endsWithField = false
            }
        }
        return pieces
    }

    private mutating func optional(
        depth: Int
    ) throws(PicturePatternError) -> PicturePattern.Piece {
        guard depth < Self.depthMax else { throw .open("[") }
        rest = rest.dropFirst()
        let before = endsWithField
        let inner = try sequence(depth: depth + 1)
        guard rest.first == "]" else { throw .open("[") }
        rest = rest.dropFirst()
        guard inner.contains(where: \.hasField) else { throw .nothingOptional }
        // If the optional part is left out, the piece before it is the last one.
        endsWithField = endsWithField || before
        return .optional(inner)
    }

    /// Parses a field: `{name}`, `{a|b}`, `{name:form}` or `{name=one|other}`.
    private mutating func field() throws(PicturePatternError) -> PicturePattern.Piece {
        rest = rest.dropFirst()
        let inner = rest.prefix { $0 != "}" }
        guard inner.endIndex != rest.endIndex, !inner.contains("{") else { throw .open("{") }
        rest = rest[inner.endIndex...].dropFirst()
        let names = inner.prefix { $0 != ":" && $0 != "=" }
        let more = inner[names.endIndex...]
        let choices = try choices(names)
        guard !endsWithField else { throw .fieldsTouch(String(names)) }
        endsWithField = true
        fields.formUnion(choices)
        return .field(choices, try form(more))
    }

    private func choices(_ names: Substring) throws(PicturePatternError) -> [PictureField] {
        var choices: [PictureField] = []
        for name in names.split(separator: "|", omittingEmptySubsequences: false) {
            guard let field = PictureField(rawValue: String(name)) else {
                throw .unknownField(String(name))
            }
            choices.append(field)
        }
        return choices
    }

    private func form(_ text: Substring) throws(PicturePatternError) -> PicturePattern.Form {
        let more = text.dropFirst()
        if text.hasPrefix("=") {
            let values = more.split(separator: "|").map(String.init)
            guard !values.isEmpty else { throw .unknownForm("=") }
            return .oneOf(values)
        }
        switch more {
        case "": return .part
        case "path": return .path
        case "word": return .word
        default: throw .unknownForm(String(more))
        }
    }
}

extension PicturePattern.Piece {
    fileprivate var hasField: Bool {
        switch self {
        case .literal: false
        case .field: true
        case .optional(let inner): inner.contains(where: \.hasField)
        }
    }
}
