// Which numbers a comparison can have. Words about it add them up and multiply them; within these
// ranges no sum and no product of two overflows.

extension Comparison {
    /// What is wrong with it; nil for what two pictures can have.
    package var fault: String? {
        if case .differentTags(let tags) = self {
            let isShort = tags.count <= Self.tagsMax && tags.allSatisfy { $0.utf8.count <= 40 }
            return isShort ? nil : "the tags of a comparison are no names of chunks"
        }
        return difference?.fault
    }

    /// There are five.
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
        // 12 digits, or none.
        return fingerprint.utf8.count <= 64 ? nil : "fingerprint is too long"
    }
}

extension Explanation.Region {
    fileprivate var isOfPicture: Bool {
        if case .moved(let dx, let dy) = kind, !dx.isMove || !dy.isMove { return false }
        return box.isOfPicture && pixels.isPixelCount
    }
}

extension PixelSize {
    /// Whether a picture can have it.
    package var isOfPicture: Bool { width.isPlace && height.isPlace }
}

extension PixelBox {
    /// Whether its numbers are those of a picture; it may reach beyond it.
    package var isOfPicture: Bool { [x, y, width, height].allSatisfy(\.isPlace) }
}

extension Int {
    /// A coordinate or a length in pixels.
    fileprivate var isPlace: Bool { (0...FarmLimits.picturePixelsMax).contains(self) }

    /// A way up or down, left or right, in pixels.
    fileprivate var isMove: Bool { isPlace || self < 0 && self >= -FarmLimits.picturePixelsMax }

    /// Pixels of two pictures over each other.
    fileprivate var isPixelCount: Bool { (0...4 * FarmLimits.picturePixelsMax).contains(self) }
}

extension ComparisonPolicy {
    /// Percent.
    package static let percents = 0.0...100
    /// The distance of RGBA 0 and RGBA 1 in four dimensions.
    package static let distances = 0.0...2
    /// Of a picture's pixels, or of what a value can be.
    package static let shares = 0.0...1
    /// Differences of one channel.
    package static let deltas = 0...255
    /// Pixels of the sliding window of `visible`.
    package static let clusters = 0...(VisibleLimits.window * VisibleLimits.window)
    /// Of one picture.
    package static let pixels = 0...FarmLimits.picturePixelsMax

    /// Whether all its numbers are ones that a pipeline file may name.
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
