// One key of a file that people write: what the decoder accepts, what the JSON Schema says of it, and
// what docs/keys.md says. They stand together, so that the three cannot disagree.

/// A key of a pipeline file or a scenes file.
package struct FileKey: Sendable {
    package let name: String
    /// What the JSON Schema says of its value.
    package let schema: SchemaValue
    /// What it is for, in one or two sentences for who writes the file.
    package let words: String
    /// How it stands in a file, with the key; a test decodes it.
    package let example: String
    /// What counts without it; empty for nothing.
    package let usual: String
    package let isRequired: Bool

    package init(
        _ name: String,
        _ schema: SchemaValue,
        _ words: String,
        example: String,
        usual: String = "",
        isRequired: Bool = false
    ) {
        self.name = name
        self.schema = schema
        self.words = words
        self.example = example
        self.usual = usual
        self.isRequired = isRequired
    }

    /// A key whose value is a text.
    package init(
        _ name: String,
        _ words: String,
        example: String,
        usual: String = "",
        isRequired: Bool = false
    ) {
        self.init(
            name,
            .string,
            words,
            example: example,
            usual: usual,
            isRequired: isRequired
        )
    }
}

/// The keys of one kind of map.
package struct KeySection: Sendable {
    /// As a heading: "Keys of a job".
    package let title: String
    /// Where such a map stands in the file, as a sentence.
    package let place: String
    package let keys: [FileKey]

    package init(_ title: String, place: String, _ keys: [FileKey]) {
        self.title = title
        self.place = place
        self.keys = keys
    }
}

extension [FileKey] {
    package var names: [String] { map(\.name) }

    package func named(_ name: String) -> FileKey? { first { $0.name == name } }
}

extension SchemaValue {
    /// An object that holds these keys and no other.
    package static func closed(_ keys: [FileKey]) -> SchemaValue {
        .object(entries(keys))
    }

    static func entries(_ keys: [FileKey]) -> [(String, SchemaValue)] {
        let required = keys.filter(\.isRequired).names
        var parts: [(String, SchemaValue)] = [("type", .text("object"))]
        if !required.isEmpty { parts.append(("required", .list(required.map { .text($0) }))) }
        parts.append(("properties", .object(keys.map { ($0.name, $0.described) })))
        parts.append(("additionalProperties", .flag(false)))
        return parts
    }
}

extension FileKey {
    /// Its schema with its words, which editors show.
    fileprivate var described: SchemaValue {
        guard case .object(let entries) = schema else { return schema }
        let text = usual.isEmpty ? words : "\(words) Without it: \(usual)."
        return .object([("description", .text(text))] + entries)
    }
}
