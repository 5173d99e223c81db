// How two pictures are compared. `visible` is our own; each of the others keeps its framework's
// own arithmetic; the sources of the formulas are named in FarmImaging, where they are computed.

/// The arithmetic that decides whether two decoded pictures match.
package enum ComparisonPolicy: Hashable, Sendable, Codable {
    /// Our own and the default: what somebody could see counts, see `VisibleLimits`.
    case visible(VisibleLimits = VisibleLimits())
    /// Every pixel equal.
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

    /// The words for policies in pipeline files and reports.
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

    /// Whether the policy may find pictures of these sizes alike.
    ///
    /// Only Paparazzi has an opinion beyond equality: a side may differ by one pixel.
    package func tolerates(_ reference: PixelSize, _ capture: PixelSize) -> Bool {
        guard case .paparazzi = self else { return reference == capture }
        return abs(reference.width - capture.width) < 2
            && abs(reference.height - capture.height) < 2
    }
}

/// The releases of pixelmatch whose arithmetic is known; they blend translucent pixels differently.
package enum PixelmatchVersion: String, Hashable, Sendable, Codable, CaseIterable {
    /// On white: 5.x and 6.x, and what jest-image-snapshot embeds.
    case v5 = "5.3.0"
    /// On a checkerboard that depends on the position.
    case v7 = "7.2.0"
}

extension ComparisonPolicy {
    /// The numbers of frameworks that a pipeline does not name.
    package enum Default {
        /// Percent, as in Paparazzi.
        package static let maxPercentDifference = 0.01
        /// Largest colour distance (RGBA, 0…1) that does not count; Roborazzi's default.
        package static let maxDistance = 0.007
        package static let pixelmatchThreshold = 0.1
    }
}
