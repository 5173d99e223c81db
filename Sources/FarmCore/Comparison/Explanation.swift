// A description of the changes between two pictures, beyond counts: the changed regions and the
// kind of each change. It is made for people; no verdict depends on it.
//
// Invariants
//   - Coordinates are those of the diff picture, which are those of the capture unless rows or
//     columns vanished.
//   - Regions are sorted by their changed pixels, the most first; at most `FarmLimits.clustersMax`
//     of `regionCount` are listed.

/// The regions of a difference, each with the kind of its change.
package struct Explanation: Hashable, Sendable, Codable {
    /// The kind of a region's change; FarmImaging's KindRules has the rules.
    package enum Kind: Hashable, Sendable {
        /// Content that is new: where it is, the reference shows only background.
        case appeared
        /// Content that is gone: where it was, the capture shows only background.
        case vanished
        /// The same content, moved by `dx` pixels to the right and `dy` pixels down.
        case moved(dx: Int, dy: Int)
        /// Shapes that stay the same, in other colours.
        case recoloured
        /// Lines of small shapes on one background, before and after: probably text.
        case text
        /// The same shapes, with only their anti-aliasing changed.
        case antiAliasing
        /// Rows or columns that the reference lacks, or a flat shape's edge that moved outwards.
        case grew
        /// Rows or columns that the capture lacks, or a flat shape's edge that moved inwards.
        case shrank
        /// A change that no other kind describes with certainty.
        case changed
    }

    /// A changed region of the picture.
    package struct Region: Hashable, Sendable {
        /// The smallest box around the region's changed pixels.
        package var box: PixelBox
        /// The number of changed and anti-aliased pixels in the region.
        package var pixels: Int
        package var kind: Kind
        /// The region's look before and after, or `nil` if it was not sketched.
        package var sketch: RegionSketch?

        package init(box: PixelBox, pixels: Int, kind: Kind, sketch: RegionSketch? = nil) {
            self.box = box
            self.pixels = pixels
            self.kind = kind
            self.sketch = sketch
        }
    }

    /// A band of rows of the reference that is found as a whole elsewhere in the capture.
    package struct BandMove: Hashable, Sendable, Codable {
        /// The band's first row in the reference.
        package var from: Int
        package var rows: Int
        /// The number of pixels that the band moved down; negative if it moved up.
        package var by: Int

        package init(from: Int, rows: Int, by: Int) {
            self.from = from
            self.rows = rows
            self.by = by
        }
    }

    package var regions: [Region]
    /// The number of all changed regions, including those that `regions` does not list.
    package var regionCount: Int
    /// The band of rows that moved together, or `nil` if there is none; only for pictures of equal
    /// sizes.
    ///
    /// Its region has the kind `moved`.
    package var bandMove: BandMove?
    /// The alignment of the two pictures if their sizes differ; `nil` for equal sizes.
    package var alignment: PictureAlignment?
    /// The number of pixels that differ by so little that they count as noise.
    package var noise: Int
    package var antiAliased: Int
    package var changed: Int
    /// A short name of the change, 12 hex digits: the same for the same change at another device
    /// scale, and empty if the change has no fingerprint.
    ///
    /// `Explanation.fingerprint(of:alignment:canvas:)` makes the digits.
    package var fingerprint: String
    /// The shifts, the recolourings and the other regions, or `nil` if nothing moved as a whole or
    /// was recoloured: then `regions` are all parts.
    package var parts: Parts?
    /// The changes of the elements in the changed regions; empty if the elements are equal, `nil` if
    /// nothing is known about them.
    package var elements: [ElementChange]?

    package init(
        regions: [Region],
        regionCount: Int,
        bandMove: BandMove? = nil,
        alignment: PictureAlignment? = nil,
        noise: Int = 0,
        antiAliased: Int = 0,
        changed: Int = 0,
        fingerprint: String = "",
        parts: Parts? = nil,
        elements: [ElementChange]? = nil
    ) {
        self.regions = regions
        self.regionCount = regionCount
        self.bandMove = bandMove
        self.alignment = alignment
        self.noise = noise
        self.antiAliased = antiAliased
        self.changed = changed
        self.fingerprint = fingerprint
        self.parts = parts
        self.elements = elements
    }

    /// The explanation without sketches and parts, which only the grouping of pictures needs.
    package var withoutSketches: Explanation {
        var copy = self
        copy.parts = nil
        for place in copy.regions.indices { copy.regions[place].sketch = nil }
        return copy
    }
}

extension Explanation.Kind {
    /// The kind's word in JSON.
    package var name: String {
        switch self {
        case .appeared: "appeared"
        case .vanished: "vanished"
        case .moved: "moved"
        case .recoloured: "recoloured"
        case .text: "text"
        case .antiAliasing: "anti-aliasing"
        case .grew: "grew"
        case .shrank: "shrank"
        case .changed: "changed"
        }
    }

    private static let plain: [Self] = [
        .appeared, .vanished, .recoloured, .text, .antiAliasing, .grew, .shrank, .changed,
    ]

    /// Makes the kind of this name, or `nil` if the name is unknown.
    fileprivate init?(name: String, dx: Int?, dy: Int?) {
        if name == "moved", let dx, let dy {
            self = .moved(dx: dx, dy: dy)
            return
        }
        guard let kind = Self.plain.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}

/// A region as a flat object, for other tools: `{"box": {…}, "pixels": 12, "kind": "moved", "dx":
/// 0, "dy": 4}`.
extension Explanation.Region: Codable {
    private enum CodingKeys: String, CodingKey {
        case box, pixels, kind, dx, dy, sketch
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        box = try container.decode(PixelBox.self, forKey: .box)
        pixels = try container.decode(Int.self, forKey: .pixels)
        let name = try container.decode(String.self, forKey: .kind)
        let dx = try container.decodeIfPresent(Int.self, forKey: .dx)
        let dy = try container.decodeIfPresent(Int.self, forKey: .dy)
        // A kind that a later version added is read as `changed`.
        kind = Explanation.Kind(name: name, dx: dx, dy: dy) ?? .changed
        sketch = try container.decodeIfPresent(RegionSketch.self, forKey: .sketch)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(box, forKey: .box)
        try container.encode(pixels, forKey: .pixels)
        try container.encode(kind.name, forKey: .kind)
        if case .moved(let dx, let dy) = kind {
            try container.encode(dx, forKey: .dx)
            try container.encode(dy, forKey: .dy)
        }
        try container.encodeIfPresent(sketch, forKey: .sketch)
    }
}
