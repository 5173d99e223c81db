// What people see of two pictures that differ: words and a drawing, from one map of what each pixel
// is, so that they tell the same story as the verdict.
import FarmCore
import FarmImaging

/// A closer look at two pictures that differ.
struct DifferenceLook {
    /// What is drawn of a difference.
    enum Drawing: Sendable {
        /// The difference alone, pixel by pixel.
        case difference
        /// Reference, capture and difference side by side, scaled down to a page.
        case threeUp
    }

    /// A page of a report; hosts of code show no larger ones without a click.
    private static let pageSize = PixelSize(width: 1_800, height: 1_200)

    private let reference: Bitmap
    private let capture: Bitmap
    private let alignment: PictureAlignment?
    private let classes: PixelClasses

    /// Noise and anti-aliasing are what `policy` takes for them; under the frameworks' policies,
    /// which know neither, no pixel is noise.
    ///
    /// - Throws: `PictureError.tooManyPixels` where a long and a wide picture have no common canvas
    ///   under the limit.
    init(
        reference: Bitmap,
        capture: Bitmap,
        policy: ComparisonPolicy
    ) throws(PictureError) {
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        guard canvas.width * canvas.height <= FarmLimits.picturePixelsMax else {
            throw .tooManyPixels(canvas)
        }
        self.reference = reference
        self.capture = capture
        alignment = PictureAligner.align(reference: reference, capture: capture)
        var noise = 0
        var antiAliasing = true
        if case .visible(let limits) = policy {
            noise = limits.noise
            antiAliasing = limits.antiAliasing == .ignored
        }
        classes = PixelClasses(
            reference,
            capture,
            alignment: alignment,
            noise: noise,
            antiAliasing: antiAliasing
        )
    }

    func explanation() -> Explanation {
        Explainer.explain(
            reference: reference,
            capture: capture,
            classes: classes,
            alignment: alignment
        )
    }

    /// A PNG file; the same pictures always give the same bytes.
    func file(_ drawing: Drawing) throws(PictureError) -> [UInt8] {
        let drawn =
            switch drawing {
            case .difference:
                try DiffPicture.draw(
                    reference: reference,
                    capture: capture,
                    classes: classes,
                    alignment: alignment
                )
            case .threeUp:
                try DiffPicture.threeUp(
                    reference: reference,
                    capture: capture,
                    classes: classes,
                    alignment: alignment,
                    widthMax: Self.pageSize.width,
                    heightMax: Self.pageSize.height
                )
            }
        return try PNGEncoder.encode(drawn)
    }
}
