// Which objects were seen: a store of a hundred thousand sets has millions, so each costs 20 bytes
// and a little, not a string.
import CGit2
import FarmCore

/// The 160 bits of an object id.
struct ObjectKey: Hashable {
    private let high: UInt64
    private let middle: UInt64
    private let low: UInt32

    init(_ object: ObjectID) {
        let oid = object.oid
        (high, middle, low) = withUnsafeBytes(of: oid.id) { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
            )
        }
    }
}

struct ObjectSet {
    private var keys: Set<ObjectKey> = []
    var count: Int { keys.count }

    /// Whether it is new.
    mutating func insert(_ object: ObjectID) -> Bool { keys.insert(ObjectKey(object)).inserted }
}
