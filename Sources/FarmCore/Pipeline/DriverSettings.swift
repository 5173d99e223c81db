// The settings of a job's driver, as plans and leases contain them. Only the driver of that name
// understands the values. Plans of every version have the JSON form
//
//     {"command": {"_0": {"discover": "./list", "run": "./run {tests}"}}}

/// A driver's name and its settings.
package struct DriverSettings: Hashable, Sendable, Codable {
    /// The driver's name: the word after `driver:` in the pipeline file.
    package var name: String
    /// The settings of the driver, by the driver's own keys.
    package var values: [String: JSONValue]

    package init(_ name: String, _ values: [String: JSONValue] = [:]) {
        self.name = name
        self.values = values
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        static let values = Key("_0")

        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "one driver was expected, not \(container.allKeys.count)"
                )
            )
        }
        let own = try container.nestedContainer(keyedBy: Key.self, forKey: key)
        name = key.stringValue
        values = try own.decode([String: JSONValue].self, forKey: .values)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var own = container.nestedContainer(keyedBy: Key.self, forKey: Key(name))
        try own.encode(values, forKey: .values)
    }
}
