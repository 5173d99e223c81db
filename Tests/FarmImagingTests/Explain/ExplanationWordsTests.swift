import FarmCore
import FarmImaging
import FarmTesting
import Testing

@Suite("Explained differences in words")
struct ExplanationWordsTests {
    private let list = Scene.list(rows: 6)
    private let page = Scene(width: 200, height: 320)

    private func words(_ reference: Scene, _ capture: Scene) throws -> String {
        let pictures = (reference.painted(), capture.painted())
        let difference = try #require(
            PictureComparer.compare(
                reference: pictures.0,
                capture: pictures.1,
                policy: .exact
            ).difference
        )
        let found = Explainer.explain(reference: pictures.0, capture: pictures.1)
        return difference.explained(by: found).words
    }

    @Test("a band, a colour, a text, an icon")
    func kinds() throws {
        #expect(
            try words(list, list.moved(from: 98, by: 4)).hasPrefix(
                "moved 4 px down from row 98; 1 region; "
            )
        )
        #expect(
            try words(page.box(0, 0, 16, 40), page.box(0, 0, 16, 40, Scene.red))
                == "recoloured; 1 region; 1 % of pixels"
        )
        let text = page.text(30, 90, letters: 9, seed: 5)
        let other = page.text(30, 90, letters: 9, seed: 6)
        #expect(try words(text, other).hasPrefix("text changed; 1 region; "))
        #expect(
            try words(page.icon(80, 80), page.icon(83, 76)).hasPrefix(
                "moved 3 px right and 4 px up; 1 region; "
            )
        )
        #expect(
            try words(page, page.icon(80, 200).text(5, 5, letters: 5, seed: 1)).hasPrefix(
                "appeared; 2 regions; "
            )
        )
    }

    @Test("sizes")
    func sizes() throws {
        let grown = list.moved(from: 87, by: 6).sized(200, 326)
        #expect(
            try words(list, grown)
                == "grew 6 px at row 87 (200×320 became 200×326); 1 region; 1.84 % of pixels"
        )
        #expect(
            try words(list.sized(200, 326), list)
                == "shrank 6 px at the bottom (200×326 became 200×320); 1 region; "
                + "1.84 % of pixels"
        )
        let twice = PixelDifference(
            reference: PixelSize(width: 100, height: 100),
            capture: PixelSize(width: 200, height: 200),
            differing: 9,
            counted: 9,
            largestDelta: 1,
            clusters: [],
            explanation: Explanation(
                regions: [],
                regionCount: 0,
                alignment: PictureAlignment(fits: false)
            )
        )
        #expect(twice.words == "100×100 became 200×200, the same aspect at 2×")
    }

    @Test("an explained result keeps its verdict and has the regions' boxes")
    func explained() throws {
        let pictures = (page.painted(), page.icon(80, 80).painted())
        let plain = PictureComparer.compare(
            reference: pictures.0,
            capture: pictures.1,
            policy: .exact
        )
        let found = Explainer.explain(reference: pictures.0, capture: pictures.1)
        let result = plain.explained(by: found)
        #expect(!result.matches)
        #expect(result.difference?.differing == plain.difference?.differing)
        #expect(result.difference?.clusters == [PixelBox(x: 80, y: 80, width: 24, height: 24)])
        #expect(Comparison.identicalPixels.explained(by: found) == .identicalPixels)
        let text = try JSONText.encode(plain)
        #expect(!text.contains("explanation"))
        #expect(try JSONText.decode(Comparison.self, JSONText.encode(result)) == result)
    }

    @Test("noise alone is said to be noise")
    func noise() {
        let size = PixelSize(width: 100, height: 100)
        var difference = PixelDifference(
            reference: size,
            capture: size,
            differing: 80,
            counted: 0,
            largestDelta: 2,
            clusters: [],
            explanation: Explanation(regions: [], regionCount: 0, noise: 80)
        )
        #expect(difference.words == "noise only, largest delta 2; 0.8 % of pixels")
        difference.explanation?.regions = [
            .init(
                box: PixelBox(x: 0, y: 0, width: 1, height: 1),
                pixels: 1,
                kind: .antiAliasing
            )
        ]
        difference.explanation?.regionCount = 1
        #expect(difference.words == "anti-aliasing only; 1 region; 0.8 % of pixels")
    }

    @Test("a line has at most 160 characters, whatever happened")
    func length() {
        var random = SeededGenerator.announced()
        let kinds: [Explanation.Kind] = [
            .appeared, .vanished, .moved(dx: -64, dy: 64), .moved(dx: 1, dy: 9), .recoloured,
            .text, .antiAliasing, .changed, .grew, .shrank,
        ]
        for _ in 0..<300 {
            func side() -> Int { Int.random(in: 10_000...99_999, using: &random) }
            let regions = (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
                kinds.randomElement(using: &random).map {
                    Explanation.Region(
                        box: PixelBox(x: side(), y: side(), width: side(), height: side()),
                        pixels: side(),
                        kind: $0
                    )
                }
            }
            let band = PictureAlignment.Band(change: .inserted, at: side(), count: side())
            let isAligned = Bool.random(using: &random)
            let alignment = PictureAlignment(
                rows: band,
                columns: band,
                fits: Bool.random(using: &random)
            )
            let words = PixelDifference(
                reference: PixelSize(width: side(), height: side()),
                capture: PixelSize(width: side(), height: side()),
                differing: side(),
                counted: 0,
                largestDelta: 255,
                clusters: [],
                explanation: Explanation(
                    regions: regions,
                    regionCount: side(),
                    bandMove: isAligned ? nil : .init(from: side(), rows: 9, by: -side()),
                    alignment: isAligned ? alignment : nil
                )
            ).words
            #expect(words.count <= 160, "\(words)")
            #expect(words.allSatisfy { $0 != "\n" })
        }
    }
}
