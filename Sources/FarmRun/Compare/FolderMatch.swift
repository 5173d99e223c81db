// Finds the names in both or in only one of two folders, by merging two sorted lists.

import FarmCore

/// The folders of a comparison that contain a name: one of the two, or both.
enum FoundIn: Hashable, Sendable {
    case both, onlyA, onlyB
}

/// Finds the names that are in one or both of two folders.
enum FolderMatch {
    /// Returns every name of either list once, in the order of bytes.
    ///
    /// Both lists must be sorted by bytes, without duplicates.
    static func names(
        _ a: [[UInt8]],
        _ b: [[UInt8]]
    ) -> [(name: [UInt8], found: FoundIn)] {
        var matched: [(name: [UInt8], found: FoundIn)] = []
        matched.reserveCapacity(max(a.count, b.count))
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            if j == b.count || i < a.count && a[i].lexicographicallyPrecedes(b[j]) {
                matched.append((a[i], .onlyA))
                i += 1
            } else if i == a.count || a[i] != b[j] {
                matched.append((b[j], .onlyB))
                j += 1
            } else {
                matched.append((a[i], .both))
                (i, j) = (i + 1, j + 1)
            }
        }
        return matched
    }
}
