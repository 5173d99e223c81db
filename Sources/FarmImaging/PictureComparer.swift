// Compares a capture with its reference, the cheapest proof first: equal bytes, then equal pixels,
// and only then the job's policy.
import CFarmShims
import FarmCore
import Foundation

/// Compares pictures.
package enum PictureComparer {
    /// Compares two picture files by the policy of `choice`.
    ///
    /// - Throws: `BrokenPicture` with the side that cannot be decoded.
    package static func compare(
        reference: some ContiguousBytes,
        capture: some ContiguousBytes,
        choice: ComparisonChoice
    ) throws(BrokenPicture) -> Comparison {
        compare(try ExaminedPair(reference: reference, capture: capture), choice: choice)
    }

    /// Compares two examined pictures by the policy of `choice`.
    package static func compare(_ pair: ExaminedPair, choice: ComparisonChoice) -> Comparison {
        switch pair {
        case .identicalBytes: .identicalBytes
        case .identicalPixels(differingTags: []): .identicalPixels
        case .identicalPixels(let tags): .differentTags(tags)
        case .differing(let reference, let capture, let rows):
            judge(reference: reference, capture: capture, rows: rows, choice: choice)
        }
    }

    /// Compares decoded pictures by the policy of `choice`; never returns `.identicalBytes`.
    package static func compare(
        reference: Bitmap,
        capture: Bitmap,
        choice: ComparisonChoice
    ) -> Comparison {
        if reference == capture { return .identicalPixels }
        let rows = DifferingRows(0..<reference.height)
        return judge(reference: reference, capture: capture, rows: rows, choice: choice)
    }

    /// Whether both files are intact and match under the choice's policy.
    package static func isAlike(_ one: Data, _ other: Data, choice: ComparisonChoice) -> Bool {
        if let rule = choice.text { return isAlike(one, other, rule) }
        return (try? compare(reference: one, capture: other, choice: choice))?.matches ?? false
    }

    /// Whether both files are texts, and `other` is equal to `one` by their rule.
    static func isAlike(_ one: Data, _ other: Data, _ rule: TextRule) -> Bool {
        guard let one = try? TextForm(one, rule), let other = try? TextForm(other, rule) else {
            return false
        }
        return other.isEqual(to: one, rule)
    }

    private static func judge(
        reference: Bitmap,
        capture: Bitmap,
        rows: DifferingRows,
        choice: ComparisonChoice
    ) -> Comparison {
        // All policies but one treat another size as another picture.
        guard choice.policy.tolerates(reference.size, capture.size) else {
            return .different(Measurement.ofSizes(reference, capture))
        }
        var difference =
            reference.size == capture.size
            ? Measurement.count(reference, capture, rows: rows)
            : Measurement.ofSizes(reference, capture)
        let judgement = PolicyArithmetic.judge(
            reference,
            capture,
            differing: difference.differing,
            rows: rows,
            choice: choice
        )
        difference.counted = judgement.counted
        difference.worst = judgement.worst
        difference.caveat = judgement.caveat
        return judgement.allowed ? .withinTolerance(difference) : .different(difference)
    }
}

// Overloads with nothing ignored.
extension PictureComparer {
    /// Compares two picture files by `policy`, with no pixel ignored.
    ///
    /// - Throws: `BrokenPicture` with the side that cannot be decoded.
    package static func compare(
        reference: some ContiguousBytes,
        capture: some ContiguousBytes,
        policy: ComparisonPolicy
    ) throws(BrokenPicture) -> Comparison {
        try compare(reference: reference, capture: capture, choice: ComparisonChoice(policy))
    }

    /// Compares two examined pictures by `policy`, with no pixel ignored.
    package static func compare(_ pair: ExaminedPair, policy: ComparisonPolicy) -> Comparison {
        compare(pair, choice: ComparisonChoice(policy))
    }

    /// Compares decoded pictures by `policy`, with no pixel ignored; never returns
    /// `.identicalBytes`.
    package static func compare(
        reference: Bitmap,
        capture: Bitmap,
        policy: ComparisonPolicy
    ) -> Comparison {
        compare(reference: reference, capture: capture, choice: ComparisonChoice(policy))
    }
}
