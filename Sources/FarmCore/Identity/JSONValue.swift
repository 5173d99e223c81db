// JSON of an unknown shape: a driver's settings in a plan, messages to a browser.

/// A JSON value of any kind.
package enum JSONValue: Codable, Hashable, Sendable {
    case null
    case text(String)
    /// A number; whole numbers up to 2^53 are exact.
    case number(Double)
    case flag(Bool)
    case list([JSONValue])
    case object([String: JSONValue])

    /// Decodes a JSON value; refuses deep nesting, because each level takes calls on the reader's
    /// stack.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard decoder.codingPath.count <= FarmLimits.jsonDepthMax else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "too deep")
        }
        if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if container.decodeNil() {
            self = .null
        } else if let values = try? container.decode([JSONValue].self) {
            self = .list(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .text(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .flag(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// All strings in the value, including keys of objects.
    package var texts: [String] {
        switch self {
        case .text(let value): [value]
        case .list(let values): values.flatMap(\.texts)
        case .object(let values): values.flatMap { [$0.key] + $0.value.texts }
        case .null, .number, .flag: []
        }
    }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
