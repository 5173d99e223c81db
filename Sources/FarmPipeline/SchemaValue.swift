// JSON for people to read: a JSON Schema keeps its keys in the order that it was written in.

/// A value in a JSON Schema.
package indirect enum SchemaValue: Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([SchemaValue])
    case object([(String, SchemaValue)])

    /// Any text but an empty one.
    package static let string = object([("type", .text("string")), ("minLength", .number(1))])

    package static func list(of items: SchemaValue) -> SchemaValue {
        .object([("type", .text("array")), ("items", items)])
    }

    /// One of these.
    package static func words(_ words: [String]) -> SchemaValue {
        .object([("enum", .list(words.map { .text($0) }))])
    }

    /// What fits one of these.
    package static func either(_ values: [SchemaValue]) -> SchemaValue {
        .object([("anyOf", .list(values))])
    }

    /// An object that holds these keys and no other.
    package static func closed(
        _ keys: [String],
        required: [String] = [],
        property: (String) -> SchemaValue
    ) -> SchemaValue {
        .object(entries(keys, required: required, property: property))
    }

    static func entries(
        _ keys: [String],
        required: [String],
        property: (String) -> SchemaValue
    ) -> [(String, SchemaValue)] {
        var parts: [(String, SchemaValue)] = [("type", .text("object"))]
        if !required.isEmpty { parts.append(("required", .list(required.map { .text($0) }))) }
        parts.append(("properties", .object(keys.map { ($0, property($0)) })))
        parts.append(("additionalProperties", .flag(false)))
        return parts
    }

    /// As text; `depth` levels are around it.
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
