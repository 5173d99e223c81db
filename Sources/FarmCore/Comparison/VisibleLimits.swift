// The limits of the policy `visible`. Two must hold: one on the changed pixels of the whole
// picture, and one on those in any small window, because a changed icon is a small share of a large
// screen.

/// The differences that `visible` tolerates; by default, none that a person could point at.
///
/// A pixel counts if a channel differs by more than `noise` and the difference is not anti-aliasing
/// of the same shape. A translucent pixel is compared twice, as it is stored and multiplied by
/// alpha, and the smaller difference counts: the colour of a transparent pixel is invisible. The
/// comparison fails if the share of counted pixels is over `share`, or if any window of `window` ×
/// `window` pixels holds more than `cluster` of them.
package struct VisibleLimits: Hashable, Sendable, Codable {
    /// Whether pixels count that differ only in the anti-aliasing of an edge.
    package enum AntiAliasing: String, Hashable, Sendable, Codable, CaseIterable {
        /// Such pixels do not count. farm_shape.c defines an edge, and how little of it may move.
        ///
        /// Once a 64th of the picture has changed for other reasons, the search for anti-aliasing
        /// stops, and all pixels of the rows below count.
        case ignored
        /// Such pixels count like all others.
        case counted
    }

    /// The side length of the sliding window in pixels: a small icon at scale 1, a letter at scale
    /// 3.
    package static let window = 16

    /// The largest difference of a channel that never counts, 0…255; 1 by default.
    ///
    /// One step is the rounding error of the same blend on other hardware. Of the corpus' 141 real
    /// pairs that differ, 8 differ by one step: rims, edges of letters, and once all text, 194 that
    /// became 193. Two differ by two steps; one of these is a panel of 529 × 72 pixels in another
    /// colour. The limit holds for whole areas too: a translucent panel rounds to the same other
    /// step everywhere, and looks like a theme colour that moved by one. Set 0 to see such moves.
    /// With 0 every difference counts, also that of transparent pixels.
    package var noise: Int
    package var antiAliasing: AntiAliasing
    /// The largest share of all pixels that may count without making the pictures different, 0…1.
    package var share: Double
    /// The most counted pixels that any window may hold without making the pictures different; 8 by
    /// default.
    ///
    /// The limit only matters if `share` is raised for scattered noise: noise on 0.1 % of a picture
    /// puts some six pixels into its worst window, while the smallest change that a person draws, a
    /// dot of 3 × 3, has nine.
    package var cluster: Int

    package init(
        noise: Int = 1,
        antiAliasing: AntiAliasing = .ignored,
        share: Double = 0,
        cluster: Int = 8
    ) {
        self.noise = noise
        self.antiAliasing = antiAliasing
        self.share = share
        self.cluster = cluster
    }
}
