// The facts about a changed picture. Pictures of other screens may share them.

/// A fact about one part of a picture's change.
///
/// Equal facts are exactly the same change: of one colour, of the places of all rows, or of every
/// pixel of a region.
enum PictureFact: Hashable {
    case recoloured(from: Colour, to: Colour)
    /// Rows moved by this distance, among all shifts of the picture: another picture confirms them
    /// only all together.
    case moved(by: Int, among: [Explanation.RowShift])
    case region(RegionFact)
}

/// The change of a region, pixel by pixel, wherever it lies.
struct RegionFact: Hashable {
    let kind: Explanation.Kind
    let width: Int
    let height: Int
    let before: [UInt8]
    let after: [UInt8]

    init(_ region: Explanation.Region, _ sketch: RegionSketch) {
        kind = region.kind
        width = region.box.width
        height = region.box.height
        before = sketch.before.hash
        after = sketch.after.hash
    }
}

/// The facts of one changed picture.
struct PictureFacts {
    /// The facts, each once, and a region for each fact about one.
    let facts: [(fact: PictureFact, region: Explanation.Region?)]
    /// The changes of elements that belong to each fact.
    let elements: [[ElementChange]]
    /// Whether the pictures differ and their elements are equal.
    let hasEqualElements: Bool
    /// Whether the facts cover every changed pixel.
    let isWhole: Bool

    /// Returns `nil` if the difference was not examined, or its pictures could not be aligned.
    init?(_ difference: PixelDifference) {
        guard let explanation = difference.explanation,
            explanation.parts?.shifts != nil || explanation.alignment?.fits ?? true
        else { return nil }
        let regions = explanation.parts?.rest ?? explanation.regions
        let count = explanation.parts?.restCount ?? explanation.regionCount
        var seen: Set<PictureFact> = []
        var facts: [(PictureFact, Explanation.Region?)] = []
        for one in explanation.parts?.recolourings ?? [] {
            let fact = PictureFact.recoloured(from: one.from, to: one.to)
            if seen.insert(fact).inserted { facts.append((fact, nil)) }
        }
        let colours = Set(facts.map(\.0))
        for shift in explanation.parts?.shifts ?? [] {
            let fact = PictureFact.moved(by: shift.by, among: explanation.parts?.shifts ?? [])
            if seen.insert(fact).inserted { facts.append((fact, nil)) }
        }
        var isWhole = count == regions.count
        for region in regions {
            guard let sketch = region.sketch else {
                isWhole = false
                continue
            }
            let fact = PictureFact.region(RegionFact(region, sketch))
            if seen.insert(fact).inserted { facts.append((fact, region)) }
        }
        self.facts = facts
        self.isWhole = isWhole
        let changes = explanation.elements ?? []
        elements = facts.map { fact, _ in
            changes.filter { Self.belongs($0, to: fact, of: regions, colours) }
        }
        hasEqualElements = explanation.elements?.isEmpty == true
    }

    /// Whether a change of elements belongs to a fact: it has the two colours of a recolouring, or no
    /// recolouring of the picture has its colours, and it lies in a region, or the rows moved and it
    /// lies in none.
    private static func belongs(
        _ change: ElementChange,
        to fact: PictureFact,
        of regions: [Explanation.Region],
        _ colours: Set<PictureFact>
    ) -> Bool {
        let colour = change.recolouring
        if let colour, colours.contains(colour) { return colour == fact }
        if case .moved = fact { return change.regions?.isEmpty == true }
        guard case .region(let own) = fact else { return false }
        return (change.regions ?? []).contains { place in
            guard regions.indices.contains(place), let sketch = regions[place].sketch else {
                return false
            }
            return RegionFact(regions[place], sketch) == own
        }
    }
}

extension ElementChange {
    /// The change as a recolouring, or `nil` if its values are no two colours.
    fileprivate var recolouring: PictureFact? {
        guard let from = before.flatMap({ Colour($0) }), let to = after.flatMap({ Colour($0) })
        else { return nil }
        return .recoloured(from: from, to: to)
    }
}
