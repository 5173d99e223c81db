import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("Regions and what became of them")
struct RegionTests {
    private let page = Scene(width: 200, height: 300)

    private func kinds(_ reference: Scene, _ capture: Scene) -> [Explanation.Kind] {
        reference.explained(to: capture).regions.map(\.kind)
    }

    @Test("a word is one region, two icons far apart are two", arguments: [1, 2, 3])
    func apart(scale: Int) {
        let word = page.explained(to: page.text(20, 40, letters: 12, seed: 1), scale: scale)
        #expect(word.regions.count == 1)
        #expect(word.regions.first?.box.y == 40 * scale)
        #expect(word.regions.first?.box.height == 10 * scale)
        let icons = page.icon(10, 10).icon(160, 10).explained(
            to: page.icon(10, 10, Scene.red).icon(160, 10, Scene.red),
            scale: scale
        )
        #expect(icons.regions.count == 2)
        #expect(icons.regionCount == 2)
    }

    @Test("what appears on the background appeared, what leaves it vanished")
    func appeared() {
        let other = page.icon(60, 60)
        #expect(kinds(page, other) == [.appeared])
        #expect(kinds(other, page) == [.vanished])
        let inCard = page.box(20, 20, 160, 100, Scene.grey)
        #expect(kinds(inCard, inCard.text(40, 40, letters: 6, seed: 2)) == [.appeared])
    }

    @Test("the same shapes in another colour are recoloured")
    func recoloured() {
        #expect(kinds(page.icon(60, 60), page.icon(60, 60, Scene.red)) == [.recoloured])
        let text = { page.text(30, 90, letters: 9, seed: 5, $0) }
        #expect(kinds(text(Pictures.black), text(Scene.red)) == [.recoloured])
    }

    @Test("other words in the same place are text")
    func text() {
        let reference = page.text(30, 90, letters: 9, seed: 5)
        #expect(kinds(reference, page.text(30, 90, letters: 9, seed: 6)) == [.text])
        let dark = Scene(width: 200, height: 300, ground: Pictures.black)
        let words = { dark.text(30, 90, letters: 9, seed: $0, Pictures.white) }
        #expect(kinds(words(5), words(6)) == [.text])
        // The ground changed as well, so this is more than a change of text.
        let card = dark.box(20, 80, 110, 30, [20, 20, 20, 255])
        let paler = card.text(30, 90, letters: 9, seed: 6, Pictures.white)
        #expect(kinds(words(5), paler) == [.changed])
    }

    @Test(
        "an icon that moved, near or beyond its own size, has moved",
        arguments: [(0, 3), (0, -17), (5, 0), (-30, 0), (9, -4), (13, 21), (70, 80)]
    )
    func moved(dx: Int, dy: Int) {
        let found = kinds(page.icon(80, 80), page.icon(80 + dx, 80 + dy))
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0 == .moved(dx: dx, dy: dy) }, "\(found)")
    }

    @Test("edges of a flat box that moved: one shrank, one grew")
    func edges() {
        let box = page.box(50, 50, 40, 60)
        #expect(kinds(box, page.box(50, 50, 40, 66)) == [.grew])
        #expect(kinds(box, page.box(55, 50, 35, 60)) == [.shrank])
        #expect(Set(kinds(box, page.box(50, 53, 40, 60))) == [.grew, .shrank])
        // Either of two colours could be the ground.
        let halves = page.box(0, 0, 200, 100)
        #expect(kinds(halves, page.box(0, 0, 200, 104)) == [.changed])
    }

    @Test("what no rule is sure of is changed")
    func changed() {
        var random = SeededGenerator(seed: 7)
        let noise = { (x: Int, y: Int) -> [UInt8] in
            [UInt8(truncatingIfNeeded: random.next()), 0, 0, 255]
        }
        let found = Explainer.explain(
            reference: Pictures.make(60, 60, noise),
            capture: Pictures.make(60, 60, noise)
        )
        #expect(found.regions.map(\.kind) == [.changed])
    }

    @Test("every second pixel differs: one region, and no time is lost")
    func noise() {
        let found = Explainer.explain(
            reference: Pictures.flat(400, 300, Pictures.black),
            capture: Pictures.make(400, 300) { x, y in
                (x + y) % 2 == 0 ? Pictures.white : Pictures.black
            }
        )
        #expect(found.regionCount == 1)
        #expect(found.changed == 60_000)
    }

    @Test("everything below a row that moved down is one region")
    func band() throws {
        let list = Scene.list(rows: 6)
        let found = list.explained(to: list.moved(from: 98, by: 4))
        #expect(found.bandMove?.by == 4)
        #expect(found.bandMove?.from == 98)
        #expect(found.regions.map(\.kind) == [.moved(dx: 0, dy: 4)])
        let up = list.explained(to: list.moved(from: 98, by: -5))
        #expect(up.bandMove?.by == -5)
    }

    @Test("a new row in a list: what is below moved, the row itself appeared")
    func inserted() throws {
        let list = Scene.list(rows: 5)
        let capture = list.moved(from: 98, by: 44)
            .icon(8, 98, Scene.red).text(44, 104, letters: 11, seed: 77)
            .box(0, 131, 200, 1, Scene.grey)
        let found = list.explained(to: capture)
        #expect(found.bandMove?.by == 44)
        #expect(found.regions.first?.kind == .moved(dx: 0, dy: 44))
        #expect(found.regionCount > 1)
    }

    @Test("no more regions are listed than the limit, and all are counted")
    func limit() {
        let found = Explainer.explain(
            reference: Pictures.flat(400, 400, Pictures.black),
            capture: Pictures.make(400, 400) { x, y in
                x % 40 == 0 && y % 40 == 0 ? Pictures.white : Pictures.black
            }
        )
        #expect(found.regions.count == FarmLimits.clustersMax)
        #expect(found.regionCount == 100)
    }

    @Test("regions are of changed and anti-aliased pixels; noise and ignored pixels have none")
    func classes() {
        let reference = Pictures.flat(100, 100, Pictures.black)
        let capture = Pictures.flat(100, 100, Pictures.white)
        var map = [PixelClasses.Class](repeating: .same, count: 10_000)
        map[5 * 100 + 5] = .antiAliased
        map[50 * 100 + 5] = .noise
        map[80 * 100 + 5] = .ignored
        let found = Explainer.explain(
            reference: reference,
            capture: capture,
            classes: PixelClasses(size: reference.size, classes: map)
        )
        let box = PixelBox(x: 5, y: 5, width: 1, height: 1)
        #expect(found.regions.map(\.box) == [box])
        #expect(found.regions.map(\.kind) == [.antiAliasing])
        #expect([found.noise, found.antiAliased, found.changed] == [1, 1, 0])
    }

    @Test("an explanation survives JSON, and an unknown kind is read as changed")
    func json() throws {
        let list = Scene.list(rows: 6)
        let found = list.explained(to: list.moved(from: 98, by: 4))
        let text = try JSONText.encode(found)
        #expect(text.contains(#""dy":4"#))
        #expect(try JSONText.decode(Explanation.self, text) == found)
        let later = text.replacing(#""kind":"moved""#, with: #""kind":"melted""#)
        #expect(try JSONText.decode(Explanation.self, later).regions.first?.kind == .changed)
    }
}
