import FarmCore
import FarmImaging
import Testing

@Suite("Sketches of regions")
struct SketchTests {
    private static let page = Scene(width: 200, height: 300)

    private func sketch(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ kind: Explanation.Kind
    ) throws -> RegionSketch {
        let found = Explainer.explain(reference: reference, capture: capture)
        try #require(found.regions.map(\.kind) == [kind])
        return try #require(found.regions[0].sketch)
    }

    @Test("a region has nearly the same sketch at 1x, 2x and 3x")
    func scales() throws {
        let base = Self.page.icon(30, 30)
        let sketches = try (1...3).map { scale in
            let (one, other) = (Self.page.painted(scale: scale), base.painted(scale: scale))
            return try sketch(one, other, .appeared)
        }
        for other in sketches.dropFirst() {
            #expect(other.before.parts == sketches[0].before.parts)
            let distances = zip(other.after.parts, sketches[0].after.parts).map {
                abs(Int($0) - Int($1))
            }
            #expect((distances.max() ?? 255) <= 2, "\(distances)")
            #expect(other.after.ground == Scene.blue && other.after.ink == Pictures.white)
        }
    }

    @Test("one pixel that a recolouring does not explain is odd")
    func recoloured() throws {
        let reference = Self.page.icon(30, 30).painted()
        let capture = Self.page.icon(30, 30, Scene.red).painted()
        #expect(try sketch(reference, capture, .recoloured).odd == 0)
        let intruded = Pictures.painted(capture, Pictures.black) { $0 == 51 && $1 == 51 }
        #expect(try sketch(reference, intruded, .recoloured).odd > 0)
    }

    @Test("one pixel that did not come with what moved is odd")
    func moved() throws {
        let reference = Self.page.icon(30, 30).painted()
        let capture = Self.page.icon(30, 37).painted()
        #expect(try sketch(reference, capture, .moved(dx: 0, dy: 7)).odd == 0)
        let intruded = Pictures.painted(capture, Pictures.black) { $0 == 51 && $1 == 57 }
        #expect(try sketch(reference, intruded, .moved(dx: 0, dy: 7)).odd > 0)
    }

    @Test("equal pixels have equal hashes, and one other pixel another")
    func hashes() throws {
        let reference = Self.page.painted()
        let capture = Self.page.icon(30, 30).painted()
        let one = try sketch(reference, capture, .appeared)
        #expect(try sketch(reference, capture, .appeared) == one)
        let other = Pictures.painted(capture, Scene.red) { $0 == 40 && $1 == 51 }
        let changed = try sketch(reference, other, .appeared)
        #expect(changed.before == one.before && changed.after.hash != one.after.hash)
    }
}
