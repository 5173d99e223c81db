// Two pictures that failed, with everything that a user needs to see the change. Classes and
// alignment are computed once; regions, texts and pictures are all made from them.
import CFarmShims
import FarmCore

/// A difference that can be explained and drawn.
package struct ExplainedPair: Sendable {
    private let reference: Bitmap
    private let capture: Bitmap
    private let alignment: PictureAlignment?
    /// The class of each pixel of the canvas, with moved content marked.
    private let classes: PixelClasses
    /// The regions and the kind of the change.
    package let explanation: Explanation

    /// Aligns, classifies and explains two pictures that differ.
    ///
    /// The choice defines what is noise and what is ignored. Policies of frameworks have no noise
    /// floor; anti-aliasing is shown under all but `exact`, whether it counted or not. Only causes
    /// need the parts of a difference.
    ///
    /// - Throws: `PictureError.tooManyPixels` if the smallest canvas for both is over the limit, as
    ///   with a long and a wide picture.
    package init(
        reference: Bitmap,
        capture: Bitmap,
        choice: ComparisonChoice,
        findsParts: Bool = false
    ) throws(PictureError) {
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        guard canvas.width * canvas.height <= FarmLimits.picturePixelsMax else {
            throw .tooManyPixels(canvas)
        }
        let rule = ClassRule(choice.policy)
        self.reference = reference
        self.capture = capture
        let alignment = PictureAligner.align(reference: reference, capture: capture)
        var classes = PixelClasses(
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
            alignment: alignment,
            rule: rule,
            findsParts: findsParts
        )
        classes.markMoves(explanation.regions, reference, capture, alignment)
        self.alignment = alignment
        self.classes = classes
    }

    /// Returns the diff picture as a PNG file with a palette, one byte per pixel.
    ///
    /// - Throws: `PictureError.noMemory`.
    package func diff() throws(PictureError) -> [UInt8] {
        let drawing = try DiffPicture.Drawing(reference, capture, classes, alignment)
        let size = drawing.canvas
        guard let stream = PixelPool.shared.take(PNGEncoder.indexStreamBytes(size)) else {
            throw .noMemory(size)
        }
        drawing.withPair { pair, classes in
            farm_diff_draw(
                pair,
                classes,
                0,
                UInt32(size.height),
                stream.bytes + 1,
                size.width + 1
            )
        }
        return try PNGEncoder.encode(
            indices: stream,
            size: size,
            palette: DiffPicture.palette
        )
    }

    /// Returns reference, capture and diff side by side as a PNG file, no larger than the limits.
    ///
    /// - Throws: `PictureError.noMemory`.
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

/// The parameters by which a policy classifies pixels.
package struct ClassRule: Sendable {
    var noise = 0
    var antiAliasing = true

    /// Every pixel that differs at all is changed.
    package static let exact = ClassRule(.exact)

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
