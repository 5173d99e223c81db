// Which objects were seen: a store of a hundred thousand sets has millions, so each costs 20 bytes
// and a little, not a string.
import FarmCore

/// Objects that were seen.
package struct ObjectSet {
    private var keys: Set<ObjectKey> = []
    package var count: Int { keys.count }

    package init() {}

    /// Whether it is new.
    package mutating func insert(_ object: ObjectID) -> Bool {
        keys.insert(ObjectKey(object)).inserted
    }
}
