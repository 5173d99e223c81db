// The frameworks' own arithmetic, one function per policy.
//
// Sources of the formulas
//   fb           UIImage+Compare.m of iOSSnapshotTestCase: strict comparisons, divisor 256
//   point-free   UIImage.swift of swift-snapshot-testing: bytes, Float32, truncated; its
//                perceptual mode calls CILabDeltaE, which is not public: ours approximates
//   pixelmatch   index.js of pixelmatch: YIQ, 35215 is the largest possible distance
//   paparazzi    OffByTwo.kt and SnapshotVerifier.kt of Paparazzi: percent in single precision
//   roborazzi    SimpleImageComparator of dropbox/differ, ThresholdValidator.kt of Roborazzi
//
// CoreGraphics' rounding of premultiplied colour is not public; (c × a + 127) / 255 rounds to the
// nearest.
import CFarmShims
import FarmCore

extension PolicyArithmetic {
    /// The largest distance of two colours, that of black and white, by pixelmatch's weights.
    private static let yiqDistanceMax = 35_215.0

    static func fb(
        _ reference: Bitmap,
        _ capture: Bitmap,
        perPixel: Double,
        overall: Double
    ) -> Judgement {
        let (width, height) = reference.side
        let smallest = smallestDelta(over: perPixel)
        let counted = withPictures(reference, capture) { one, other in
            farm_pixels_premultiplied(one, other, width, height, smallest)
        }
        let pixels = reference.width * reference.height
        return Judgement(
            counted: counted,
            allowed: !(Double(counted) / Double(pixels) > overall)
        )
    }

    /// Returns the smallest channel difference d with d / 256 > tolerance, or 256 if there is none.
    static func smallestDelta(over tolerance: Double) -> UInt32 {
        UInt32((1...255).first { !(Double($0) / 256 <= tolerance) } ?? 256)
    }

    static func pointFree(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ precision: Double
    ) -> Judgement {
        let counted = differingBytes(reference, capture)
        let bytes = reference.width * reference.height * 4
        let allowed = allowedBytes(precision: precision, of: bytes)
        return Judgement(counted: counted, allowed: counted <= allowed)
    }

    private static func differingBytes(_ reference: Bitmap, _ capture: Bitmap) -> Int {
        let (width, height) = reference.side
        return withPictures(reference, capture) { one, other in
            farm_bytes_premultiplied(one, other, width, height)
        }
    }

    /// Returns the number of bytes that may differ: `Int((1 − precision) × Float(bytes))`; a
    /// precision outside 0…1 becomes 0 or 1.
    static func allowedBytes(precision: Double, of bytes: Int) -> Int {
        let share = Float(precision)
        // Fails for NaN too, which then allows nothing.
        guard share < 1 else { return 0 }
        return Int((1 - max(share, 0)) * Float(bytes))
    }

    /// Judges two pictures by the perceptual mode of swift-snapshot-testing: at least the share
    /// `precision` of pixels must be within the distance that `perceptual` means.
    static func pointFree(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ precision: Double,
        perceptual: Double
    ) -> Judgement {
        let (width, height) = reference.side
        let limit = Double(deltaThreshold(perceptual))
        let counted = withPictures(reference, capture) { one, other in
            farm_pixels_cie94(one, other, width, height, limit)
        }
        let matching = 1 - Float(counted) / Float(reference.width * reference.height)
        return Judgement(
            counted: counted,
            allowed: matching >= Float(precision),
            caveat: .approximate
        )
    }

    /// Returns the largest colour distance that matches: `(1 − perceptualPrecision) × 100` in
    /// Float32.
    static func deltaThreshold(_ perceptual: Double) -> Float {
        (1 - min(max(Float(perceptual), 0), 1)) * 100
    }

    static func pixelmatch(
        _ reference: Bitmap,
        _ capture: Bitmap,
        threshold: Double,
        includeAntiAliasing: Bool,
        version: PixelmatchVersion
    ) -> Int {
        let (width, height) = reference.side
        return withPictures(reference, capture) { one, other in
            farm_pixels_pixelmatch(
                one,
                other,
                width,
                height,
                yiqDistanceMax * threshold * threshold,
                includeAntiAliasing ? 1 : 0,
                version == .v5 ? 1 : 0
            )
        }
    }

    static func paparazzi(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ maxPercentDifference: Double
    ) -> Judgement {
        let found = withPictures(reference, capture) { one, other in
            farm_pixels_off_by_two(
                one,
                farm_sides(width: reference.side.width, height: reference.side.height),
                other,
                farm_sides(width: capture.side.width, height: capture.side.height)
            )
        }
        let pixels = Double(capture.width * capture.height)
        // Three channels of 256 levels.
        var percent = Float(Double(found.delta) * 100 / (pixels * 3 * 256))
        if percent == 0 { percent = Float(Double(found.different) * 100 / pixels) }
        return Judgement(
            counted: found.different,
            allowed: !(Double(percent) > maxPercentDifference)
        )
    }

    static func roborazzi(
        _ reference: Bitmap,
        _ capture: Bitmap,
        maxDistance: Double,
        threshold: Double
    ) -> Judgement {
        let (width, height) = reference.side
        let counted = withPictures(reference, capture) { one, other in
            farm_pixels_distant(one, other, width, height, Float(maxDistance))
        }
        let allowed = allowedMisses(threshold: threshold, of: reference.width * reference.height)
        return Judgement(counted: counted, allowed: counted <= allowed)
    }

    /// Returns the number of pixels that may differ: Java's `Math.round` of `pixels × threshold` in
    /// single precision, so that a half rounds up.
    static func allowedMisses(threshold: Double, of pixels: Int) -> Int {
        let share = Float(threshold)
        guard share > 0 else { return 0 }
        // Converts to Double before adding the half: a sum of two floats would round a second time.
        return Int((Double(Float(pixels) * min(share, 1)) + 0.5).rounded(.down))
    }
}
