// Tests of the rule that names the elements that differ where two pictures differ.
import FarmCore
import FarmTesting
import Testing

@Suite("Changes of elements")
struct ElementChangesTests {
    /// A page: a heading and a list of buttons, one below the other, each 20 pixels high.
    private struct Page {
        var heading = "Cart"
        var radius = "6px"
        var colour = "rgb(0, 0, 0)"
        var buttons = ["a", "b", "c"]
        var buttonClass = ".btn"
        var top = 40

        var tree: ElementTree {
            var elements = [
                ElementTree.Element(selector: "body", box: box(0, 200), style: 0),
                ElementTree.Element(
                    selector: "h1",
                    box: box(0, 20),
                    text: heading,
                    style: 0,
                    parent: 0
                ),
                ElementTree.Element(selector: "ul", box: box(top, 100), style: 0, parent: 0),
            ]
            for (number, text) in buttons.enumerated() {
                elements.append(
                    ElementTree.Element(
                        selector: buttonClass,
                        box: box(top + 20 * number, 20),
                        text: text,
                        style: 1,
                        parent: 2
                    )
                )
            }
            return ElementTree(
                properties: ["color", "border-radius"],
                styles: [[colour, "0px"], [colour, radius]],
                elements: elements
            )
        }

        private func box(_ y: Int, _ height: Int) -> PixelBox {
            PixelBox(x: 0, y: y, width: 100, height: height)
        }
    }

    private static func explanation(_ boxes: [PixelBox]) -> Explanation {
        Explanation(
            regions: boxes.map { .init(box: $0, pixels: 9, kind: .changed) },
            regionCount: boxes.count
        )
    }

    private static let everywhere = explanation([PixelBox(x: 0, y: 0, width: 100, height: 600)])

    private static func words(
        _ old: Page,
        _ new: Page,
        in explanation: Explanation = everywhere
    ) -> [String]? {
        ElementChanges.between(old.tree, new.tree, in: explanation).map(ElementChange.lines)
    }

    @Test("a property that several elements changed alike is one change with their number")
    func property() {
        #expect(
            Self.words(Page(), Page(radius: "20px")) == [
                ".btn border-radius 6px → 20px (3 elements)"
            ]
        )
        let many = (0..<24).map { "\($0)" }
        #expect(
            Self.words(Page(buttons: many), Page(radius: "20px", buttons: many))
                == [".btn border-radius 6px → 20px (24 elements)"]
        )
        #expect(Self.words(Page(), Page(heading: "Basket")) == [#"h1 text "Cart" → "Basket""#])
    }

    @Test("equal trees say so, and cut ones say nothing")
    func equal() {
        #expect(Self.words(Page(), Page()) == ["no element differs"])
        var tree = Page().tree
        tree.isCut = true
        #expect(ElementChanges.between(tree, tree, in: Self.everywhere) == nil)
    }

    @Test("a value that children have from the element around them is named there alone")
    func inherited() {
        #expect(
            Self.words(Page(), Page(colour: "rgb(200, 0, 16)")) == ["body color #000000 → #c80010"]
        )
    }

    @Test("elements outside the changed regions are not named")
    func regions() {
        let heading = Self.explanation([PixelBox(x: 0, y: 5, width: 9, height: 9)])
        let list = Self.explanation([PixelBox(x: 0, y: 45, width: 9, height: 9)])
        let both = Page(heading: "Basket", radius: "20px")
        #expect(Self.words(Page(), both, in: heading) == [#"h1 text "Cart" → "Basket""#])
        #expect(Self.words(Page(), both, in: list) == [".btn border-radius 6px → 20px"])
        #expect(Self.words(Page(), Page(heading: "Basket"), in: list) == nil)
        // A difference with unlisted regions may be anywhere.
        var unlisted = list
        unlisted.regionCount += 1
        #expect(Self.words(Page(), Page(heading: "Basket"), in: unlisted)?.count == 1)
    }

    @Test("moves are named where nothing else changed, once for an element and all inside it")
    func moves() {
        #expect(Self.words(Page(), Page(top: 44)) == ["ul moved 4 px down"])
        #expect(
            Self.words(Page(), Page(radius: "20px", top: 44))
                == [".btn border-radius 6px → 20px (3 elements)"]
        )
    }

    @Test("elements that appear or vanish between others leave the others matched")
    func appeared() {
        let more = Page(buttons: ["a", "x", "b", "c"])
        #expect(Self.words(Page(), more) == [".btn appeared"])
        #expect(Self.words(more, Page()) == [".btn vanished"])
    }

    @Test("an element whose class has another name is found again by its text")
    func renamedClass() {
        #expect(
            Self.words(Page(), Page(radius: "20px", buttonClass: ".btn-new"))
                == [".btn-new border-radius 6px → 20px (3 elements)"]
        )
    }

    @Test("the regions that a change touches are named by their places")
    func touched() throws {
        let boxes = [
            PixelBox(x: 0, y: 150, width: 9, height: 9), PixelBox(x: 0, y: 45, width: 9, height: 9),
        ]
        let found = try #require(
            ElementChanges.between(
                Page().tree,
                Page(radius: "20px").tree,
                in: Self.explanation(boxes)
            )
        )
        #expect(found.map(\.regions) == [[1]])
    }

    @Test("in 300 random pairs of trees, swapping them swaps what was before and what is after")
    func swapped() {
        var random = SeededGenerator.announced("ElementChangesTests.swapped", usual: 11)
        let opposite = ["appeared": "vanished", "vanished": "appeared"]
        for _ in 0..<300 {
            let one = ElementTreeTests.random(
                &random,
                elements: Int.random(in: 0...12, using: &random)
            )
            var other = one
            for place in other.elements.indices where Int.random(in: 0..<3, using: &random) == 0 {
                other.elements[place].text = "\(Int.random(in: 0..<3, using: &random))"
                other.elements[place].style = Int.random(in: 0..<3, using: &random)
            }
            if Bool.random(using: &random), let last = other.elements.indices.last {
                other.elements.remove(at: last)
            }
            let forth = ElementChanges.between(one, other, in: Self.everywhere)
            let back = ElementChanges.between(other, one, in: Self.everywhere)
            #expect(forth?.isEmpty == back?.isEmpty)
            #expect((forth ?? []).count <= FarmLimits.elementChangesMax)
            guard let forth, let back, forth.count < FarmLimits.elementChangesMax else { continue }
            let turned = back.map { change in
                ElementChange(
                    selector: change.selector,
                    property: opposite[change.property] ?? change.property,
                    before: change.after,
                    after: change.before,
                    count: change.count,
                    regions: change.regions
                )
            }
            #expect(Set(turned) == Set(forth))
        }
    }
}
