// Tests of recolourings with drawn pictures: what they explain, and what they leave over.
import FarmCore
import Testing

@testable import FarmImaging

@Suite("Recolourings")
struct RecolouringTests {
    private static let from = Colour(183, 65, 14)
    private static let to = Colour(0, 128, 128)

    private static func bytes(_ colour: Colour) -> [UInt8] {
        [colour.red, colour.green, colour.blue, colour.alpha]
    }

    /// Returns a round button with letters on a ground, blended at every edge.
    private static func page(
        _ accent: Colour,
        ground: [UInt8] = Pictures.white,
        letters: [UInt8] = Pictures.white
    ) -> Bitmap {
        func blend(_ one: [UInt8], _ other: [UInt8], _ share: Double) -> [UInt8] {
            zip(one, other).map { UInt8((Double($0) * share + Double($1) * (1 - share)).rounded()) }
        }
        return Pictures.make(120, 90) { x, y in
            let (dx, dy) = (Double(x) - 60, Double(y) - 45)
            let cover = min(max(30 - (dx * dx + dy * dy).squareRoot(), 0), 1)
            let isLetter = (50..<70).contains(x) && (40..<50).contains(y)
            let letter = isLetter ? [1, 0.4, 0, 0.7][x % 4] : 0
            return blend(letters, blend(bytes(accent), ground, cover), letter)
        }
    }

    private static func parts(_ reference: Bitmap, _ capture: Bitmap) -> Explanation.Parts? {
        Explainer.explain(reference: reference, capture: capture, findsParts: true).parts
    }

    @Test(
        "a recoloured shape with blended edges and letters is explained to the last pixel",
        arguments: [
            (Pictures.white, Pictures.white), ([20, 22, 25, 255], Pictures.white),
            (Pictures.white, [250, 220, 10, 255]),
        ]
    )
    func explained(ground: [UInt8], letters: [UInt8]) throws {
        let parts = try #require(
            Self.parts(
                Self.page(Self.from, ground: ground, letters: letters),
                Self.page(Self.to, ground: ground, letters: letters)
            )
        )
        #expect(parts.recolourings.map(\.from) == [Self.from])
        #expect(parts.recolourings.map(\.to) == [Self.to])
        #expect(parts.rest.isEmpty && parts.restCount == 0)
    }

    @Test("greys are recoloured too, but a grey that changed in another way is left over")
    func greys() throws {
        let (from, to) = (Colour(102, 102, 102), Colour(51, 51, 51))
        let (reference, capture) = (Self.page(from), Self.page(to))
        let clean = try #require(Self.parts(reference, capture))
        #expect(clean.rest.isEmpty)
        let light: [UInt8] = [200, 200, 200, 255]
        let darker: [UInt8] = [150, 150, 150, 255]
        let spot = { (x: Int, y: Int) in (3..<13).contains(x) && (3..<13).contains(y) }
        let parts = try #require(
            Self.parts(
                Pictures.painted(reference, light, where: spot),
                Pictures.painted(capture, darker, where: spot)
            )
        )
        #expect(parts.recolourings.map(\.from.red) == [102, 200])
    }

    @Test(
        "what else changed is left over, under the recoloured shape and beside it",
        arguments: [
            (60, 20, [UInt8](repeating: 255, count: 4)),  // The letters' colour, on the shape.
            (60, 20, [183, 65, 14, 255]),  // A spot that kept its colour after another stroke.
            (60, 20, [20, 118, 118, 255]),  // Nearly the new colour.
            (5, 5, [0, 128, 128, 255]),  // The new colour, on the ground.
            (5, 5, [183, 65, 14, 255]),  // The old colour, on the ground.
            (30, 45, [0, 128, 128, 255]),  // The shape's edge, one pixel wider.
        ]
    )
    func leftOver(x: Int, y: Int, colour: [UInt8]) throws {
        let reference = Pictures.painted(Self.page(Self.from), Pictures.black) {
            $0 == x && $1 == y && colour == [183, 65, 14, 255]
        }
        let capture = Pictures.painted(Self.page(Self.to), colour) { $0 == x && $1 == y }
        let parts = try #require(Self.parts(reference, capture))
        #expect(parts.recolourings.map(\.to) == [Self.to])
        #expect(parts.rest.map(\.pixels) == [1])
        #expect(parts.rest.allSatisfy { $0.sketch != nil })
    }

    @Test("a stroke that kept the old colour is left over, though it does not differ")
    func kept() throws {
        let page = Scene(width: 200, height: 200)
        let reference = page.box(20, 20, 90, 90).painted()
        let clean = page.box(20, 20, 90, 90, Scene.red).painted()
        let capture = Pictures.painted(clean, Scene.blue) { $1 == 50 && (55..<65).contains($0) }
        let parts = try #require(Self.parts(reference, capture))
        #expect(parts.recolourings.count == 1 && parts.rest.map(\.pixels) == [10])
    }

    /// Returns black letters whose smoothed edges are as grey as a line below them.
    private static func lined(_ ink: [UInt8], line: [UInt8]) -> Bitmap {
        Pictures.make(120, 90) { x, y in
            if (60..<66).contains(y) { return (10..<110).contains(x) ? line : Pictures.white }
            guard (10..<14).contains(y), (10..<110).contains(x) else { return Pictures.white }
            let share = [1, 0.67, 0, 0][x % 4]
            return ink.map { UInt8((Double($0) * share + 255 * (1 - share)).rounded()) }
        }
    }

    @Test("letters whose edges have the grey of a line are recoloured though the line is, too")
    func sharedGrey() throws {
        let teal: [UInt8] = [0, 128, 128, 255]
        let reference = Self.lined([0, 0, 0, 255], line: [84, 84, 84, 255])
        let capture = Self.lined(teal, line: [0, 44, 44, 255])
        let parts = try #require(Self.parts(reference, capture))
        #expect(parts.recolourings.count == 2 && parts.restCount == 0)
        // The letters' new grey, within the line.
        let spotted = Pictures.painted(capture, [84, 170, 170, 255]) { $0 == 50 && $1 == 61 }
        let faulty = try #require(Self.parts(reference, spotted))
        #expect(faulty.rest.map(\.pixels) == [1])
    }

    @Test("content that is new or gone, and other letters, are no recolouring")
    func others() {
        let page = Scene(width: 200, height: 300).text(20, 120, letters: 9, seed: 1)
        let icon = page.icon(30, 30)
        #expect(Self.parts(page.painted(scale: 2), icon.painted(scale: 2)) == nil)
        #expect(Self.parts(icon.painted(scale: 2), page.painted(scale: 2)) == nil)
        let words = Scene(width: 200, height: 300).text(20, 120, letters: 9, seed: 2)
        #expect(Self.parts(page.painted(scale: 2), words.painted(scale: 2)) == nil)
    }

    @Test("a colour that only some of its shapes lost is no recolouring")
    func partly() {
        let one = Scene(width: 200, height: 300).box(20, 20, 40, 40).box(100, 20, 40, 40)
        let first = Scene(width: 200, height: 300).box(20, 20, 40, 40)
        let other = first.box(100, 20, 40, 40, Scene.red)
        #expect(Self.parts(one.painted(), other.painted()) == nil)
    }
}
