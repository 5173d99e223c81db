// Lists of names are written as lists of texts: the same JSON as name by name, several times
// quicker. Plans and shards hold thousands of names, and a shard is written and read between two
// leases.
//
// Synthesised coding finds these by overload resolution: they must stay as visible as the types
// that use them.

extension KeyedEncodingContainer {
    mutating func encode(_ names: [TestID], forKey key: Key) throws {
        try encode(names.map(\.text), forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode(_ type: [TestID].Type, forKey key: Key) throws -> [TestID] {
        try decode([String].self, forKey: key).map { TestID($0) }
    }
}
