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
            let likenesses = Likenesses(part.count) { part[$0].likeness(to: part[$1]) }
            groups += likenesses.groups { $0.count > 1 }.map { $0.sorted().map { part[$0] } }
        }
        return groups
    }

    /// Groups `count` looks, given by their numbers; a look is confirmed if several pictures show
    /// it.
    static func of(
        _ count: Int,
        isConfirmed: (Int) -> Bool,
        likeness: (Int, Int) -> Likeness
    ) -> [[Int]] {
        Likenesses(count, likeness).groups { $0.contains(where: isConfirmed) }
    }
}

/// The likeness of every two pictures of a list, which are given by their indices.
private struct Likenesses {
    private let count: Int
    private var table: [Likeness]

    init(_ count: Int, _ likeness: (Int, Int) -> Likeness) {
        self.count = count
        table = [Likeness](repeating: .alike, count: count * count)
        for one in 0..<count {
            for other in one + 1..<max(count, one + 1) {
                let likeness = likeness(one, other)
                table[one * count + other] = likeness
                table[other * count + one] = likeness
            }
        }
    }

    /// Returns the groups; those whose likeness is unknown are joined if both are confirmed.
    func groups(where isConfirmed: ([Int]) -> Bool) -> [[Int]] {
        let alike = joined((0..<count).map { [$0] }) { one, other in
            any(.alike, one, other)
        }
        return joined(alike) { one, other in isConfirmed(one) && isConfirmed(other) }
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
