// The policies of comparison. `visible` is snapfarm's own; each other policy keeps the arithmetic
// of its framework. FarmImaging computes them, and names the sources of their formulas.

/// The arithmetic that decides whether two decoded pictures match.
package enum ComparisonPolicy: Hashable, Sendable, Codable {
    /// snapfarm's own policy and the default: visible differences count, see `VisibleLimits`.
    case visible(VisibleLimits = VisibleLimits())
    /// Every pixel must be equal.
    case exact
    /// iOSSnapshotTestCase: premultiplied RGBA8; a pixel differs when any channel's
    /// |a−b|/256 > `perPixelTolerance`; fails when differing/pixels > `overallTolerance`.
    /// Both are shares in 0…1.
    case fb(perPixelTolerance: Double, overallTolerance: Double)
    /// swift-snapshot-testing: fails when more than `Int((1 − precision) × bytes)` bytes differ
    /// (Float32, truncated); `precision` is a share in 0…1.
    ///
    /// With a `perceptualPrecision` below 1 it is an approximation (Apple's formula is not
    /// public), and every text says so: a pixel differs when its CIE94 distance is over
    /// `(1 − perceptualPrecision) × 100`; fails when fewer than `precision` of the pixels match.
    case pointFree(precision: Double, perceptualPrecision: Double = 1)
    /// pixelmatch: YIQ distance over `35215 × threshold²`; fails when more than
    /// `maxDifferingPixels` differ. Anti-aliased pixels do not count unless asked for.
    case pixelmatch(
        threshold: Double,
        includeAntiAliasing: Bool,
        maxDifferingPixels: Int,
        version: PixelmatchVersion = .v7
    )
    /// Paparazzi's OffByTwo: channels that differ by at most 2 do not count; fails when the sum of
    /// the others is over `maxPercentDifference` (a percentage, 0…100) of 256 × 3 × pixels, or
    /// when a side differs by 2 or more.
    case paparazzi(maxPercentDifference: Double)
    /// Roborazzi: a pixel misses when the distance of its RGBA in 0…1 is over `maxDistance`; fails
    /// when more than `threshold` × pixels, rounded half up, miss.
    case roborazzi(maxDistance: Double, threshold: Double)

    /// The policies' names in pipeline files and reports.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case visible, exact, fb
        case pointFree = "point-free"
        case pixelmatch, paparazzi, roborazzi
    }

    package var name: Name {
        switch self {
        case .visible: .visible
        case .exact: .exact
        case .fb: .fb
        case .pointFree: .pointFree
        case .pixelmatch: .pixelmatch
        case .paparazzi: .paparazzi
        case .roborazzi: .roborazzi
        }
    }

    /// Whether the policy can accept two pictures of these sizes as equal.
    ///
    /// Only Paparazzi accepts unequal sizes: each side may differ by one pixel.
    package func tolerates(_ reference: PixelSize, _ capture: PixelSize) -> Bool {
        guard case .paparazzi = self else { return reference == capture }
        return abs(reference.width - capture.width) < 2
            && abs(reference.height - capture.height) < 2
    }
}

/// The releases of pixelmatch whose arithmetic is known; they blend translucent pixels differently.
package enum PixelmatchVersion: String, Hashable, Sendable, Codable, CaseIterable {
    /// Blends on white: 5.x and 6.x, and the copy inside jest-image-snapshot.
    case v5 = "5.3.0"
    /// Blends on a checkerboard whose colour depends on the pixel's position.
    case v7 = "7.2.0"
}

extension ComparisonPolicy {
    /// The frameworks' default limits, used if the pipeline file does not name them.
    package enum Default {
        /// Paparazzi's default limit of differing pixels, in percent.
        package static let maxPercentDifference = 0.01
        /// Roborazzi's default: the largest RGBA distance (0…1) that does not count.
        package static let maxDistance = 0.007
        package static let pixelmatchThreshold = 0.1
    }
}
