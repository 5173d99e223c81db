// Two pictures that failed, with everything a person needs to see what happened. Classes and
// alignment are found once; regions, words and pictures are all made from them.
import CFarmShims
import FarmCore

/// A difference, explained; draws it on demand.
package struct ExplainedPair: Sendable {
    private let reference: Bitmap
    private var capture: Bitmap
    private let alignment: PictureAlignment?
    private let classes: PixelClasses
    package let explanation: Explanation

    /// Explains two pictures that differ.
    ///
    /// What is noise and what is ignored is as the choice has it. Policies of frameworks have no
    /// noise floor; anti-aliasing is shown under all but `exact`, whether it counted or not.
    package init(reference: Bitmap, capture: Bitmap, choice: ComparisonChoice) {
        let rule = ClassRule(choice.policy)
        self.reference = reference
        self.capture = capture
        alignment = PictureAligner.align(reference: reference, capture: capture)
        classes = PixelClasses(
            reference,
            capture,
            alignment: alignment,
            noise: rule.noise,
            antiAliasing: rule.antiAliasing,
            ignoring: choice.ignored
        )
        explanation = Explainer.explain(
            reference: reference,
            capture: capture,
            classes: classes,
            alignment: alignment
        )
    }

    /// The diff picture as a PNG file.
    ///
    /// Draws into the capture's memory where nobody else holds the capture, so that a pair of the
    /// largest pictures needs no third.
    ///
    /// - Throws: `PictureError.tooManyPixels` when the canvas is over the limit, `.noMemory`.
    package consuming func diff() throws(PictureError) -> [UInt8] {
        let size = PictureAlignment.canvas(reference.size, capture.size)
        // Asked first: a drawing holds the capture too.
        let spare = capture.size == size ? capture.streamOfOnlyOwner() : nil
        let drawing = try DiffPicture.Drawing(reference, capture, classes, alignment)
        guard let stream = spare ?? PixelPool.shared.take(PNGEncoder.streamBytes(size)) else {
            throw .noMemory(size)
        }
        drawing.withPair { pair, classes in
            farm_diff_draw(
                pair,
                classes,
                0,
                UInt32(size.height),
                stream.bytes + 1,
                size.width * 4 + 1
            )
        }
        return try PNGEncoder.encode(stream: stream, size: size)
    }

    /// Reference, capture and diff side by side, no larger than the limits, as a PNG file.
    ///
    /// - Throws: `PictureError.tooManyPixels` when the canvas is over the limit, `.noMemory`.
    package func threeUp(widthMax: Int, heightMax: Int) throws(PictureError) -> [UInt8] {
        try PNGEncoder.encode(
            DiffPicture.threeUp(
                reference: reference,
                capture: capture,
                classes: classes,
                alignment: alignment,
                widthMax: widthMax,
                heightMax: heightMax
            )
        )
    }
}

/// What a policy means for the classes of pixels.
private struct ClassRule {
    var noise = 0
    var antiAliasing = true

    init(_ policy: ComparisonPolicy) {
        switch policy {
        case .visible(let limits):
            noise = limits.noise
            antiAliasing = limits.antiAliasing == .ignored
        case .exact: antiAliasing = false
        case .fb, .pointFree, .pixelmatch, .paparazzi, .roborazzi: break
        }
    }
}
