// The facts of all changed pictures of a run, by numbers, and the rule that groups them.

struct FactTable {
    /// The places of the changed pictures in the summary.
    private(set) var rows: [Int] = []
    /// The numbers of each picture's facts.
    private(set) var facts: [[Int]] = []
    /// Whether the facts of a picture cover every changed pixel.
    private(set) var isWhole: [Bool] = []
    /// The screen of each picture.
    private(set) var screens: [Screen] = []

    /// The facts in the order of their numbers, each with the pictures that show it.
    private var all: [PictureFact] = []
    private var pictures: [[Int]] = []
    /// The change of a region as that of a whole picture, for the first picture that shows it.
    private var looks: [PictureChange?] = []

    init(_ summary: RunSummary, _ titles: RunTitles, _ comparisons: [String: Comparison]) {
        var numbers: [PictureFact: Int] = [:]
        for (row, picture) in summary.snapshots.enumerated() where picture.verdict == .changed {
            guard let difference = comparisons[picture.id]?.difference,
                let own = PictureFacts(difference)
            else { continue }
            let place = rows.count
            rows.append(row)
            isWhole.append(own.isWhole)
            screens.append(Screen(picture, titles))
            facts.append(
                own.facts.map { fact, region in
                    if let known = numbers[fact] {
                        pictures[known].append(place)
                        return known
                    }
                    numbers[fact] = all.count
                    all.append(fact)
                    pictures.append([place])
                    looks.append(region.map { PictureChange($0, of: difference) })
                    return all.count - 1
                }
            )
        }
    }

    /// The causes, those with the most pictures first.
    ///
    /// Facts that two or more pictures show are one cause if they are looks of one region of a
    /// screen, or if the same pictures show them.
    var causes: [FactGroup] {
        var sets = DisjointSets(count: all.count)
        for group in sameRegions { for fact in group { sets.join(group[0], fact) } }
        var groups: [Int: FactGroup] = [:]
        for fact in all.indices where pictures[fact].count > 1 {
            groups[sets.root(fact), default: FactGroup(facts: [], pictures: [])].facts.append(fact)
        }
        var byPictures: [[Int]: FactGroup] = [:]
        for var group in groups.values {
            group.pictures = Set(group.facts.flatMap { pictures[$0] }).sorted()
            byPictures[group.pictures, default: FactGroup(facts: [], pictures: group.pictures)]
                .facts += group.facts
        }
        return byPictures.values.map {
            FactGroup(facts: $0.facts.sorted(), pictures: $0.pictures)
        }
        .sorted { ($1.pictures.count, $0.facts[0]) < ($0.pictures.count, $1.facts[0]) }
    }

    /// The facts that two or more pictures show and that are looks of one region of a screen: the
    /// same words in the dark, at another scale, or in another language.
    private var sameRegions: [[Int]] {
        var byScreen: [Screen: [Int]] = [:]
        // Looks that occur on many screens are compared once.
        var known: [Int: Likeness] = [:]
        for fact in all.indices where looks[fact] != nil && pictures[fact].count > 1 {
            for screen in Set(pictures[fact].map { screens[$0] }) {
                byScreen[screen, default: []].append(fact)
            }
        }
        return byScreen.values.flatMap { facts in
            // The bound keeps the work small where many regions changed.
            let own = Array(facts.prefix(FarmLimits.likePicturesMax))
            let groups = ChangeGroups.ofConfirmed(own.count) { one, other in
                let pair = own[one] * all.count + own[other]
                if let likeness = known[pair] { return likeness }
                let likeness = likeness(own[one], own[other])
                known[pair] = likeness
                return likeness
            }
            return groups.map { $0.map { own[$0] } }
        }
    }

    /// Returns the likeness of two looks; those in one picture are two regions.
    private func likeness(_ one: Int, _ other: Int) -> Likeness {
        guard let look = looks[one], let second = looks[other] else { return .unlike }
        let likeness = look.likeness(to: second)
        let isApart = likeness != .unlike && Self.areDisjoint(pictures[one], pictures[other])
        return isApart ? likeness : .unlike
    }

    /// Whether two sorted lists have no number in common.
    private static func areDisjoint(_ one: [Int], _ other: [Int]) -> Bool {
        var (a, b) = (0, 0)
        while a < one.count, b < other.count {
            if one[a] == other[b] { return false }
            if one[a] < other[b] { a += 1 } else { b += 1 }
        }
        return true
    }

    // MARK: what people see

    /// Returns a picture for each look of a cause, at most ``CauseSummary/looksMax``; of each look
    /// the one with the fewest facts.
    func looks(of cause: FactGroup) -> [Int] {
        let shown = cause.facts.compactMap { fact in
            pictures[fact].min { (facts[$0].count, $0) < (facts[$1].count, $1) }
        }
        var seen: Set<Int> = []
        let first = shown.sorted { (facts[$0].count, $0) < (facts[$1].count, $1) }
        return Array(first.filter { seen.insert($0).inserted }.prefix(CauseSummary.looksMax))
    }

    /// Returns the words of a cause: its kinds of change, each once.
    func words(of cause: FactGroup) -> String {
        var phrases: [String] = []
        for fact in cause.facts {
            let phrase = Self.phrase(all[fact])
            if !phrases.contains(phrase) { phrases.append(phrase) }
        }
        let most = 3
        let more = phrases.count > most ? ["\(phrases.count - most) more"] : []
        return (phrases.prefix(most) + more).joined(separator: ", ")
    }

    private static func phrase(_ fact: PictureFact) -> String {
        switch fact {
        case .recoloured(let from, let to): "recoloured \(from.text) → \(to.text)"
        case .region(let region): Explanation.phrase(region.kind)
        }
    }
}

/// Disjoint sets of numbers; any two sets can be joined.
private struct DisjointSets {
    private var parents: [Int]

    init(count: Int) { parents = Array(0..<count) }

    mutating func root(_ number: Int) -> Int {
        var place = number
        while parents[place] != place {
            parents[place] = parents[parents[place]]
            place = parents[place]
        }
        return place
    }

    mutating func join(_ one: Int, _ other: Int) {
        let (a, b) = (root(one), root(other))
        parents[max(a, b)] = min(a, b)
    }
}
