// Explains a difference: its regions, the kind of each, and a fingerprint of the change. It runs
// only for pictures that differ; its time is bounded by the number of pixels, whatever they show.
import CFarmShims
import FarmCore

/// Explains the change between two pictures.
package enum Explainer {
    /// Explains pictures of any two sizes.
    ///
    /// `classes` are those of the canvas; without them, or with those of another size, every pixel
    /// that differs at all is changed. `alignment` is the result of `PictureAligner` for pictures
    /// of different sizes; if it is `nil`, it is computed. `rule` is that of the classes. Only
    /// causes need the parts of a difference.
    package static func explain(
        reference: Bitmap,
        capture: Bitmap,
        classes: PixelClasses? = nil,
        alignment: PictureAlignment? = nil,
        rule: ClassRule = .exact,
        findsParts: Bool = false
    ) -> Explanation {
        let alignment = alignment ?? PictureAligner.align(reference: reference, capture: capture)
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        let given = classes?.size == canvas ? classes : nil
        let classes = given ?? PixelClasses(reference, capture, alignment: alignment)
        let cut = RegionCut(reference, capture, classes, alignment)
        return Explanation(
            regions: cut.regions,
            regionCount: cut.regionCount,
            bandMove: cut.bandMove,
            alignment: alignment,
            noise: cut.counts.noise,
            antiAliased: cut.counts.anti_aliased,
            changed: cut.counts.changed,
            fingerprint: Explanation.fingerprint(
                of: cut.regions,
                alignment: alignment,
                canvas: canvas
            ),
            parts: findsParts ? parts(reference, capture, classes, alignment, rule) : nil
        )
    }

    /// Returns the shifts, the recolourings, and the regions that they leave over; `nil` if nothing
    /// moved as a whole or was recoloured.
    private static func parts(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ classes: PixelClasses,
        _ alignment: PictureAlignment?,
        _ rule: ClassRule
    ) -> Explanation.Parts? {
        if let pair = ShiftedPair(reference, capture, classes) { return pair.parts(rule) }
        var rest = classes
        let recolourings = rest.takeRecolourings(reference, capture, alignment)
        guard !recolourings.isEmpty else { return nil }
        let cut = RegionCut(reference, capture, rest, alignment)
        return Explanation.Parts(
            recolourings: recolourings,
            rest: cut.regions,
            restCount: cut.regionCount
        )
    }
}
