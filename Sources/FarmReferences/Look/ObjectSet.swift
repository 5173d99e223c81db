// Which objects were seen: a store of a hundred thousand sets has millions, so each costs 20 bytes
// and a little, not a string.
import FarmCore

struct ObjectSet {
    private var keys: Set<ObjectKey> = []
    var count: Int { keys.count }

    /// Whether it is new.
    mutating func insert(_ object: ObjectID) -> Bool { keys.insert(ObjectKey(object)).inserted }
}
