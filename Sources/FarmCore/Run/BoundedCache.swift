// Memory for values that can be had again, with a limit. The values used last stay: when the newer half
// is full, it replaces the older half, which holds only values that were not used since.

/// Keeps values by key up to a limit; of too many, those that were not used for the longest go.
package struct BoundedCache<Key: Hashable, Value> {
    private typealias Half = [Key: (value: Value, weight: Int)]
    private var newer: Half = [:]
    private var older: Half = [:]
    /// Of the newer half.
    private var weight = 0
    private let halfMax: Int

    /// `max` is the sum of all weights, or the number of values where none has a weight.
    package init(max: Int) { halfMax = Swift.max(1, max / 2) }

    /// The value of a key; reading counts as use.
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

    /// Keeps a value; one that is heavier than half of the limit is kept alone in its half.
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
