// Which element of one tree is which of the other: first by test id or selector, then below the
// same parent by text or box, because tools put a digest of the styles into class names.

/// The pairs of elements that two trees have in common.
struct ElementMatch {
    /// The index in the new tree of each element of the old one, or `nil` if it is gone.
    private(set) var newOfOld: [Int?]
    /// The index in the old tree of each element of the new one, or `nil` if it appeared.
    private(set) var oldOfNew: [Int?]

    init(_ old: ElementTree, _ new: ElementTree) {
        newOfOld = Array(repeating: nil, count: old.elements.count)
        oldOfNew = Array(repeating: nil, count: new.elements.count)
        let before = Dictionary(grouping: old.elements.indices) { old.elements[$0].key }
        let after = Dictionary(grouping: new.elements.indices) { new.elements[$0].key }
        for (key, places) in before {
            guard let others = after[key] else { continue }
            matchNames(places, others) { old.elements[$0].text == new.elements[$1].text }
        }
        matchBelowParents(old, new)
    }

    private mutating func match(_ old: Int, _ new: Int) {
        newOfOld[old] = new
        oldOfNew[new] = old
    }

    /// Matches elements of one name: in their order if both trees have as many; else those with
    /// equal texts from the start and from the end, and then the others in their order.
    private mutating func matchNames(
        _ old: [Int],
        _ new: [Int],
        haveSameText: (Int, Int) -> Bool
    ) {
        var (old, new) = (old[...], new[...])
        if old.count != new.count {
            while let one = old.first, let other = new.first, haveSameText(one, other) {
                match(old.removeFirst(), new.removeFirst())
            }
            while let one = old.last, let other = new.last, haveSameText(one, other) {
                match(old.removeLast(), new.removeLast())
            }
        }
        for (one, other) in zip(old, new) { match(one, other) }
    }

    private struct Place: Hashable {
        var parent: Int?
        var text = ""
        var box: PixelBox?
    }

    private mutating func matchBelowParents(_ old: ElementTree, _ new: ElementTree) {
        var left: [Place: [Int]] = [:]
        for (index, element) in old.elements.enumerated().reversed() where newOfOld[index] == nil {
            for place in Self.places(of: element, below: element.parent) {
                left[place, default: []].append(index)
            }
        }
        guard !left.isEmpty else { return }
        for (index, element) in new.elements.enumerated() where oldOfNew[index] == nil {
            // A parent comes before its children, so it is matched already.
            let parent = element.parent.flatMap { oldOfNew[$0] }
            guard element.parent == nil || parent != nil else { continue }
            for place in Self.places(of: element, below: parent) {
                while let last = left[place]?.popLast() {
                    guard newOfOld[last] == nil else { continue }
                    match(last, index)
                    break
                }
                if oldOfNew[index] != nil { break }
            }
        }
    }

    private static func places(of element: ElementTree.Element, below parent: Int?) -> [Place] {
        let byBox = Place(parent: parent, box: element.box)
        return element.text.isEmpty ? [byBox] : [Place(parent: parent, text: element.text), byBox]
    }
}

extension ElementTree.Element {
    /// The name by which an element is found again.
    fileprivate var key: String { testID.map { "id " + $0 } ?? "css " + selector }
}
