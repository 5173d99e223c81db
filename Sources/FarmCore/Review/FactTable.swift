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

    /// The changes of elements that belong to each picture's facts, in the order of `facts`.
    private var elements: [[[ElementChange]]] = []
    /// Whether the elements of each picture are equal to those of its reference.
    private var hasEqualElements: [Bool] = []

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
            elements.append(own.elements)
            hasEqualElements.append(own.hasEqualElements)
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
    /// screen, if they are moves by one distance, or if the same pictures show them. A fact that
    /// only one picture shows belongs to a cause only if it is such a look.
    var causes: [FactGroup] {
        var sets = DisjointSets(count: all.count)
        let joined = sameRegions + sameMoves
        for group in joined { for fact in group { sets.join(group[0], fact) } }
        let confirmed = Set(all.indices.filter(isConfirmed) + joined.joined())
        var groups: [Int: FactGroup] = [:]
        for fact in confirmed {
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

    /// Whether two or more pictures show a fact.
    private func isConfirmed(_ fact: Int) -> Bool { pictures[fact].count > 1 }

    /// The facts that are looks of one region of a screen: the same words in the dark, at another
    /// scale, or in another language.
    ///
    /// Two or more pictures show each, or it looks like one that they show.
    private var sameRegions: [[Int]] {
        var byScreen: [Screen: [Int]] = [:]
        // Looks that occur on many screens are compared once.
        var known: [Int: Likeness] = [:]
        let regions = all.indices.filter { looks[$0] != nil }
        for fact in regions.filter(isConfirmed) + regions.filter({ !isConfirmed($0) }) {
            // Facts of single pictures join others, not each other.
            for screen in Set(pictures[fact].map { screens[$0] })
            where isConfirmed(fact) || byScreen[screen] != nil {
                byScreen[screen, default: []].append(fact)
            }
        }
        return byScreen.values.flatMap { facts in
            // The bound keeps the work small where many regions changed.
            let own = Array(facts.prefix(FarmLimits.likePicturesMax))
            let isSeenTwice = { isConfirmed(own[$0]) }
            let groups = ChangeGroups.of(own.count, isConfirmed: isSeenTwice) { one, other in
                let pair = own[one] * all.count + own[other]
                if let likeness = known[pair] { return likeness }
                let likeness = likeness(own[one], own[other])
                known[pair] = likeness
                return likeness
            }
            return groups.map { $0.map { own[$0] } }.filter { $0.contains(where: isConfirmed) }
        }
    }

    /// The facts that two or more pictures show and that are moves by one distance, at the places
    /// that each layout has.
    private var sameMoves: [[Int]] {
        var byDistance: [Int: [Int]] = [:]
        for fact in all.indices where isConfirmed(fact) {
            if case .moved(let by, _) = all[fact] { byDistance[by, default: []].append(fact) }
        }
        return Array(byDistance.values)
    }

    /// Returns the likeness of two looks; those in one picture are two regions.
    private func likeness(_ one: Int, _ other: Int) -> Likeness {
        guard let look = looks[one], let second = looks[other] else { return .unlike }
        guard isConfirmed(one) || isConfirmed(other) else { return .unknown }
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

    /// Returns the changes of elements that two or more pictures of a cause show, those of the most
    /// pictures first; none if no element of its pictures differs, `nil` if nothing is known.
    ///
    /// The numbers of elements are those of all pictures of the cause together.
    func elements(of cause: FactGroup) -> [ElementChange]? {
        if cause.pictures.allSatisfy({ hasEqualElements[$0] }) { return [] }
        let wanted = Set(cause.facts)
        var shown: [ElementChange: (pictures: Int, elements: Int, order: Int)] = [:]
        for picture in cause.pictures {
            let own = zip(facts[picture], elements[picture]).filter { wanted.contains($0.0) }
            // Two facts of the cause may touch the same element.
            var seen: Set<ElementChange> = []
            for change in own.flatMap(\.1) where seen.insert(change).inserted {
                var entry = shown[change.alone] ?? (0, 0, shown.count)
                entry.pictures += 1
                entry.elements += change.count
                shown[change.alone] = entry
            }
        }
        let common = shown.filter { $0.value.pictures > 1 }.sorted {
            ($1.value.pictures, $1.value.elements, $0.value.order)
                < ($0.value.pictures, $0.value.elements, $1.value.order)
        }
        guard !common.isEmpty else { return nil }
        return common.prefix(FarmLimits.elementChangesMax).map { change, found in
            var change = change
            change.count = found.elements
            return change
        }
    }

    private static func phrase(_ fact: PictureFact) -> String {
        switch fact {
        case .recoloured(let from, let to): "recoloured \(from.text) → \(to.text)"
        case .moved(let by, _): Explanation.phrase(.moved(dx: 0, dy: by))
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
