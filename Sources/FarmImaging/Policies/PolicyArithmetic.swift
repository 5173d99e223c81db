// The single entry to the policies: judges two pictures that differ by the job's policy.
//
// The frameworks' policies work on 8 bits: of 16-bit samples, the upper halves.
import CFarmShims
import FarmCore

enum PolicyArithmetic {
    /// The judgement of a policy on two different pictures.
    struct Judgement {
        /// The count in the policy's own unit: pixels, or bytes for point-free's precision.
        var counted: Int
        var allowed: Bool
        var worst: WorstWindow?
        var caveat: ComparisonCaveat?
    }

    /// Judges two pictures, whose sizes the policy of `choice` must tolerate.
    ///
    /// `differing` is the number of pixels that differ at all; none differs outside `rows`.
    static func judge(
        _ reference: Bitmap,
        _ capture: Bitmap,
        differing: Int,
        rows: DifferingRows,
        choice: ComparisonChoice
    ) -> Judgement {
        if case .visible(let limits) = choice.policy {
            return visible(reference, capture, limits, ignoring: choice.ignored, rows: rows)
        }
        guard !choice.ignored.isEmpty else {
            return judge(reference, capture, differing: differing, policy: choice.policy)
        }
        switch choice.policy {
        case .visible, .exact:
            let counted = CountedPixels(
                reference,
                capture,
                noise: 0,
                antiAliasing: false,
                ignoring: choice.ignored,
                rows: rows
            ).changed
            return Judgement(counted: counted, allowed: counted == 0)
        case .fb, .pointFree, .pixelmatch, .paparazzi, .roborazzi:
            // Framework policies cannot ignore boxes, so they get a capture that equals the
            // reference there.
            let covered = capture.taking(choice.ignored, from: reference)
            return judge(reference, covered, differing: differing, policy: choice.policy)
        }
    }

    /// Judges two pictures by `policy`, with no pixel ignored.
    static func judge(
        _ reference: Bitmap,
        _ capture: Bitmap,
        differing: Int,
        policy: ComparisonPolicy
    ) -> Judgement {
        switch policy {
        case .visible(let limits):
            return visible(
                reference,
                capture,
                limits,
                ignoring: [],
                rows: DifferingRows(0..<reference.height)
            )
        case .exact:
            return Judgement(counted: differing, allowed: differing == 0)
        case .fb(let perPixel, let overall):
            return fb(reference, capture, perPixel: perPixel, overall: overall)
        case .pointFree(let precision, let perceptual):
            guard perceptual < 1 else { return pointFree(reference, capture, precision) }
            return pointFree(reference, capture, precision, perceptual: perceptual)
        case .pixelmatch(let threshold, let includeAntiAliasing, let allowed, let version):
            let counted = pixelmatch(
                reference,
                capture,
                threshold: threshold,
                includeAntiAliasing: includeAntiAliasing,
                version: version
            )
            return Judgement(counted: counted, allowed: counted <= allowed)
        case .paparazzi(let maxPercentDifference):
            return paparazzi(reference, capture, maxPercentDifference)
        case .roborazzi(let maxDistance, let threshold):
            return roborazzi(reference, capture, maxDistance: maxDistance, threshold: threshold)
        }
    }

    private static func visible(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ limits: VisibleLimits,
        ignoring boxes: [PixelBox],
        rows: DifferingRows
    ) -> Judgement {
        let found = CountedPixels(
            reference,
            capture,
            noise: limits.noise,
            antiAliasing: limits.antiAliasing == .ignored,
            ignoring: boxes,
            rows: rows
        )
        // Written as `<=`, so that a share that is NaN allows nothing.
        let fewEnough = found.changed == 0 || found.share <= limits.share
        return Judgement(
            counted: found.changed,
            allowed: fewEnough && found.worst?.counted ?? 0 <= limits.cluster,
            worst: found.worst
        )
    }
}

extension Bitmap {
    /// The size in C's type; a bitmap's sides have at most 31 bits.
    var side: (width: UInt32, height: UInt32) { (UInt32(width), UInt32(height)) }
}
