import FarmCore
import Testing

@testable import FarmImaging

@Suite("Comparing two pictures")
struct PictureComparerTests {
    private let black = Pictures.flat(100, 100, Pictures.black)

    private func compare(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ policy: ComparisonPolicy = .exact
    ) throws -> Comparison {
        try PictureComparer.compare(
            reference: PNGEncoder.encode(reference),
            capture: PNGEncoder.encode(capture),
            policy: policy
        )
    }

    @Test("equal bytes are identical without being decoded")
    func identicalBytes() throws {
        let broken: [UInt8] = [1, 2, 3]
        let result = try PictureComparer.compare(
            reference: broken,
            capture: broken,
            policy: .exact
        )
        #expect(result == .identicalBytes)
    }

    @Test("other bytes with the same pixels are identical")
    func identicalPixels() throws {
        let file = try PNGEncoder.encode(black)
        let result = try PictureComparer.compare(
            reference: file,
            capture: file + [0],
            policy: .exact
        )
        #expect(result == .identicalPixels)
    }

    @Test("the side that is broken is named")
    func brokenSide() throws {
        let file = try PNGEncoder.encode(black)
        #expect(throws: BrokenPicture(side: .capture, defect: .empty)) {
            try PictureComparer.compare(reference: file, capture: [UInt8](), policy: .exact)
        }
        #expect(throws: BrokenPicture(side: .reference, defect: .empty)) {
            try PictureComparer.compare(reference: [UInt8](), capture: file, policy: .exact)
        }
    }

    @Test("a difference is measured: pixels and largest delta")
    func measured() throws {
        let capture = Pictures.painted(black, [9, 0, 0, 255]) { x, y in
            (20..<24).contains(x) && (30..<32).contains(y)
        }
        let difference = try #require(try compare(black, capture).difference)
        #expect(difference.differing == 8)
        #expect(difference.counted == 8)
        #expect(difference.largestDelta == 9)
        #expect(difference.clusters.isEmpty, "a verdict does not look for regions")
    }

    @Test("a difference below one 8-bit step is a difference")
    func lowBits() {
        let size = PixelSize(width: 1, height: 1)
        let reference = Bitmap(size: size, pixels: [5, 5, 5, 255])
        let capture = Bitmap(size: size, pixels: [5, 5, 5, 255], lowBytes: [5, 5, 6, 255])
        let result = PictureComparer.compare(
            reference: reference,
            capture: capture,
            policy: .exact
        )
        #expect(result.difference?.differing == 1)
        #expect(result.difference?.largestDelta == 1)
        #expect(!result.matches)
    }

    @Test("16-bit samples that only repeat 8 bits are equal to 8-bit samples")
    func widened() {
        let size = PixelSize(width: 1, height: 1)
        let wide = Bitmap(size: size, pixels: [5, 6, 7, 255], lowBytes: [5, 6, 7, 255])
        #expect(wide == Bitmap(size: size, pixels: [5, 6, 7, 255]))
    }

    @Test(
        "another size is different under every policy",
        arguments: [
            ComparisonPolicy.exact, .fb(perPixelTolerance: 1, overallTolerance: 1),
            .pointFree(precision: 0),
            .pixelmatch(threshold: 1, includeAntiAliasing: false, maxDifferingPixels: .max),
        ]
    )
    func sizes(policy: ComparisonPolicy) throws {
        let capture = Pictures.flat(100, 80, Pictures.black)
        let result = try compare(black, capture, policy)
        let difference = try #require(result.difference)
        #expect(!result.matches)
        #expect(difference.differing == 2_000)
        #expect(difference.share == 0.2)
    }

    @Test("a transposed picture differs by no more pixels than it has")
    func transposed() throws {
        let wide = Pictures.flat(30, 20, Pictures.black)
        let high = Pictures.flat(20, 30, Pictures.white)
        let difference = try #require(try compare(wide, high).difference)
        #expect(difference.differing == 600)
        #expect(difference.share == 1)
    }
}
