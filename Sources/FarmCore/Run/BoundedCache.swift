// A cache with a limit, for values that can be computed again. It keeps the last used values: when
// its newer half is full, that half replaces the older one, whose values were not used since.

/// A cache with a limit, which drops the values that were not used for the longest time.
package struct BoundedCache<Key: Hashable, Value> {
    private typealias Half = [Key: (value: Value, weight: Int)]
    private var newer: Half = [:]
    private var older: Half = [:]
    /// The sum of the weights in the newer half.
    private var weight = 0
    private let halfMax: Int

    /// Makes a cache; `max` limits the sum of all weights, or the number of values if none has a
    /// weight.
    package init(max: Int) { halfMax = Swift.max(1, max / 2) }

    /// The value of a key, or `nil` if the cache lacks it; reading a value counts as use.
    package subscript(key: Key) -> Value? {
        mutating get {
            if let known = newer[key] { return known.value }
            guard let found = older[key] else { return nil }
            keep(found.value, for: key, weight: found.weight)
            return found.value
        }
        set {
            if let newValue { keep(newValue, for: key) } else { removeValue(forKey: key) }
        }
    }

    /// Stores a value; a value heavier than half of the limit has its half for itself.
    package mutating func keep(_ value: Value, for key: Key, weight added: Int = 1) {
        removeValue(forKey: key)
        if weight + added > halfMax, !newer.isEmpty {
            older = newer
            newer = [:]
            weight = 0
        }
        newer[key] = (value, added)
        weight += added
    }

    @discardableResult
    package mutating func removeValue(forKey key: Key) -> Value? {
        if let known = newer.removeValue(forKey: key) {
            weight -= known.weight
            return known.value
        }
        return older.removeValue(forKey: key)?.value
    }

    package mutating func removeAll() {
        newer = [:]
        older = [:]
        weight = 0
    }
}

extension BoundedCache: Sendable where Key: Sendable, Value: Sendable {}
