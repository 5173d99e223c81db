// Test vectors from the frameworks' own fixtures and sources.
import FarmCore
import Testing

@testable import FarmImaging

@Suite("Comparison policies")
struct PolicyTests {
    private let black = Pictures.flat(100, 100, Pictures.black)

    private func judge(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ policy: ComparisonPolicy
    ) -> Comparison {
        PictureComparer.compare(reference: reference, capture: capture, policy: policy)
    }

    @Test(
        "fb: a channel differs when delta / 256 is over the tolerance, and not when it is equal",
        arguments: [
            (15, 0.06, true), (16, 0.06, false), (16, 0.0625, true), (17, 0.0625, false),
            (1, 0, false), (255, 0.99, false), (255, 1, true), (14, 0.06, true),
        ] as [(UInt8, Double, Bool)]
    )
    func fbPerPixel(delta: UInt8, tolerance: Double, matches: Bool) {
        let capture = Pictures.flat(100, 100, [delta, delta, delta, 255])
        let policy = ComparisonPolicy.fb(perPixelTolerance: tolerance, overallTolerance: 0)
        #expect(judge(black, capture, policy).matches == matches)
    }

    @Test(
        "fb: exactly the tolerated share of pixels may differ",
        arguments: [(4, 0.0004, true), (5, 0.0004, false), (4, 0.001, true), (4, 0.0001, false)]
    )
    func fbOverall(pixels: Int, tolerance: Double, matches: Bool) {
        let capture = Pictures.painted(black, Pictures.white) { x, y in y == 0 && x < pixels }
        let policy = ComparisonPolicy.fb(perPixelTolerance: 0, overallTolerance: tolerance)
        let result = judge(black, capture, policy)
        #expect(result.matches == matches)
        #expect(result.difference?.counted == pixels)
    }

    @Test("fb and point-free: the colour of a pixel that cannot be seen does not count")
    func premultiplied() {
        let reference = Pictures.flat(8, 8, [0, 0, 0, 0])
        let capture = Pictures.flat(8, 8, [255, 255, 255, 0])
        let strict = ComparisonPolicy.fb(perPixelTolerance: 0, overallTolerance: 0)
        #expect(judge(reference, capture, strict).matches)
        #expect(judge(reference, capture, .pointFree(precision: 1)).matches)
        let exact = judge(reference, capture, .exact)
        #expect(exact.difference?.differing == 64)
        #expect(!exact.matches)
    }

    // (precision, bytes, bytes that may differ)
    @Test(
        "point-free: Int((1 − precision) × bytes) in Float32 bytes may differ",
        arguments: [
            (0.99, 400, 3), (0.99, 40_000, 399), (0.98, 400, 7), (0.95, 400, 20),
            (0.999, 4_000, 3), (0.9, 400, 40), (0.5, 400, 200), (1, 400, 0),
        ]
    )
    func pointFree(precision: Double, bytes: Int, allowed: Int) {
        let reference = Pictures.flat(bytes / 4, 1, Pictures.black)
        for (count, matches) in [(allowed, true), (allowed + 1, false)] where count > 0 {
            var pixels = reference.pixels
            // The first byte of each pixel, then each pixel's second byte, then the third.
            let places = (0..<3).flatMap { channel in
                (0..<bytes / 4).map { $0 * 4 + channel }
            }
            for place in places.prefix(count) { pixels[place] = 200 }
            let capture = Bitmap(size: reference.size, pixels: pixels)
            let result = judge(reference, capture, .pointFree(precision: precision))
            #expect(result.matches == matches)
            #expect(result.difference?.counted == count)
        }
    }

    @Test("a precision that is no number allows nothing", arguments: [Double.nan, 2, .infinity])
    func nonsense(precision: Double) {
        let capture = Pictures.painted(black, Pictures.white) { x, y in x == 0 && y == 0 }
        #expect(!judge(black, capture, .pointFree(precision: precision)).matches)
    }

    // (threshold, colour channels that change, first step that counts)
    @Test(
        "pixelmatch 7.2.0: the first step from black that counts",
        arguments: [
            (0.01, [0, 1, 2], 3), (0.05, [0, 1, 2], 14), (0.1, [0, 1, 2], 27),
            (0.2, [0, 1, 2], 53), (0.5, [0, 1, 2], 132), (0.1, [0], 47), (0.1, [1], 38),
            (0.1, [2], 79), (0.2, [0], 94), (0.2, [1], 76), (0.2, [2], 158),
        ]
    )
    func pixelmatch(threshold: Double, channels: [Int], first: Int) {
        let reference = Pictures.flat(1, 1, Pictures.black)
        let policy = ComparisonPolicy.pixelmatch(
            threshold: threshold,
            includeAntiAliasing: true,
            maxDifferingPixels: 0
        )
        for (step, matches) in [(first - 1, true), (first, false)] {
            var colour = Pictures.black
            for channel in channels { colour[channel] = UInt8(step) }
            let result = judge(reference, Pictures.flat(1, 1, colour), policy)
            #expect(result.matches == matches, "step \(step)")
        }
    }

    @Test("pixelmatch: as many pixels may differ as are allowed")
    func pixelmatchAllowance() {
        let capture = Pictures.painted(black, Pictures.white) { x, y in y == 50 && x < 3 }
        for (allowed, matches) in [(2, false), (3, true)] {
            let policy = ComparisonPolicy.pixelmatch(
                threshold: 0.1,
                includeAntiAliasing: true,
                maxDifferingPixels: allowed
            )
            #expect(judge(black, capture, policy).matches == matches)
        }
    }

    @Test("pixelmatch: an edge that moved by less than a pixel counts only when asked for")
    func antiAliasing() {
        // A vertical edge from black to white with one grey column, in which one pixel changed.
        let edge = Pictures.make(9, 9) { x, _ in
            let grey: UInt8 = x < 4 ? 0 : x == 4 ? 100 : 255
            return [grey, grey, grey, 255]
        }
        let moved = Pictures.painted(edge, [180, 180, 180, 255]) { x, y in x == 4 && y == 4 }
        func counted(_ include: Bool) -> Int? {
            let policy = ComparisonPolicy.pixelmatch(
                threshold: 0.1,
                includeAntiAliasing: include,
                maxDifferingPixels: 0
            )
            return judge(edge, moved, policy).difference?.counted
        }
        #expect(counted(true) == 1)
        #expect(counted(false) == 0)
    }
}
