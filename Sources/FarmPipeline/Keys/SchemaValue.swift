// A JSON value that keeps the order of its keys, so that people can read a JSON Schema.

/// A value in a JSON Schema.
package indirect enum SchemaValue: Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([SchemaValue])
    case object([(String, SchemaValue)])

    /// The schema of a text that is not empty.
    package static let string = object([("type", .text("string")), ("minLength", .number(1))])

    package static let boolean = object([("type", .text("boolean"))])

    /// Returns the schema of a whole number from `minimum`, to `maximum` if there is one.
    package static func integer(from minimum: Int = 0, to maximum: Int? = nil) -> SchemaValue {
        range("integer", Double(minimum), maximum.map(Double.init))
    }

    /// Returns the schema of a number from 0 to `maximum`.
    package static func number(to maximum: Double) -> SchemaValue { range("number", 0, maximum) }

    package static let positive = object([
        ("type", .text("number")), ("exclusiveMinimum", .number(0)),
    ])

    /// The schema of a text, a number or a flag: YAML parses a word without quotes as any of them.
    package static let scalar = object([
        ("type", .list(["string", "number", "boolean"].map { .text($0) }))
    ])

    /// Returns the schema of a text that matches a pattern of ECMAScript.
    package static func pattern(_ pattern: String) -> SchemaValue {
        .object([("type", .text("string")), ("pattern", .text(pattern))])
    }

    /// The schema of a time, such as `500ms`, `30s`, `10m` or `1h`.
    package static let duration = pattern("^[0-9.]+(ms|s|m|h)$")

    package static func list(of items: SchemaValue) -> SchemaValue {
        .object([("type", .text("array")), ("items", items)])
    }

    /// Returns the schema of a map with any keys.
    package static func map(of values: SchemaValue) -> SchemaValue {
        .object([("type", .text("object")), ("additionalProperties", values)])
    }

    /// Returns the schema of a text that is one of these words.
    package static func words(_ words: [String]) -> SchemaValue {
        .object([("enum", .list(words.map { .text($0) }))])
    }

    /// Returns the schema of a value that matches any of these schemas.
    package static func either(_ values: [SchemaValue]) -> SchemaValue {
        .object([("anyOf", .list(values))])
    }

    private static func range(_ type: String, _ minimum: Double, _ maximum: Double?) -> SchemaValue
    {
        let top = maximum.map { [("maximum", SchemaValue.number($0))] } ?? []
        return .object([("type", .text(type)), ("minimum", .number(minimum))] + top)
    }

    /// Returns a whole file of JSON Schema (draft 2020-12), ending with a newline.
    package static func document(_ title: String, _ keys: [FileKey]) -> String {
        let head: [(String, SchemaValue)] = [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text(title)),
        ]
        return SchemaValue.object(head + entries(keys)).rendered() + "\n"
    }

    /// Returns the value as JSON text, indented by `depth` levels.
    func rendered(depth: Int = 0) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch self {
        case .text(let text):
            return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        case .number(let number):
            return number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .flag(let flag): return "\(flag)"
        case .list(let items):
            return "[" + items.map { $0.rendered(depth: depth + 1) }.joined(separator: ", ") + "]"
        case .object(let entries):
            let lines = entries.map { inner + "\"\($0.0)\": " + $0.1.rendered(depth: depth + 1) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + outer + "}"
        }
    }
}
