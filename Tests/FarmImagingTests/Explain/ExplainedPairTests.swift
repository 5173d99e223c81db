import FarmCore
import FarmImaging
import Testing

@Suite("A pair explained and drawn in place")
struct ExplainedPairTests {
    private static let list = Scene.list(rows: 5, height: 240)

    @Test(
        "drawn into the capture's own memory, the picture is the same",
        arguments: [
            list.moved(from: 98, by: 4),
            list.moved(from: 87, by: 6).sized(200, 246),
            list.sized(200, 230),
            list.sized(180, 260),
        ]
    )
    func inPlace(capture: Scene) throws {
        let files = try [Self.list, capture].map { try PNGEncoder.encode($0.painted()) }
        let drawn = try DiffPicture.draw(
            reference: Self.list.painted(),
            capture: capture.painted()
        )
        // Nobody else holds these two, so that their memory may be drawn into.
        let pair = ExplainedPair(
            reference: try PNGDecoder.decode(files[0]),
            capture: try PNGDecoder.decode(files[1]),
            choice: ComparisonChoice(.exact)
        )
        let explanation = pair.explanation
        #expect(try PNGDecoder.decode(try pair.diff()) == drawn)
        let plain = Explainer.explain(
            reference: Self.list.painted(),
            capture: capture.painted()
        )
        #expect(explanation == plain)
    }

    @Test("noise and anti-aliasing are what the policy takes for them")
    func rules() throws {
        let reference = Pictures.flat(40, 40, [100, 100, 100, 255])
        let capture = Pictures.painted(reference, [101, 100, 100, 255]) { x, y in x < 9 && y < 9 }
        let visible = ExplainedPair(
            reference: reference,
            capture: capture,
            choice: ComparisonChoice(.visible())
        )
        #expect(visible.explanation.noise == 81)
        #expect(visible.explanation.regions.isEmpty)
        let exact = ExplainedPair(
            reference: reference,
            capture: capture,
            choice: ComparisonChoice(.exact)
        )
        #expect(exact.explanation.changed == 81)
        #expect(exact.explanation.regions.count == 1)
    }
}
