// Any property list as a value, so that unknown keys are kept. Not with
// `PropertyListSerialization`: linked statically on Linux it cannot write what it has read.
import Foundation

/// A value of a property list, XML or binary.
enum PropertyList: Hashable, Sendable, Codable {
    case flag(Bool)
    case integer(Int64)
    /// A real number; a whole one is read as `integer`, which is the same number to Xcode.
    case real(Double)
    case date(Date)
    case bytes(Data)
    case text(String)
    case list([PropertyList])
    case dictionary([String: PropertyList])

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let dictionary = try? decoder.container(keyedBy: Key.self) {
            self = .dictionary(
                try dictionary.allKeys.reduce(into: [:]) { values, key in
                    values[key.stringValue] = try dictionary.decode(Self.self, forKey: key)
                }
            )
        } else if var list = try? decoder.unkeyedContainer() {
            var values: [PropertyList] = []
            while !list.isAtEnd { values.append(try list.decode(Self.self)) }
            self = .list(values)
        } else {
            self = try Self.plain(try decoder.singleValueContainer())
        }
    }

    private static func plain(_ value: any SingleValueDecodingContainer) throws -> PropertyList {
        if let flag = try? value.decode(Bool.self) { return .flag(flag) }
        if let number = try? value.decode(Int64.self) { return .integer(number) }
        if let number = try? value.decode(Double.self) { return .real(number) }
        if let date = try? value.decode(Date.self) { return .date(date) }
        if let bytes = try? value.decode(Data.self) { return .bytes(bytes) }
        return .text(try value.decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .dictionary(let values):
            var container = encoder.container(keyedBy: Key.self)
            for (key, value) in values {
                try container.encode(value, forKey: Key(stringValue: key))
            }
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .flag(let value): try Self.encode(value, encoder)
        case .integer(let value): try Self.encode(value, encoder)
        case .real(let value): try Self.encode(value, encoder)
        case .date(let value): try Self.encode(value, encoder)
        case .bytes(let value): try Self.encode(value, encoder)
        case .text(let value): try Self.encode(value, encoder)
        }
    }

    private static func encode(_ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension PropertyList {
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
    var dictionary: [String: PropertyList]? {
        if case .dictionary(let values) = self { values } else { nil }
    }
    /// The elements of a list of dictionaries, or `nil` for a value of any other kind.
    var dictionaries: [[String: PropertyList]]? {
        guard case .list(let values) = self else { return nil }
        let found = values.compactMap(\.dictionary)
        return found.count == values.count ? found : nil
    }
}
