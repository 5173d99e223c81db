// Lists of names are written as one text, a name a line: a plan and a shard hold thousands of
// names, and a shard is written and read between two leases. Name by name it costs many times
// as much.
//
// Synthesised coding finds these by overload resolution: they must stay as visible as the types
// that use them.

/// Names as they travel: one text, or a list where a name holds a line feed.
package struct NameLines: Codable, Sendable {
    package let names: [String]

    package init(_ names: [String]) { self.names = names }

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let text = try? value.decode(String.self) else {
            names = try value.decode([String].self)
            return
        }
        names = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        // No text at all is the list of one empty name.
        if names.isEmpty || names.contains(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) {
            try value.encode(names)
        } else {
            try value.encode(names.joined(separator: "\n"))
        }
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ names: [TestID], forKey key: Key) throws {
        try encode(NameLines(names.map(\.text)), forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode(_ type: [TestID].Type, forKey key: Key) throws -> [TestID] {
        try decode(NameLines.self, forKey: key).names.map { TestID($0) }
    }

    func decodeIfPresent(_ type: [TestID].Type, forKey key: Key) throws -> [TestID]? {
        try decodeIfPresent(NameLines.self, forKey: key)?.names.map { TestID($0) }
    }
}
