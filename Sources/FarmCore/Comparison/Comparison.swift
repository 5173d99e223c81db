// What the pixels say about one capture and its reference. What a run concludes from it is the
// business of Verdict.

/// A rectangle of pixels, inclusive of its first and exclusive of its last row and column.
package struct PixelBox: Hashable, Sendable, Codable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// The window of `VisibleLimits.window` pixels that holds most counted pixels.
package struct WorstWindow: Hashable, Sendable, Codable {
    /// Counted pixels in the window, at least 1.
    package var counted: Int
    /// The window within the picture; the first in reading order of those that hold as many.
    package var box: PixelBox

    package init(counted: Int, box: PixelBox) {
        self.counted = counted
        self.box = box
    }
}

/// Why a verdict is not the framework's own.
package enum ComparisonCaveat: String, Hashable, Sendable, Codable {
    /// The framework's formula is not public and was imitated.
    case approximate
}

/// What was measured over two decoded pictures.
package struct PixelDifference: Hashable, Sendable, Codable {
    /// Pixels of the reference.
    package var reference: PixelSize
    /// Pixels of the capture.
    package var capture: PixelSize
    /// Pixels that differ at all (any channel, straight RGBA); where sizes differ, the pictures
    /// are aligned first, and every pixel outside the common area counts.
    package var differing: Int
    /// Pixels that differ under the policy's own arithmetic; bytes under `point-free` without
    /// `perceptualPrecision`.
    package var counted: Int
    /// Largest difference of any channel, 0…255.
    package var largestDelta: Int
    /// Boxes around the changed regions, the largest first; at most `FarmLimits.clustersMax`, none
    /// before the difference was explained.
    package var clusters: [PixelBox]
    /// Where most counted pixels lie together; nil under policies that do not look.
    package var worst: WorstWindow?
    /// What a reader must know before trusting the verdict; nil where there is nothing.
    package var caveat: ComparisonCaveat?
    /// What changed, where somebody asked for it; explaining is no part of a verdict.
    package var explanation: Explanation?

    package init(
        reference: PixelSize,
        capture: PixelSize,
        differing: Int,
        counted: Int,
        largestDelta: Int,
        clusters: [PixelBox],
        worst: WorstWindow? = nil,
        caveat: ComparisonCaveat? = nil,
        explanation: Explanation? = nil
    ) {
        self.reference = reference
        self.capture = capture
        self.differing = differing
        self.counted = counted
        self.largestDelta = largestDelta
        self.clusters = clusters
        self.worst = worst
        self.caveat = caveat
        self.explanation = explanation
    }

    /// The same difference, explained; its boxes become those of the explained regions.
    package func explained(by explanation: Explanation) -> PixelDifference {
        var copy = self
        copy.explanation = explanation
        copy.clusters = explanation.regions.map(\.box)
        return copy
    }

    /// Differing pixels over the pixels of the larger picture, 0…1.
    package var share: Double {
        let pixels = max(
            reference.width * reference.height,
            capture.width * capture.height
        )
        return pixels == 0 ? 0 : Double(differing) / Double(pixels)
    }
}

/// The result of one comparison, from the cheapest proof to the dearest.
package enum Comparison: Hashable, Sendable, Codable {
    /// The files are the same bytes; nothing was decoded.
    case identicalBytes
    /// Other bytes, same pixels.
    case identicalPixels
    /// Other bytes, same samples, but these tags say otherwise how samples become colours: names of
    /// PNG chunks among cHRM, gAMA, iCCP, sRGB and cICP.
    case differentTags([String])
    /// The pixels differ, but the policy allows it.
    case withinTolerance(PixelDifference)
    /// The pixels differ by more than the policy allows, or the sizes differ.
    case different(PixelDifference)

    /// Whether the pictures match under the policy.
    package var matches: Bool {
        if case .different = self { false } else { true }
    }

    /// Whether both pictures had to be decoded.
    package var decoded: Bool { self != .identicalBytes }

    package var difference: PixelDifference? {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags: nil
        case .withinTolerance(let difference), .different(let difference): difference
        }
    }

    /// The same result; of pictures that differ, with what changed.
    package func explained(by explanation: Explanation) -> Comparison {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags: self
        case .withinTolerance(let difference):
            .withinTolerance(difference.explained(by: explanation))
        case .different(let difference): .different(difference.explained(by: explanation))
        }
    }
}
