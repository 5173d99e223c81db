// Compares a capture with its reference, from the cheapest proof to the dearest: equal bytes,
// equal pixels, and only then the job's policy.
import CFarmShims
import FarmCore
import Foundation

/// Compares pictures.
package enum PictureComparer {
    /// Compares two files; equal bytes are identical without being decoded, so a broken picture
    /// equal to a broken reference is found only where pictures are recorded.
    ///
    /// - Throws: `BrokenPicture` with the side that cannot be decoded.
    package static func compare(
        reference: some ContiguousBytes,
        capture: some ContiguousBytes,
        policy: ComparisonPolicy
    ) throws(BrokenPicture) -> Comparison {
        if equalBytes(reference, capture) { return .identicalBytes }
        return compare(
            reference: try decode(reference, .reference),
            capture: try decode(capture, .capture),
            policy: policy
        )
    }

    /// Compares decoded pictures; never `.identicalBytes`.
    package static func compare(
        reference: Bitmap,
        capture: Bitmap,
        policy: ComparisonPolicy
    ) -> Comparison {
        // All policies but one agree that another size is another picture.
        guard policy.tolerates(reference.size, capture.size) else {
            return .different(Measurement.ofSizes(reference, capture))
        }
        if reference == capture { return .identicalPixels }
        var difference =
            reference.size == capture.size
            ? Measurement.ofPixels(reference, capture)
            : Measurement.ofSizes(reference, capture)
        let judgement = PolicyArithmetic.judge(
            reference,
            capture,
            differing: difference.differing,
            policy: policy
        )
        difference.counted = judgement.counted
        difference.worst = judgement.worst
        difference.caveat = judgement.caveat
        return judgement.allowed ? .withinTolerance(difference) : .different(difference)
    }

    private static func decode(
        _ file: some ContiguousBytes,
        _ side: BrokenPicture.Side
    ) throws(BrokenPicture) -> Bitmap {
        do {
            return try PNGDecoder.decode(file)
        } catch {
            throw BrokenPicture(side: side, defect: error)
        }
    }

    private static func equalBytes(
        _ left: some ContiguousBytes,
        _ right: some ContiguousBytes
    ) -> Bool {
        left.withUnsafeBytes { one in
            right.withUnsafeBytes { other in
                guard one.count == other.count else { return false }
                guard let first = one.baseAddress, let second = other.baseAddress else {
                    return true
                }
                return memcmp(first, second, one.count) == 0
            }
        }
    }
}
