// The grouping of one screen's pictures into changes. A picture joins the pictures that changed
// like it, unless it is unlike one of them. If likeness cannot be decided (other words, another
// appearance), groups with two or more pictures each become one change: in each, another cell
// confirms the look. A picture whose look no other picture shares stays a change of its own.

enum ChangeGroups {
    /// Groups the pictures of one screen that have one verdict into changes; each group keeps the
    /// given order.
    static func of(_ pictures: [ChangedPicture]) -> [[ChangedPicture]] {
        var groups: [[ChangedPicture]] = []
        for start in stride(from: 0, to: pictures.count, by: FarmLimits.likePicturesMax) {
            let end = min(start + FarmLimits.likePicturesMax, pictures.count)
            let part = Array(pictures[start..<end])
            groups += Likenesses(part).groups.map { $0.sorted().map { part[$0] } }
        }
        return groups
    }
}

/// The likeness of every two pictures of a list, which are given by their indices.
private struct Likenesses {
    private let count: Int
    private var table: [Likeness]

    init(_ pictures: [ChangedPicture]) {
        count = pictures.count
        table = [Likeness](repeating: .alike, count: count * count)
        for one in pictures.indices {
            for other in pictures.indices where other > one {
                let likeness = pictures[one].likeness(to: pictures[other])
                table[one * count + other] = likeness
                table[other * count + one] = likeness
            }
        }
    }

    var groups: [[Int]] {
        let alike = joined((0..<count).map { [$0] }) { one, other in
            any(.alike, one, other)
        }
        return joined(alike) { one, other in one.count > 1 && other.count > 1 }
    }

    private func any(_ likeness: Likeness, _ one: [Int], _ other: [Int]) -> Bool {
        one.contains { row in other.contains { table[row * count + $0] == likeness } }
    }

    /// Joins each group to the first earlier group that belongs with it and contains no unlike
    /// picture, until no more groups belong together.
    private func joined(
        _ groups: [[Int]],
        where belong: ([Int], [Int]) -> Bool
    ) -> [[Int]] {
        var groups = groups
        var isJoined = true
        while isJoined {
            isJoined = false
            var kept: [[Int]] = []
            for group in groups {
                let place = kept.firstIndex {
                    belong(group, $0) && !any(.unlike, group, $0)
                }
                if let place {
                    kept[place] += group
                    isJoined = true
                } else {
                    kept.append(group)
                }
            }
            groups = kept
        }
        return groups
    }
}
