// Chooses the packs to rewrite. A large pack that contains only kept objects stays, so that the
// cost of a second prune depends on what changed, not on the size of the store.
import FarmCore

/// The packs to replace, and the objects that are kept of them.
package struct PackChoice {
    /// The least size in bytes of a pack without garbage that stays; smaller packs are merged.
    package static let largeBytesMin = 64 << 20

    /// The objects of the new pack.
    package private(set) var selected: [ObjectKey] = []
    /// The packs to replace, as indexes into `ObjectTable.packs`.
    package private(set) var replaced: [Int] = []
    /// The size of all kept objects at their present places, in bytes.
    package private(set) var liveBytes = 0
    /// The number of kept objects in this store.
    package private(set) var liveCount = 0
    /// The size of the new pack without its index, in bytes.
    package private(set) var selectedBytes = 0
    /// Whether rewriting makes the store smaller or its packs fewer.
    package let isNeeded: Bool

    package init(_ table: ObjectTable, live: Set<ObjectKey>) {
        var stays = [Bool](repeating: false, count: table.packs.count)
        var garbage = !table.loose.isEmpty
        for (index, pack) in table.packs.enumerated() {
            let isWhole = pack.entries.enumerated().allSatisfy { entry, item in
                live.contains(item.key)
                    && table.places[item.key] == ObjectTable.Place(pack: index, entry: entry)
            }
            stays[index] = pack.isKept || isWhole && pack.bytes >= Self.largeBytesMin
            if stays[index] { continue }
            replaced.append(index)
            if !isWhole { garbage = true }
        }
        isNeeded = garbage || replaced.count > 1
        for key in live {
            guard let place = table.places[key], let bytes = table.bytes(of: key) else { continue }
            liveBytes += bytes
            liveCount += 1
            if place.pack == ObjectTable.Place.loose || !stays[place.pack] {
                selected.append(key)
                selectedBytes += bytes
            }
        }
    }

    /// The bytes of packs and loose objects that rewriting frees.
    package func freedBytes(of table: ObjectTable) -> Int {
        guard isNeeded else { return 0 }
        let old =
            replaced.reduce(0) { $0 + table.packs[$1].bytes }
            + table.loose.values.reduce(0, +)
        let new =
            selected.isEmpty
            ? 0 : selectedBytes + PackFormat.headBytes + PackFormat.tailBytes
        return max(0, old - new)
    }
}
