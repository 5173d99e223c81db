// The rule that compares two element trees where their pictures differ.

/// Compares the elements of a reference with those of its capture.
package struct ElementChanges {
    private let old: ElementTree
    private let new: ElementTree
    private let match: ElementMatch
    /// The properties of both trees, with their places in each.
    private let properties: [(name: String, old: Int, new: Int)]
    /// The differing values of two lists of styles.
    private var known: [StylePair: [ElementChange]] = [:]
    private var found: [ElementChange: (change: ElementChange, order: Int)] = [:]

    private struct StylePair: Hashable { let old, new: Int? }

    /// The properties that style sheets inherit to the elements inside.
    private static let inherited: Set<String> = [
        "color", "fill", "font-family", "font-size", "font-style", "font-weight", "letter-spacing",
        "line-height", "stroke", "text-align", "text-shadow", "text-transform", "white-space",
    ]

    /// Returns the changes of elements in the changed regions of a picture: none if the trees are
    /// equal, `nil` if they differ only elsewhere or do not show all elements.
    ///
    /// Moves and sizes are left out where another property changed: they follow from it.
    package static func between(
        _ old: ElementTree,
        _ new: ElementTree,
        in explanation: Explanation
    ) -> [ElementChange]? {
        if old == new { return old.isCut ? nil : [] }
        var changes = ElementChanges(old, new)
        changes.compare(Regions(explanation))
        let all = changes.found.values.sorted { $0.order < $1.order }.map(\.change)
        let causes = all.filter { !$0.isEffect }
        let shown = causes.isEmpty ? all : causes
        // Sorting is stable by the order in the document.
        let sorted = shown.enumerated().sorted {
            ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
        }
        return shown.isEmpty
            ? nil : sorted.prefix(FarmLimits.elementChangesMax).map(\.element)
    }

    private init(_ old: ElementTree, _ new: ElementTree) {
        self.old = old
        self.new = new
        match = ElementMatch(old, new)
        let places = Dictionary(
            new.properties.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        properties = old.properties.enumerated().compactMap { place, name in
            places[name].map { (name, place, $0) }
        }
    }

    // MARK: comparing

    private mutating func compare(_ regions: Regions) {
        for (place, element) in new.elements.enumerated() {
            guard let before = match.oldOfNew[place] else {
                if !old.isCut, isFirst(element.parent, in: match.oldOfNew) {
                    add(ElementChange(element, "appeared"), regions.touched(by: [element.box]))
                }
                continue
            }
            compare(before, place, regions)
        }
        guard !new.isCut else { return }
        for (place, element) in old.elements.enumerated()
        where match.newOfOld[place] == nil && isFirst(element.parent, in: match.newOfOld) {
            add(ElementChange(element, "vanished"), regions.touched(by: [element.box]))
        }
    }

    /// Whether the element around a new or gone one is neither new nor gone itself.
    private func isFirst(_ parent: Int?, in matches: [Int?]) -> Bool {
        parent.map { matches[$0] != nil } ?? true
    }

    private mutating func compare(_ before: Int, _ after: Int, _ regions: Regions) {
        let (one, other) = (old.elements[before], new.elements[after])
        var changes = styles(one, other)
        if !changes.isEmpty, let parent = parents(one, other) {
            let outer = styles(old.elements[parent.old], new.elements[parent.new])
            let same = Set(outer)
            changes.removeAll { Self.inherited.contains($0.property) && same.contains($0) }
        }
        if one.text != other.text {
            changes.append(
                ElementChange(selector: "", property: "text", before: one.text, after: other.text)
            )
        }
        if let change = boxes(one, other) { changes.append(change) }
        guard !changes.isEmpty else { return }
        let touched = regions.touched(by: [one.box, other.box])
        for var change in changes {
            change.selector = other.selector
            add(change, touched)
        }
    }

    /// Returns the elements around two matched ones if those match, too.
    private func parents(
        _ one: ElementTree.Element,
        _ other: ElementTree.Element
    ) -> (old: Int, new: Int)? {
        guard let old = one.parent, let new = other.parent, match.newOfOld[old] == new else {
            return nil
        }
        return (old, new)
    }

    /// Returns the differing values of two elements, without a selector.
    private mutating func styles(
        _ one: ElementTree.Element,
        _ other: ElementTree.Element
    ) -> [ElementChange] {
        let pair = StylePair(old: one.style, new: other.style)
        if let known = known[pair] { return known }
        var changes: [ElementChange] = []
        if let before = one.style.map({ old.styles[$0] }),
            let after = other.style.map({ new.styles[$0] })
        {
            changes = properties.compactMap { name, place, other in
                guard before[place] != after[other] else { return nil }
                return ElementChange(
                    selector: "",
                    property: name,
                    before: Colour.shortened(before[place]),
                    after: Colour.shortened(after[other])
                )
            }
        }
        known[pair] = changes
        return changes
    }

    /// Returns the change of an element's box; `nil` if it has none of its own.
    private func boxes(
        _ one: ElementTree.Element,
        _ other: ElementTree.Element
    ) -> ElementChange? {
        if (one.box.width, one.box.height) != (other.box.width, other.box.height) {
            return ElementChange(
                selector: "",
                property: "size",
                before: "\(one.box.width)×\(one.box.height)",
                after: "\(other.box.width)×\(other.box.height)"
            )
        }
        let move = (other.box.x - one.box.x, other.box.y - one.box.y)
        guard move != (0, 0) else { return nil }
        if let (outer, now) = parents(one, other).map({
            (old.elements[$0.old], new.elements[$0.new])
        }),
            move == (now.box.x - outer.box.x, now.box.y - outer.box.y)
        {
            return nil
        }
        return ElementChange(
            selector: "",
            property: "moved",
            after: Explanation.direction(dx: move.0, dy: move.1)
        )
    }

    private mutating func add(_ change: ElementChange, _ touched: [Int]?) {
        guard let touched else { return }
        var entry = found[change.alone] ?? (change, found.count)
        if found[change.alone] != nil { entry.change.count += 1 }
        entry.change.regions = Set(entry.change.regions ?? []).union(touched).sorted()
        found[change.alone] = entry
    }
}

extension ElementChange {
    fileprivate init(_ element: ElementTree.Element, _ property: String) {
        self.init(selector: element.selector, property: property)
    }
}

/// The changed regions of a picture.
private struct Regions {
    /// The boxes of all regions, or `nil` if they are not all known or not in the pixels of both
    /// pictures; each element then counts.
    private let all: [PixelBox]?
    /// The boxes of the regions that are parts of the explanation, in their order.
    private let parts: [PixelBox]

    init(_ explanation: Explanation) {
        let isWhole = explanation.regionCount == explanation.regions.count
        all = isWhole && explanation.alignment == nil ? explanation.regions.map(\.box) : nil
        parts = (explanation.parts?.rest ?? explanation.regions).map(\.box)
    }

    /// Returns the indices of the parts that one of the boxes touches, or `nil` if the boxes touch
    /// no changed region.
    func touched(by boxes: [PixelBox]) -> [Int]? {
        if let all, !all.contains(where: { box in boxes.contains(where: box.meets) }) { return nil }
        return parts.indices.filter { place in boxes.contains(where: parts[place].meets) }
    }
}

extension PixelBox {
    /// Whether two boxes have a pixel in common.
    fileprivate func meets(_ other: PixelBox) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height
            && other.y < y + height
    }
}

extension Colour {
    /// Returns a value of a style sheet with the opaque colour `rgb(0, 128, 128)` written as
    /// `#008080`.
    static func shortened(_ value: String) -> String {
        guard value.hasPrefix("rgb("), value.hasSuffix(")") else { return value }
        let parts = value.dropFirst(4).dropLast().split(
            separator: ",",
            omittingEmptySubsequences: false
        )
        let numbers = parts.map { UInt8($0.drop { $0 == " " }) }
        guard numbers.count == 3, let red = numbers[0], let green = numbers[1],
            let blue = numbers[2]
        else { return value }
        return Colour(red, green, blue).text
    }
}
