import FarmCore
import FarmImaging
import FarmTesting
import Testing

@Suite("Fingerprints of changes")
struct FingerprintTests {
    /// A random screen and a random change of it.
    private struct Case {
        var name: String
        var reference: Scene
        var capture: Scene
    }

    private func screen(_ random: inout SeededGenerator) -> Scene {
        var scene = Scene(width: 200, height: 360)
        for row in 0..<7 {
            let y = 12 + row * 50
            scene = scene.icon(10, y)
                .text(
                    50,
                    y + 8,
                    letters: Int.random(in: 5...14, using: &random),
                    seed: random.next()
                )
        }
        return scene
    }

    private func cases(_ random: inout SeededGenerator) -> [Case] {
        let base = screen(&random)
        let row = Int.random(in: 0..<7, using: &random)
        let y = 12 + row * 50
        func without(_ test: (Scene.Shape) -> Bool) -> Scene {
            var copy = base
            copy.shapes.removeAll(where: test)
            return copy
        }
        let isIcon = { (shape: Scene.Shape) in shape.x < 50 && (y..<y + 24).contains(shape.y) }
        let isText = { (shape: Scene.Shape) in shape.x >= 50 && (y..<y + 24).contains(shape.y) }
        let noIcon = without(isIcon)
        return [
            Case(name: "vanished", reference: base, capture: noIcon),
            Case(name: "appeared", reference: noIcon, capture: base),
            Case(name: "recoloured", reference: base, capture: noIcon.icon(10, y, Scene.red)),
            Case(name: "moved down", reference: base, capture: noIcon.icon(10, y + 7)),
            Case(name: "moved right", reference: base, capture: noIcon.icon(16, y)),
            Case(
                name: "text",
                reference: base,
                capture: without(isText).text(50, y + 8, letters: 9, seed: random.next())
            ),
            Case(
                name: "grew",
                reference: base,
                capture: base.moved(from: y, by: 8).sized(200, 368)
            ),
        ]
    }

    @Test("the same change has one fingerprint at 1x, 2x and 3x, another change another")
    func scales() throws {
        var random = SeededGenerator(seed: 4)
        var same = 0
        var all = 0
        for _ in 0..<4 {
            var names: [String: String] = [:]
            for one in cases(&random) {
                let prints = (1...3).map {
                    one.reference.explained(to: one.capture, scale: $0).fingerprint
                }
                all += 1
                same += Set(prints).count == 1 ? 1 : 0
                if Set(prints).count > 1 { print(one.name, prints) }
                let first = try #require(prints.first)
                #expect(first.count == 12)
                #expect(names[first] == nil, "\(one.name) and \(names[first] ?? "")")
                names[first] = one.name
            }
        }
        #expect(same == all, "\(same) of \(all) have one fingerprint")
    }

    @Test("another language keeps it: the same text replaced, longer or shorter")
    func languages() {
        let page = Scene(width: 200, height: 300)
        let prints = [6, 9, 12].map { letters in
            page.text(30, 90, letters: letters, seed: 5)
                .explained(to: page.text(30, 90, letters: letters, seed: 6)).fingerprint
        }
        #expect(Set(prints).count == 1, "\(prints)")
    }

    @Test("another appearance keeps it")
    func appearance() {
        let prints = [Pictures.white, Pictures.black].map { ground in
            let page = Scene(width: 200, height: 300, ground: ground)
            return page.icon(30, 30).explained(to: page.icon(30, 42)).fingerprint
        }
        #expect(Set(prints).count == 1)
    }

    @Test("nothing that can be named has none")
    func none() {
        let page = Scene(width: 40, height: 40)
        #expect(page.explained(to: page).fingerprint.isEmpty)
    }
}
