// A capture compared with its reference: the comparison, and for a difference its explanation and
// diff picture. Workers make it during a run, and `judge` makes it again from kept pictures.
import FarmCore
import Foundation

/// The result of comparing a capture with its reference.
package struct ComparedCapture: Sendable {
    /// The comparison, or `nil` if a picture cannot be read.
    package let comparison: Comparison?
    /// The bytes of the diff picture, or `nil` unless the comparison does not match.
    package let diff: Data?
    /// The reason why one of the pictures cannot be read, or `nil` if both can.
    package let problem: Problem?
    private let pair: ExaminedPair?
    private let ignored: [PixelBox]

    /// The difference in drawing of the pictures, measured now; `nil` for pictures of two sizes and
    /// those that cannot be read.
    package var rendering: RenderingMeasure? { pair?.rendering(ignoring: ignored) }

    package init(_ capture: Data, reference: Data, choice: ComparisonChoice) {
        if let rule = choice.text {
            self.init(text: capture, reference: reference, rule)
            return
        }
        self.init(picture: capture, reference: reference, choice: choice)
    }

    private init(picture capture: Data, reference: Data, choice: ComparisonChoice) {
        ignored = choice.ignored
        do throws(BrokenPicture) {
            let pair = try ExaminedPair(reference: reference, capture: capture)
            let found = PictureComparer.compare(pair, choice: choice)
            let explained = found.matches ? nil : try Self.explained(pair, choice)
            comparison = explained.map { found.explained(by: $0.words) } ?? found
            diff = explained?.diff
            problem = nil
            self.pair = pair
        } catch {
            pair = nil
            comparison = nil
            diff = nil
            problem = Self.problem(error)
        }
    }

    private init(text capture: Data, reference: Data, _ rule: TextRule) {
        pair = nil
        ignored = []
        do throws(TextDefect) {
            let now = try TextForm(capture, rule)
            let before: TextForm
            do throws(TextDefect) {
                before = try TextForm(reference, rule)
            } catch {
                comparison = nil
                diff = nil
                problem = Self.referenceProblem(error)
                return
            }
            let compared = ComparedTexts(reference: before, capture: now, rule)
            comparison = compared.map { .differentText($0.difference) } ?? .equalTexts
            diff = compared?.diff
            problem = nil
        } catch {
            comparison = nil
            diff = nil
            problem = Problem(error)
        }
    }

    /// Returns the comparison of a capture with an alternate of its reference, or `nil` if they do
    /// not match.
    ///
    /// Explains nothing: a difference is explained against the reference. An alternate that cannot
    /// be read matches nothing.
    package static func match(
        _ capture: Data,
        alternate: Data,
        choice: ComparisonChoice
    ) -> Comparison? {
        if let rule = choice.text {
            return PictureComparer.isAlike(alternate, capture, rule) ? .equalTexts : nil
        }
        guard let pair = try? ExaminedPair(reference: alternate, capture: capture) else {
            return nil
        }
        let found = PictureComparer.compare(pair, choice: choice)
        return found.matches ? found : nil
    }

    /// Returns the explanation and the diff picture of two differing pictures; `nil` if they do not
    /// differ, or need a canvas over the limit (a tall and a wide one, whose sizes say enough).
    package static func explained(
        _ pair: ExaminedPair,
        _ choice: ComparisonChoice
    ) throws(BrokenPicture) -> (words: Explanation, diff: Data)? {
        guard case .differing(let reference, let capture, _) = pair,
            let explained = try? ExplainedPair(
                reference: reference,
                capture: capture,
                choice: choice,
                findsParts: true
            )
        else { return nil }
        do {
            return (explained.explanation, Data(try explained.diff()))
        } catch {
            throw BrokenPicture(side: .capture, defect: error)
        }
    }

    private static func problem(_ error: BrokenPicture) -> Problem {
        error.side == .reference ? referenceProblem(error.defect) : Problem(error.defect)
    }

    private static func referenceProblem(_ defect: some ExplainedError) -> Problem {
        Problem(
            code: defect.code,
            message: "its reference cannot be read: \(defect.message)",
            remedy: "Record it again with --mode record."
        )
    }
}
