// Whether two pictures changed alike. Their regions must match one to one: the kind, roughly the
// place, and the sketches (`RegionSketch`). The rule of a sketch is: what was alike before must be
// alike after. So an intruder shows against every picture that looked the same before, and what
// looked different before (another language, another appearance) proves nothing either way.

/// What two pictures of one screen say about each other.
package enum Likeness: Hashable, Sendable {
    /// They changed alike.
    case alike
    /// Nothing speaks against it, but they looked too different before to tell.
    case unknown
    /// They changed differently, or nobody can tell what changed.
    case unlike

    /// What both say together.
    func and(_ other: Likeness) -> Likeness {
        if self == .unlike || other == .unlike { return .unlike }
        return self == .alike ? other : self
    }
}

/// How one picture changed.
struct PictureChange {
    fileprivate let explanation: Explanation
    fileprivate let canvas: PixelSize
    /// Nil where something is left out, or nothing is certain.
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

/// The box around all regions of a picture: regions of two layouts are paired by their places in it.
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

/// One region, with its place on its picture and among its regions.
private struct PlacedRegion {
    let region: Explanation.Region
    let sketch: RegionSketch
    let canvas: PixelSize
    let place: (x: Double, y: Double)

    func distance(to other: PlacedRegion) -> Double {
        abs(place.x - other.place.x) + abs(place.y - other.place.y)
    }

    // MARK: kind and place

    /// Whether kind and place allow that both are the same.
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

    /// Devices have other scales and other sizes: a third to three times as far, the same way.
    private func isLikeMove(_ one: Int, _ length: Int, _ other: Int, _ otherLength: Int) -> Bool {
        guard one.signum() == other.signum() else { return false }
        let (near, far) = (abs(one) * otherLength, abs(other) * length)
        return max(near, far) <= 3 * min(near, far)
    }

    /// Whether the middles are about as far down and across their pictures, and the boxes about as
    /// large: closely on canvases of one shape, loosely on others, whose layout is another.
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
        // Where one explains every pixel, the other has something that does not belong there.
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
    /// Whether all edges are within so many pixels: edges of the same shape blend by another pixel
    /// in another appearance.
    fileprivate func isAbout(_ other: PixelBox, within pixels: Int) -> Bool {
        [
            x - other.x, y - other.y, x + width - other.x - other.width,
            y + height - other.y - other.height,
        ].allSatisfy { abs($0) <= pixels }
    }
}
