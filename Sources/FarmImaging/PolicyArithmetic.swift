// The frameworks' own arithmetic, one function per policy.
//
// Sources of the formulas
//   fb           UIImage+Compare.m of iOSSnapshotTestCase: strict comparisons, divisor 256
//   point-free   UIImage.swift of swift-snapshot-testing: bytes, Float32, truncated
//   pixelmatch   index.js of pixelmatch 7.2.0: YIQ, 35215 is the largest possible distance
//
// All three work on 8 bits: of 16-bit samples the upper halves. CoreGraphics' rounding of
// premultiplied colour is not public; (c × a + 127) / 255 rounds to the nearest.
import CFarmShims
import FarmCore

enum PolicyArithmetic {
    /// What a policy says of two different pictures of one size.
    struct Judgement {
        /// In the policy's own unit: pixels, or bytes for point-free.
        var counted: Int
        var allowed: Bool
    }

    /// The distance of black and white under pixelmatch's weights.
    private static let yiqDistanceMax = 35_215.0

    static func judge(
        _ reference: Bitmap,
        _ capture: Bitmap,
        differing: Int,
        policy: ComparisonPolicy
    ) -> Judgement {
        switch policy {
        case .exact:
            return Judgement(counted: differing, allowed: false)
        case .fb(let perPixel, let overall):
            return fb(reference, capture, perPixel: perPixel, overall: overall)
        case .pointFree(let precision):
            let counted = withPictures(reference, capture) { one, other in
                farm_bytes_premultiplied(one, other, reference.side.width, reference.side.height)
            }
            let allowed = allowedBytes(
                precision: precision,
                of: reference.width * reference.height * 4
            )
            return Judgement(counted: counted, allowed: counted <= allowed)
        case .pixelmatch(let threshold, let includeAntiAliasing, let maxDifferingPixels):
            let limit = yiqDistanceMax * threshold * threshold
            let counted = withPictures(reference, capture) { one, other in
                farm_pixels_pixelmatch(
                    one,
                    other,
                    reference.side.width,
                    reference.side.height,
                    limit,
                    includeAntiAliasing ? 1 : 0
                )
            }
            return Judgement(counted: counted, allowed: counted <= maxDifferingPixels)
        }
    }

    private static func fb(
        _ reference: Bitmap,
        _ capture: Bitmap,
        perPixel: Double,
        overall: Double
    ) -> Judgement {
        let smallest = smallestDelta(over: perPixel)
        let counted = withPictures(reference, capture) { one, other in
            farm_pixels_premultiplied(
                one,
                other,
                reference.side.width,
                reference.side.height,
                smallest
            )
        }
        let pixels = reference.width * reference.height
        return Judgement(
            counted: counted,
            allowed: !(Double(counted) / Double(pixels) > overall)
        )
    }

    /// The smallest channel difference d with d / 256 > tolerance; 256 when there is none.
    static func smallestDelta(over tolerance: Double) -> UInt32 {
        UInt32((1...255).first { !(Double($0) / 256 <= tolerance) } ?? 256)
    }

    /// `Int((1 − precision) × Float(bytes))`, with a precision outside 0…1 taken as the nearest.
    static func allowedBytes(precision: Double, of bytes: Int) -> Int {
        let share = Float(precision)
        // Also for NaN: what is no number allows nothing.
        guard share < 1 else { return 0 }
        return Int((1 - max(share, 0)) * Float(bytes))
    }
}

extension Bitmap {
    /// The size in C's type; a bitmap's sides have at most 31 bits.
    var side: (width: UInt32, height: UInt32) { (UInt32(width), UInt32(height)) }
}
