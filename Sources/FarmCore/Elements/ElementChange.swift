// A change of elements: one property that became another one, in words for people.

/// A change of one property of one or more elements with the same selector.
package struct ElementChange: Hashable, Sendable, Codable {
    package var selector: String
    /// The changed property: that of a style sheet, or `text`, `size`, `moved`, `appeared` or
    /// `vanished`.
    package var property: String
    /// The value before, or `nil` if the property has none.
    package var before: String?
    /// The value after; of `moved` the direction; or `nil` if the property has none.
    package var after: String?
    /// The number of elements that changed so.
    package var count: Int
    /// The indices of the difference's regions that the elements touch, as the explanation's parts
    /// list them; `nil` in summaries.
    package var regions: [Int]?

    package init(
        selector: String,
        property: String,
        before: String? = nil,
        after: String? = nil,
        count: Int = 1,
        regions: [Int]? = nil
    ) {
        self.selector = selector
        self.property = property
        self.before = before
        self.after = after
        self.count = count
        self.regions = regions
    }

    /// The change without its regions, for a summary.
    var shown: ElementChange {
        var change = self
        change.regions = nil
        return change
    }

    /// Whether the change follows from others rather than causing pixels to change.
    var isEffect: Bool { property == "size" || property == "moved" }

    /// The change without its number of elements and its regions: equal for the same change in two
    /// pictures.
    var alone: ElementChange {
        ElementChange(selector: selector, property: property, before: before, after: after)
    }
}

extension ElementChange {
    /// The most characters of a value in words.
    private static let valueMax = 60
    /// The most changes in words.
    private static let shownMax = 3
    /// The words for pictures that differ while their elements are equal.
    package static let none = "no element differs"
    /// The word before the changes of elements in the words of a picture.
    package static let mark = "elements: "

    /// The change on one line: `.btn border-radius 6px → 20px (24 elements)`.
    package var words: String {
        let values: String? =
            if let before, let after {
                "\(shown(before)) → \(shown(after))"
            } else {
                after ?? before
            }
        let parts = [selector, property, values].compactMap(\.self)
        return parts.joined(separator: " ") + (count == 1 ? "" : " (\(count.grouped) elements)")
    }

    /// Returns the changes as lines, the last of them with the number of those that are left out.
    package static func lines(_ changes: [ElementChange]) -> [String] {
        guard !changes.isEmpty else { return [none] }
        let more = changes.count - shownMax
        return changes.prefix(shownMax).map(\.words) + (more > 0 ? ["\(more) more"] : [])
    }

    private func shown(_ value: String) -> String {
        if value.isEmpty, property != "text" { return "nothing" }
        let cut = value.count > Self.valueMax ? value.prefix(Self.valueMax - 1) + "…" : value[...]
        return property == "text" ? "\"\(cut)\"" : String(cut)
    }
}
