// Whether two pictures changed alike: their explained regions match one to one.

/// How one picture changed, in a form in which devices, languages and appearances are alike.
struct ChangeLikeness {
    private let explanation: Explanation
    private let canvas: PixelSize

    init(_ explanation: Explanation, _ difference: PixelDifference) {
        self.explanation = explanation
        canvas = PictureAlignment.canvas(difference.reference, difference.capture)
    }

    func isLike(_ other: ChangeLikeness) -> Bool {
        let regions = explanation.regions
        let others = other.explanation.regions
        guard explanation.regionCount == regions.count, regions.count == others.count,
            other.explanation.regionCount == others.count, !regions.isEmpty,
            canvas == other.canvas
        else { return false }
        return zip(regions, others).allSatisfy { $0.kind == $1.kind && $0.box == $1.box }
    }
}
