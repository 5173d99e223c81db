// Test vectors of the frameworks added later: Paparazzi, Roborazzi, pixelmatch 5.3.0 and the
// perceptual mode of swift-snapshot-testing. iOSSnapshotTestCase's own fixtures are not in the
// corpus: pictures with the same numbers stand in for them.
import FarmCore
import Testing

@testable import FarmImaging

@Suite("Policies of single frameworks")
struct FrameworkPolicyTests {
    private let black = Pictures.flat(100, 100, Pictures.black)

    private func judge(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ policy: ComparisonPolicy
    ) -> Comparison {
        PictureComparer.compare(reference: reference, capture: capture, policy: policy)
    }

    // MARK: iOSSnapshotTestCase's fixtures

    // (pixels, delta, size, per pixel, overall, matches)
    @Test(
        "fb: the fixtures of its own tests are judged as its tests say",
        arguments: [
            (0, 0, 100, 0, 0, true), (837, 255, 100, 0, 0, false), (4, 254, 100, 0, 0.0001, false),
            (4, 254, 100, 0, 0.001, true), (4, 254, 100, 0.06, 0, false),
            (8_000, 14, 80, 0.06, 0, true), (8_000, 14, 80, 0.05, 0, false),
        ] as [(Int, UInt8, Int, Double, Double, Bool)]
    )
    func fixtures(
        pixels: Int,
        delta: UInt8,
        height: Int,
        perPixel: Double,
        overall: Double,
        matches: Bool
    ) {
        let square = Pictures.flat(100, height, Pictures.black)
        let capture = Pictures.painted(square, [delta, delta, delta, 255]) { x, y in
            y * 100 + x < pixels
        }
        let policy = ComparisonPolicy.fb(perPixelTolerance: perPixel, overallTolerance: overall)
        #expect(judge(square, capture, policy).matches == matches)
    }

    @Test(
        "no policy but Paparazzi's tolerates another size, whatever else it tolerates",
        arguments: [
            ComparisonPolicy.fb(perPixelTolerance: 1, overallTolerance: 1),
            .pointFree(precision: 0), .pointFree(precision: 0, perceptualPrecision: 0),
            .pixelmatch(threshold: 1, includeAntiAliasing: false, maxDifferingPixels: 10_000),
            .roborazzi(maxDistance: 2, threshold: 1), .exact,
            .visible(VisibleLimits(noise: 255, share: 1, cluster: 256)),
        ]
    )
    func sizes(policy: ComparisonPolicy) {
        #expect(!judge(black, Pictures.flat(100, 80, Pictures.black), policy).matches)
        #expect(!judge(black, Pictures.flat(99, 100, Pictures.black), policy).matches)
    }

    // MARK: Paparazzi

    // (pixels that change, from, to, matches at the default)
    @Test(
        "paparazzi: a whole pixel may flip, a second one may not",
        arguments: [
            (1, [0, 0, 0, 255], [255, 255, 255, 255], true),
            (2, [0, 0, 0, 255], [255, 255, 255, 255], false),
            (1, [0, 0, 0, 255], [3, 0, 0, 255], true),
            (10_000, [0, 0, 0, 255], [2, 2, 2, 255], true),
            (10_000, [0, 0, 0, 255], [3, 0, 0, 255], false),
            // Alpha only: one pixel of 10,000 is 0.01 %, which is not over 0.01 %; two are.
            (1, [0, 0, 0, 0], [0, 0, 0, 255], true), (2, [0, 0, 0, 0], [0, 0, 0, 255], false),
            // The colour of a fully transparent pixel does not count.
            (10_000, [0, 0, 0, 0], [255, 255, 255, 0], true),
        ] as [(Int, [UInt8], [UInt8], Bool)]
    )
    func paparazzi(pixels: Int, from: [UInt8], to: [UInt8], matches: Bool) {
        let reference = Pictures.flat(100, 100, from)
        let capture = Pictures.painted(reference, to) { x, y in y * 100 + x < pixels }
        let policy = ComparisonPolicy.paparazzi(maxPercentDifference: 0.01)
        #expect(judge(reference, capture, policy).matches == matches)
    }

    // (percent allowed, matches): 0.009961 %, 0.019922 % and 0.390625 %, computed by hand.
    @Test("paparazzi: its percentage is of 768 levels per pixel")
    func paparazziPercent() {
        let one = Pictures.painted(black, Pictures.white) { x, y in x == 0 && y == 0 }
        let two = Pictures.painted(black, Pictures.white) { x, y in x < 2 && y == 0 }
        let every = Pictures.flat(100, 100, [3, 0, 0, 255])
        for (capture, allowed, matches) in [
            (one, 0.009_961, true), (one, 0.009_960, false), (two, 0.019_922, true),
            (two, 0.019_921, false), (every, 0.390_625, true), (every, 0.390_624, false),
        ] {
            let policy = ComparisonPolicy.paparazzi(maxPercentDifference: allowed)
            #expect(judge(black, capture, policy).matches == matches, "\(allowed)")
        }
    }

    // (width, height, matches): outside of the reference, its pixels count as transparent grey.
    @Test(
        "paparazzi: a side may differ by one pixel if what is there is within the percentage",
        arguments: [
            (101, 100, true), (100, 99, true), (102, 100, false), (100, 98, false),
            (101, 101, true),
        ]
    )
    func paparazziSizes(width: Int, height: Int, matches: Bool) {
        let generous = ComparisonPolicy.paparazzi(maxPercentDifference: 2)
        let capture = Pictures.flat(width, height, Pictures.black)
        #expect(judge(black, capture, generous).matches == matches)
        let strict = ComparisonPolicy.paparazzi(maxPercentDifference: 0.01)
        #expect(!judge(black, capture, strict).matches)
    }

    // MARK: Roborazzi

    @Test(
        "roborazzi: a pixel misses beyond 0.007 of the distance of RGBA",
        arguments: [
            ([1, 0, 0, 0], true), ([2, 0, 0, 0], false), ([1, 1, 0, 0], true),
            ([1, 1, 1, 0], true), ([1, 1, 1, 1], false),
        ] as [([UInt8], Bool)]
    )
    func roborazzi(steps: [UInt8], matches: Bool) {
        let reference = Pictures.flat(1, 1, [10, 10, 10, 10])
        let capture = Pictures.flat(1, 1, steps.map { 10 + $0 })
        let policy = ComparisonPolicy.roborazzi(maxDistance: 0.007, threshold: 0)
        #expect(judge(reference, capture, policy).matches == matches)
    }

    @Test(
        "roborazzi: the allowance is rounded, and a half rounds up",
        arguments: [(0.00004, 0), (0.00005, 1), (0.01, 100), (0, 0)]
    )
    func roborazziAllowance(threshold: Double, allowed: Int) {
        let policy = ComparisonPolicy.roborazzi(maxDistance: 0.007, threshold: threshold)
        for (pixels, matches) in [(allowed, true), (allowed + 1, false)] {
            let capture = Pictures.painted(black, Pictures.white) { x, y in y * 100 + x < pixels }
            #expect(judge(black, capture, policy).matches == matches, "\(pixels)")
        }
    }

    // MARK: pixelmatch

    @Test("pixelmatch 5.3.0 blends on white, 7.2.0 on a checkerboard")
    func grounds() {
        // On white, white of any alpha is white; on the checkerboard it is not.
        let reference = Pictures.flat(8, 8, [255, 255, 255, 255])
        let capture = Pictures.flat(8, 8, [255, 255, 255, 40])
        for (version, counted) in [(PixelmatchVersion.v5, 0), (.v7, 64)] {
            let policy = ComparisonPolicy.pixelmatch(
                threshold: 0.1,
                includeAntiAliasing: true,
                maxDifferingPixels: 64,
                version: version
            )
            #expect(judge(reference, capture, policy).difference?.counted == counted)
        }
    }

    // MARK: swift-snapshot-testing, perceptual

    // (from, to, ΔE of CIE94 computed by another program from the CIE's formulas)
    private static let distances: [([UInt8], [UInt8], Double)] = [
        // Greys differ only in lightness: ΔE is ΔL.
        ([0, 0, 0, 255], [128, 128, 128, 255], 53.585),
        ([119, 119, 119, 255], [120, 120, 120, 255], 0.397),
        // Mostly chroma, and mostly hue.
        ([255, 0, 0, 255], [250, 0, 0, 255], 1.067),
        ([20, 60, 200, 255], [60, 60, 200, 255], 2.463),
    ]

    @Test("perceptual: a pixel counts when its CIE94 distance is over the tolerance")
    func perceptual() {
        for (from, to, delta) in Self.distances {
            let reference = Pictures.flat(2, 2, from)
            let capture = Pictures.flat(2, 2, to)
            for (factor, matches) in [(1.03, true), (0.97, false)] {
                let precision = 1 - min(delta * factor, 100) / 100
                let result = judge(
                    reference,
                    capture,
                    .pointFree(precision: 1, perceptualPrecision: precision)
                )
                #expect(result.matches == matches, "\(from) \(to) at \(precision)")
            }
        }
    }

    @Test(
        "perceptual: as many pixels may differ as precision leaves, and the verdict says how sure"
    )
    func perceptualShare() {
        let capture = Pictures.painted(black, Pictures.white) { x, y in y == 0 && x < 50 }
        for (precision, matches) in [(0.995, true), (0.996, false)] {
            let policy = ComparisonPolicy.pointFree(
                precision: precision,
                perceptualPrecision: 0.98
            )
            let result = judge(black, capture, policy)
            #expect(result.matches == matches)
            #expect(result.difference?.counted == 50)
            #expect(result.difference?.caveat == .approximate)
        }
        let exact = ComparisonPolicy.pointFree(precision: 0.9)
        #expect(judge(black, capture, exact).difference?.caveat == nil)
    }
}
