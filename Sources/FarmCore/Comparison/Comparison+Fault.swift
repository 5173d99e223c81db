// The allowed ranges of a comparison's numbers. Within these ranges no sum and no product of two
// numbers overflows, so the sentences about a comparison can compute with them.

extension Comparison {
    /// The first mistake in the comparison, or `nil` if two pictures can have it.
    package var fault: String? {
        if case .differentTags(let tags) = self {
            let isShort = tags.count <= Self.tagsMax && tags.allSatisfy { $0.utf8.count <= 40 }
            return isShort ? nil : "the tags of a comparison are no names of chunks"
        }
        if let text, !text.isPossible { return "a difference of texts is out of range" }
        return difference?.fault
    }

    /// The most PNG chunk names that a comparison may list; ``Comparison/differentTags(_:)`` knows
    /// five.
    private static let tagsMax = 16
}

extension PixelDifference {
    fileprivate var fault: String? {
        guard reference.isOfPicture, capture.isOfPicture else {
            return "a size is that of no picture"
        }
        guard differing.isPixelCount, counted.isPixelCount,
            (0...255).contains(largestDelta)
        else { return "differing, counted or largestDelta is out of range" }
        guard clusters.count <= FarmLimits.clustersMax, clusters.allSatisfy(\.isOfPicture) else {
            return "clusters are no boxes of a picture"
        }
        if let worst, !worst.counted.isPixelCount || !worst.box.isOfPicture {
            return "worst is no window of a picture"
        }
        return explanation?.fault
    }
}

extension Explanation {
    fileprivate var fault: String? {
        guard regions.count <= FarmLimits.clustersMax, regionCount.isPixelCount else {
            return "regions are too many"
        }
        guard regions.allSatisfy(\.isOfPicture) else { return "a region is none of a picture" }
        if let parts {
            guard parts.recolourings.count <= Parts.recolouringsMax,
                parts.rest.count <= FarmLimits.clustersMax, parts.restCount.isPixelCount,
                parts.rest.allSatisfy(\.isOfPicture),
                parts.recolourings.allSatisfy({ $0.pixels.isPixelCount }),
                (parts.shifts ?? []).count <= Parts.shiftsMax,
                (parts.shifts ?? []).allSatisfy({ $0.row.isPlace && $0.by.isMove })
            else { return "parts are none of a picture" }
        }
        guard (elements ?? []).count <= FarmLimits.elementChangesMax,
            (elements ?? []).allSatisfy(\.isOfTree)
        else { return "elements are none of a picture" }
        guard [noise, antiAliased, changed].allSatisfy(\.isPixelCount) else {
            return "noise, antiAliased or changed is out of range"
        }
        if let bandMove {
            let numbers = [bandMove.from, bandMove.rows]
            guard numbers.allSatisfy(\.isPlace), bandMove.by.isMove else {
                return "bandMove is none of a picture"
            }
        }
        let bands = [alignment?.rows, alignment?.columns].compactMap(\.self)
        guard bands.allSatisfy({ $0.at.isPlace && $0.count.isPlace }) else {
            return "alignment has a band that is none of a picture"
        }
        // The fingerprint has 12 digits, or is empty.
        return fingerprint.utf8.count <= 64 ? nil : "fingerprint is too long"
    }
}

extension Explanation.Region {
    fileprivate var isOfPicture: Bool {
        if case .moved(let dx, let dy) = kind, !dx.isMove || !dy.isMove { return false }
        return box.isOfPicture && pixels.isPixelCount
    }
}

extension ElementChange {
    fileprivate var isOfTree: Bool {
        let texts = [selector, property, before ?? "", after ?? ""]
        return texts.allSatisfy { $0.utf8.count <= FarmLimits.elementTextBytesMax }
            && (1...FarmLimits.elementsMax).contains(count)
            && (regions ?? []).count <= FarmLimits.clustersMax
            && (regions ?? []).allSatisfy((0..<FarmLimits.clustersMax).contains)
    }
}

extension PixelSize {
    /// Whether the size is one that a picture can have.
    package var isOfPicture: Bool { width.isPlace && height.isPlace }
}

extension PixelBox {
    /// Whether the box's coordinates and lengths are possible in a picture; the box may reach
    /// beyond its own picture.
    package var isOfPicture: Bool { [x, y, width, height].allSatisfy(\.isPlace) }
}

extension Int {
    /// Whether the number is a coordinate or a length in pixels.
    fileprivate var isPlace: Bool { (0...FarmLimits.picturePixelsMax).contains(self) }

    /// Whether the number is a move in pixels, in either direction.
    fileprivate var isMove: Bool { isPlace || self < 0 && self >= -FarmLimits.picturePixelsMax }

    /// Whether the number is a count of pixels of two aligned pictures.
    fileprivate var isPixelCount: Bool { (0...4 * FarmLimits.picturePixelsMax).contains(self) }
}

extension ComparisonPolicy {
    /// The allowed range of a percentage.
    package static let percents = 0.0...100
    /// The allowed range of a distance between two RGBA colours whose channels are from 0 to 1.
    package static let distances = 0.0...2
    /// The allowed range of a share of a picture's pixels or of a channel's range.
    package static let shares = 0.0...1
    /// The allowed range of a difference of one 8-bit channel.
    package static let deltas = 0...255
    /// The allowed range of a count of pixels in the sliding window of `visible`.
    package static let clusters = 0...(VisibleLimits.window * VisibleLimits.window)
    /// The allowed range of a count of a picture's pixels.
    package static let pixels = 0...FarmLimits.picturePixelsMax

    /// Whether all numbers of the policy are in the ranges that a pipeline file allows.
    var isInRange: Bool {
        switch self {
        case .exact: true
        case .visible(let limits):
            Self.deltas.contains(limits.noise) && Self.shares.contains(limits.share)
                && Self.clusters.contains(limits.cluster)
        case .fb(let perPixel, let overall):
            Self.shares.contains(perPixel) && Self.shares.contains(overall)
        case .pointFree(let precision, let perceptual):
            Self.shares.contains(precision) && Self.shares.contains(perceptual)
        case .pixelmatch(let threshold, _, let most, _):
            Self.shares.contains(threshold) && Self.pixels.contains(most)
        case .paparazzi(let percent): Self.percents.contains(percent)
        case .roborazzi(let distance, let threshold):
            Self.distances.contains(distance) && Self.shares.contains(threshold)
        }
    }
}
