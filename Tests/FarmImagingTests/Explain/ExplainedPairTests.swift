import FarmCore
import Testing

@testable import FarmImaging

@Suite("A pair explained and drawn")
struct ExplainedPairTests {
    private static let list = Scene.list(rows: 5, height: 240)

    @Test(
        "the file of a drawing shows what is drawn",
        arguments: [
            list.moved(from: 98, by: 4),
            list.moved(from: 87, by: 6).sized(200, 246),
            list.sized(200, 230),
            list.sized(180, 260),
        ]
    )
    func drawn(capture: Scene) throws {
        let files = try [Self.list, capture].map { try PNGEncoder.encode($0.painted()) }
        let pictures = (Self.list.painted(), capture.painted())
        let alignment = PictureAligner.align(reference: pictures.0, capture: pictures.1)
        let plain = Explainer.explain(reference: pictures.0, capture: pictures.1)
        var classes = PixelClasses(pictures.0, pictures.1, alignment: alignment)
        classes.markMoves(plain.regions, pictures.0, pictures.1, alignment)
        let drawn = try DiffPicture.draw(
            reference: pictures.0,
            capture: pictures.1,
            classes: classes
        )
        let pair = try ExplainedPair(
            reference: PNGDecoder.decode(files[0]),
            capture: PNGDecoder.decode(files[1]),
            choice: ComparisonChoice(.exact)
        )
        #expect(try PNGDecoder.decode(try pair.diff()) == drawn)
        #expect(pair.explanation == plain)
    }

    @Test("what moved is vermilion where it was and blue where it is, what changed is magenta")
    func moved() throws {
        let page = Scene(width: 200, height: 300)
        let pair = try ExplainedPair(
            reference: page.icon(80, 80).icon(10, 200).painted(),
            capture: page.icon(80, 97).icon(10, 200, Scene.red).painted(),
            choice: ComparisonChoice(.visible())
        )
        let diff = try PNGDecoder.decode(try pair.diff())
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            let at = (y * diff.width + x) * 4
            return Array(diff.pixels[at..<at + 4])
        }
        #expect(pixel(80, 80) == DiffPicture.leftColour)
        #expect(pixel(80, 96) == DiffPicture.leftColour)
        #expect(pixel(80, 104) == DiffPicture.reachedColour)
        #expect(pixel(80, 120) == DiffPicture.reachedColour)
        #expect(pixel(10, 200) == DiffPicture.changedColour)
        // In the overlap of the icon's two positions nothing differs.
        #expect(pixel(80, 100) == [207, 207, 207, 255])
        let sheet = try PNGDecoder.decode(try pair.threeUp(widthMax: 104, heightMax: 400))
        let places = stride(from: 0, to: sheet.pixels.count, by: 4).map {
            Array(sheet.pixels[$0..<$0 + 4])
        }
        let colours = [
            DiffPicture.leftColour, DiffPicture.reachedColour, DiffPicture.changedColour,
        ]
        #expect(colours.allSatisfy(places.contains))
    }

    @Test("noise and anti-aliasing are what the policy takes for them")
    func rules() throws {
        let reference = Pictures.flat(40, 40, [100, 100, 100, 255])
        let capture = Pictures.painted(reference, [101, 100, 100, 255]) { x, y in x < 9 && y < 9 }
        let visible = try ExplainedPair(
            reference: reference,
            capture: capture,
            choice: ComparisonChoice(.visible())
        )
        #expect(visible.explanation.noise == 81)
        #expect(visible.explanation.regions.isEmpty)
        let exact = try ExplainedPair(
            reference: reference,
            capture: capture,
            choice: ComparisonChoice(.exact)
        )
        #expect(exact.explanation.changed == 81)
        #expect(exact.explanation.regions.count == 1)
    }

    @Test("a long and a wide picture are not laid over each other")
    func canvas() {
        let long = Pictures.flat(1, 20_000, Pictures.black)
        let wide = Pictures.flat(20_000, 1, Pictures.black)
        let canvas = PixelSize(width: 20_000, height: 20_000)
        #expect(throws: PictureError.tooManyPixels(canvas)) {
            try ExplainedPair(reference: long, capture: wide, choice: ComparisonChoice(.exact))
        }
        let result = PictureComparer.compare(reference: long, capture: wide, policy: .visible())
        #expect(!result.matches)
    }
}
