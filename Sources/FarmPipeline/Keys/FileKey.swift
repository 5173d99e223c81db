// The description of one key of a file that people write: for the decoder, for the JSON Schema, and
// for docs/keys.md. One description for all three, so that they cannot disagree.

/// A key of a pipeline file or a scenes file.
package struct FileKey: Sendable {
    package let name: String
    /// The schema of the key's value.
    package let schema: SchemaValue
    /// The meaning of the key, in one or two sentences for the file's author.
    package let summary: String
    /// An example in a file, with the key; a test decodes it.
    package let example: String
    /// The value that counts if the key is absent, or empty if there is none.
    package let defaultValue: String
    package let isRequired: Bool

    package init(
        _ name: String,
        _ schema: SchemaValue,
        _ summary: String,
        example: String,
        defaultValue: String = "",
        isRequired: Bool = false
    ) {
        self.name = name
        self.schema = schema
        self.summary = summary
        self.example = example
        self.defaultValue = defaultValue
        self.isRequired = isRequired
    }

    /// Makes a key whose value is a text.
    package init(
        _ name: String,
        _ summary: String,
        example: String,
        defaultValue: String = "",
        isRequired: Bool = false
    ) {
        self.init(
            name,
            .string,
            summary,
            example: example,
            defaultValue: defaultValue,
            isRequired: isRequired
        )
    }
}

/// The keys of one kind of map.
package struct KeySection: Sendable {
    /// The heading of the section, such as "Keys of a job".
    package let title: String
    /// The place of the map in the file, as a sentence.
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
    /// Returns the schema of an object with these keys and no others.
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
    /// The schema of the key's value, with the description that editors show.
    fileprivate var described: SchemaValue {
        guard case .object(let entries) = schema else { return schema }
        let text = defaultValue.isEmpty ? summary : "\(summary) Without it: \(defaultValue)."
        return .object([("description", .text(text))] + entries)
    }
}
