// The numbers of our own policy. Two gates stand behind each other: how many pixels changed at all,
// and how many in one small window, because a changed icon is a small share of a large screen.

/// What `visible` tolerates; the defaults tolerate nothing that a person could point at.
///
/// A pixel counts when a channel differs by more than `noise` and it is not anti-aliasing of the
/// same shape. A translucent pixel's channels are compared as they are stored and as they are
/// blended (multiplied by alpha), and the smaller difference counts: colours of transparent pixels
/// are not seen. The comparison fails when the share of counted pixels is over `share`, or when any
/// window of `window` × `window` pixels, at whatever place, holds more than `cluster` of them.
package struct VisibleLimits: Hashable, Sendable, Codable {
    /// Whether pixels count that only an edge's anti-aliasing moved.
    package enum AntiAliasing: String, Hashable, Sendable, Codable, CaseIterable {
        /// They do not count. What an edge is, and how little of it may move, stands in
        /// farm_shape.c. Below the row at which a 64th of the picture has changed for other
        /// reasons nobody looks for them any more, and they count.
        case ignored
        /// They count like all others.
        case counted
    }

    /// Edge of the sliding window in pixels: a small icon at scale 1, a letter at scale 3.
    package static let window = 16

    /// The largest difference of a channel that never counts, 0…255.
    ///
    /// One step is what rounding the same blend on other hardware makes. Of the corpus' 141 real
    /// pairs that differ, 8 differ by one step: rims, edges of letters, and once all text, 194
    /// that became 193. Of the two that differ by two, one is a panel of 529 × 72 pixels in
    /// another colour. So the default is 1. It holds for whole areas too: a translucent panel
    /// rounds to the same other step everywhere, and nothing tells that from a theme colour that
    /// moved by one; who must see such a move sets 0. A step of two is never excused. With 0 every
    /// difference counts, also that of transparent pixels.
    package var noise: Int
    package var antiAliasing: AntiAliasing
    /// The largest share of all pixels that may count, 0…1.
    package var share: Double
    /// The most counted pixels in any window.
    ///
    /// It only matters where `share` is raised for scattered noise: noise on 0.1 % of a picture
    /// puts some six pixels into its worst window, while the smallest change that a person draws,
    /// a dot of 3 × 3, has nine.
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
