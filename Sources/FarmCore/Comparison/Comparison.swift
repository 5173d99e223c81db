// The result of comparing the pixels of a capture with those of its reference. `Verdict` says what
// a run concludes from it.

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

/// The window of `VisibleLimits.window` pixels a side that holds the most counted pixels.
package struct WorstWindow: Hashable, Sendable, Codable {
    /// The number of pixels in the window that the policy counts as different, at least 1.
    package var counted: Int
    /// The window's box in the picture; of several windows with equal counts, the first in reading
    /// order.
    package var box: PixelBox

    package init(counted: Int, box: PixelBox) {
        self.counted = counted
        self.box = box
    }
}

/// A reason why snapfarm's result may differ from that of the framework whose policy it imitates.
package enum ComparisonCaveat: String, Hashable, Sendable, Codable {
    /// The framework's formula is not public; snapfarm imitates it.
    case approximate
}

/// The measured difference of two decoded pictures.
package struct PixelDifference: Hashable, Sendable, Codable {
    /// The reference's size in pixels.
    package var reference: PixelSize
    /// The capture's size in pixels.
    package var capture: PixelSize
    /// The number of pixels that differ between the two pictures in any channel (straight RGBA).
    ///
    /// If the sizes differ, the pictures are aligned first, and every pixel outside the common area
    /// counts.
    package var differing: Int
    /// The number of pixels that differ by the policy's own arithmetic; under `point-free` without
    /// `perceptualPrecision`, the number of bytes.
    package var counted: Int
    /// The largest difference of any channel of any pixel, 0…255.
    package var largestDelta: Int
    /// Boxes around the changed regions, the largest first; at most `FarmLimits.clustersMax`.
    ///
    /// Empty until the difference is explained.
    package var clusters: [PixelBox]
    /// The window with the most counted pixels, or `nil` if the policy has no window.
    package var worst: WorstWindow?
    /// A warning about how reliable the result is, or `nil` if there is none.
    package var caveat: ComparisonCaveat?
    /// A description of the change, or `nil` if the caller asked for none.
    ///
    /// No verdict depends on it.
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

    /// Returns the difference with an explanation; the explained regions' boxes replace `clusters`.
    package func explained(by explanation: Explanation) -> PixelDifference {
        var copy = self
        copy.explanation = explanation
        copy.clusters = explanation.regions.map(\.box)
        return copy
    }

    /// The number of differing pixels divided by the larger picture's pixels, 0…1.
    package var share: Double {
        let pixels = max(
            reference.width * reference.height,
            capture.width * capture.height
        )
        return pixels == 0 ? 0 : Double(differing) / Double(pixels)
    }
}

/// The result of a comparison; cases are in the order of the effort they take to prove.
package enum Comparison: Hashable, Sendable, Codable {
    /// The files are the same bytes; nothing was decoded.
    case identicalBytes
    /// The files differ, but their pixels are equal.
    case identicalPixels
    /// The files differ and their samples are equal, but these PNG tags give the samples other
    /// colours.
    ///
    /// The tags are PNG chunk names among cHRM, gAMA, iCCP, sRGB and cICP.
    case differentTags([String])
    /// The pixels differ, but the policy allows it.
    case withinTolerance(PixelDifference)
    /// The pixels differ by more than the policy allows, or the sizes differ.
    case different(PixelDifference)
    /// The files are texts that differ, but not in what their rule compares.
    case equalTexts
    case differentText(TextDifference)

    /// Whether capture and reference are equal enough for the policy.
    package var matches: Bool {
        switch self {
        case .different, .differentText: false
        default: true
        }
    }

    /// Whether both files had to be read.
    package var decoded: Bool { self != .identicalBytes }

    package var difference: PixelDifference? {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags, .equalTexts, .differentText: nil
        case .withinTolerance(let difference), .different(let difference): difference
        }
    }

    /// The difference of two texts, or `nil` if they are equal or pictures.
    package var text: TextDifference? {
        if case .differentText(let difference) = self { difference } else { nil }
    }

    /// Returns the comparison with an explanation of its difference, or unchanged if it has no
    /// difference.
    package func explained(by explanation: Explanation) -> Comparison {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags, .equalTexts, .differentText: self
        case .withinTolerance(let difference):
            .withinTolerance(difference.explained(by: explanation))
        case .different(let difference): .different(difference.explained(by: explanation))
        }
    }
}
