// The rule for whether two pictures changed alike. Their regions must match one to one: in kind,
// roughly in place, and in their sketches (`RegionSketch`). Sketches that were alike before must be
// alike after. So an unintended change shows against every picture that looked the same before; a
// picture that looked different before (another language, another appearance) is no evidence.

/// The likeness of two changed pictures of one screen.
package enum Likeness: Hashable, Sendable {
    /// The two pictures changed alike.
    case alike
    /// The pictures may have changed alike, but looked too different before the change to decide.
    case unknown
    /// The pictures changed differently, or the change of one is unknown.
    case unlike

    /// Returns the likeness of two pictures whose parts have these two likenesses: the worse
    /// decides.
    func and(_ other: Likeness) -> Likeness {
        if self == .unlike || other == .unlike { return .unlike }
        return self == .alike ? other : self
    }
}

/// The change of one picture, prepared for comparison with another.
struct PictureChange {
    fileprivate let explanation: Explanation
    fileprivate let canvas: PixelSize
    /// The changed regions, or `nil` if the list of regions is incomplete or proves nothing.
    fileprivate let regions: [PlacedRegion]?

    init(_ explanation: Explanation, _ difference: PixelDifference) {
        self.explanation = explanation
        let canvas = PictureAlignment.canvas(difference.reference, difference.capture)
        self.canvas = canvas
        let isWhole = explanation.regionCount == explanation.regions.count
        let fits = explanation.alignment?.fits ?? true
        let sketches = explanation.regions.compactMap(\.sketch)
        guard isWhole, fits, !sketches.isEmpty, sketches.count == explanation.regions.count,
            canvas.width > 0, canvas.height > 0
        else {
            regions = nil
            return
        }
        let hull = Hull(explanation.regions.map(\.box))
        regions = zip(explanation.regions, sketches).map { region, sketch in
            PlacedRegion(
                region: region,
                sketch: sketch,
                canvas: canvas,
                place: hull.place(of: region.box)
            )
        }
    }

    /// Prepares one region of a picture as if it were the whole change.
    init(_ region: Explanation.Region, of difference: PixelDifference) {
        self.init(Explanation(regions: [region], regionCount: 1), difference)
    }

    func likeness(to other: PictureChange) -> Likeness {
        guard let regions, let others = other.regions, regions.count == others.count else {
            return .unlike
        }
        let bands = (explanation.bandMove?.by.signum(), other.explanation.bandMove?.by.signum())
        guard bands.0 == bands.1 else { return .unlike }
        var left = others
        var likeness = Likeness.alike
        for region in regions {
            let fitting = left.indices.filter { region.fits(left[$0]) }
            guard
                let nearest = fitting.min(by: {
                    region.distance(to: left[$0]) < region.distance(to: left[$1])
                })
            else { return .unlike }
            likeness = likeness.and(region.likeness(to: left.remove(at: nearest)))
            if likeness == .unlike { return .unlike }
        }
        return likeness
    }
}

/// The box around all changed regions of a picture.
///
/// Regions of two layouts are paired by their places in it.
private struct Hull {
    let left: Int
    let top: Int
    let width: Double
    let height: Double

    init(_ boxes: [PixelBox]) {
        left = boxes.map(\.x).min() ?? 0
        top = boxes.map(\.y).min() ?? 0
        width = Double(max((boxes.map { $0.x + $0.width }.max() ?? 0) - left, 1))
        height = Double(max((boxes.map { $0.y + $0.height }.max() ?? 0) - top, 1))
    }

    func place(of box: PixelBox) -> (x: Double, y: Double) {
        (
            (Double(box.x - left) + Double(box.width) / 2) / width,
            (Double(box.y - top) + Double(box.height) / 2) / height
        )
    }
}

/// A changed region, with its place in the box around all regions of its picture.
private struct PlacedRegion {
    let region: Explanation.Region
    let sketch: RegionSketch
    let canvas: PixelSize
    let place: (x: Double, y: Double)

    func distance(to other: PlacedRegion) -> Double {
        abs(place.x - other.place.x) + abs(place.y - other.place.y)
    }

    // MARK: kind and place

    /// Whether the kinds and places of two regions allow them to be the same change.
    func fits(_ other: PlacedRegion) -> Bool {
        isOfOneKind(with: other) && isNear(other)
    }

    private func isOfOneKind(with other: PlacedRegion) -> Bool {
        switch (region.kind, other.region.kind) {
        case (.moved(let dx, let dy), .moved(let otherX, let otherY)):
            guard canvas != other.canvas else { return (dx, dy) == (otherX, otherY) }
            return isLikeMove(dx, canvas.width, otherX, other.canvas.width)
                && isLikeMove(dy, canvas.height, otherY, other.canvas.height)
        default: return region.kind == other.region.kind
        }
    }

    /// Whether two moves have one direction and similar lengths (up to three times as long),
    /// because devices have different scales and sizes.
    private func isLikeMove(_ one: Int, _ length: Int, _ other: Int, _ otherLength: Int) -> Bool {
        guard one.signum() == other.signum() else { return false }
        let (near, far) = (abs(one) * otherLength, abs(other) * length)
        return max(near, far) <= 3 * min(near, far)
    }

    /// Whether the two regions have similar heights, and their middles similar places in their
    /// pictures.
    ///
    /// The limits are close for canvases of one shape, and loose for others, which have another
    /// layout.
    private func isNear(_ other: PlacedRegion) -> Bool {
        let (one, two) = (share, other.share)
        let shapes = (
            canvas.width * other.canvas.height, other.canvas.width * canvas.height
        )
        let isOneShape = abs(shapes.0 - shapes.1) * 30 <= max(shapes.0, shapes.1)
        let distance = isOneShape ? 0.2 : 0.35
        return abs(one.x - two.x) <= distance && abs(one.y - two.y) <= distance
            && max(one.height, two.height) <= 4 * min(one.height, two.height)
    }

    private var share: (x: Double, y: Double, height: Double) {
        let box = region.box
        return (
            (Double(box.x) + Double(box.width) / 2) / Double(canvas.width),
            (Double(box.y) + Double(box.height) / 2) / Double(canvas.height),
            Double(box.height) / Double(canvas.height)
        )
    }

    // MARK: looks

    func likeness(to other: PlacedRegion) -> Likeness {
        let (before, after) = (sketch.before, sketch.after)
        let (otherBefore, otherAfter) = (other.sketch.before, other.sketch.after)
        let box = (region.box, other.region.box)
        let isOneSize = box.0.width == box.1.width && box.0.height == box.1.height
        // If one region explains every pixel and the other does not, the other has foreign content.
        guard (sketch.odd == 0) == (other.sketch.odd == 0) else { return .unlike }
        let isOneCanvas = canvas == other.canvas
        let old = SketchDistance(before, otherBefore)
        let new = SketchDistance(after, otherAfter)
        if isOneSize, before.hash == otherBefore.hash {
            if isOneCanvas {
                let isSame = after.hash == otherAfter.hash && region.box == other.region.box
                return isSame ? .alike : .unlike
            }
            return new.isWithin(.samePixels, of: old) && new.isOneAppearance ? .alike : .unlike
        }
        guard old.isOneContent else {
            let isOneInk = !old.isOneAppearance || new.isOneAppearance
            return isOneInk && new.isOneHue ? .unknown : .unlike
        }
        let room = old.isOneAppearance ? 0 : 2
        guard new.isWithin(isOneSize ? .oneSize : .otherSize, of: old),
            !isOneCanvas || region.box.isAbout(other.region.box, within: room)
        else { return .unlike }
        guard old.isOneAppearance else { return new.isOneHue ? .unknown : .unlike }
        return new.isOneAppearance ? .alike : .unlike
    }
}

extension PixelBox {
    /// Whether all edges of the two boxes are at most `pixels` apart: in another appearance, an
    /// edge of the same shape blends one pixel further.
    fileprivate func isAbout(_ other: PixelBox, within pixels: Int) -> Bool {
        [
            x - other.x, y - other.y, x + width - other.x - other.width,
            y + height - other.y - other.height,
        ].allSatisfy { abs($0) <= pixels }
    }
}
