import FarmCore
import FarmImaging
import Testing

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
        let drawn = try DiffPicture.draw(
            reference: Self.list.painted(),
            capture: capture.painted()
        )
        let pair = try ExplainedPair(
            reference: PNGDecoder.decode(files[0]),
            capture: PNGDecoder.decode(files[1]),
            choice: ComparisonChoice(.exact)
        )
        let explanation = pair.explanation
        #expect(try PNGDecoder.decode(try pair.diff()) == drawn)
        let plain = ErrorMiddleware.explain(
            reference: Self.list.painted(),
            capture: capture.painted()
        )
        #expect(explanation == plain)
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
