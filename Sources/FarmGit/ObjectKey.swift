// Object ids as numbers. Prune, verify and size read every object of a store, often millions, so
// they keep ids as 20 bytes instead of text.
import CGit2
import FarmCore

/// A Git object id as numbers, in the order of its bytes.
package struct ObjectKey: Hashable, Comparable {
    package static let byteCount = 20

    private let high: UInt64
    private let middle: UInt64
    private let low: UInt32

    /// Makes a key from the 20 bytes at `offset`; the caller must have checked that they exist.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        middle = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt32.self))
    }

    init(_ oid: git_oid) {
        self = withUnsafeBytes(of: oid.id) { ObjectKey($0, at: 0) }
    }

    package init(_ object: ObjectID) { self.init(object.oid) }

    var oid: git_oid {
        var oid = git_oid()
        withUnsafeMutableBytes(of: &oid.id) { bytes in
            bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: middle.bigEndian, toByteOffset: 8, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 16, as: UInt32.self)
        }
        return oid
    }

    /// The 20 bytes of the id.
    package var bytes: [UInt8] { withUnsafeBytes(of: oid.id) { Array($0) } }

    package var object: ObjectID { ObjectID(oid) }

    /// The first byte, by which an index's fan-out table counts.
    package var firstByte: UInt8 { UInt8(high >> 56) }

    /// Hashes 64 bits only: ids are hashes already, and finding many that agree in 64 bits is not
    /// feasible.
    package func hash(into hasher: inout Hasher) { hasher.combine(high) }

    package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        (left.high, left.middle, left.low) < (right.high, right.middle, right.low)
    }
}
