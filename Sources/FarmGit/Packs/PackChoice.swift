// Which packs are rewritten. A pack that holds nothing but kept objects stays as it is when it
// is large: the second prune of a store costs what changed, not what there is.
import FarmCore

/// The packs that go, and what of them stays.
package struct PackChoice {
    /// A pack without garbage that is smaller is merged with the others.
    package static let largeBytesMin = 64 << 20

    /// Objects of the new pack.
    package private(set) var selected: [ObjectKey] = []
    /// Indexes of packs that go.
    package private(set) var replaced: [Int] = []
    /// Bytes of all kept objects where they lie now.
    package private(set) var liveBytes = 0
    /// How many kept objects lie in this store.
    package private(set) var liveCount = 0
    /// Bytes that the new pack will take, without its index.
    package private(set) var selectedBytes = 0
    /// Whether anything becomes smaller, or packs fewer.
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

    /// Bytes of packs and loose objects that will be gone.
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
