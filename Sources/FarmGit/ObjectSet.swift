// A set of object ids. A store of a hundred thousand sets has millions of objects, so each id takes
// little more than 20 bytes instead of a string.
import FarmCore

/// A set of object ids.
package struct ObjectSet {
    private var keys: Set<ObjectKey> = []
    package var count: Int { keys.count }

    package init() {}

    /// Adds an object; returns whether it is new.
    package mutating func insert(_ object: ObjectID) -> Bool {
        keys.insert(ObjectKey(object)).inserted
    }
}
