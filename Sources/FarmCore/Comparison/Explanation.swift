// What changed between two pictures, beyond the counts: which regions, and what became of each.
// Explained for people; no verdict depends on it.
//
// Invariants
//   - Coordinates are the diff picture's, which are the capture's unless rows or columns vanished.
//   - Regions are sorted by their changed pixels, the most first; at most
//     `FarmLimits.clustersMax` of `regionCount` are listed.

/// Regions of a difference and what they are.
package struct Explanation: Hashable, Sendable, Codable {
    /// What became of a region; the rule of each is in FarmImaging's KindRules.
    package enum Kind: Hashable, Sendable {
        /// The reference shows only its background there.
        case appeared
        /// The capture shows only its background there.
        case vanished
        /// The same content, so many pixels to the right and down.
        case moved(dx: Int, dy: Int)
        /// The same shapes in other colours.
        case recoloured
        /// Lines of small shapes on one background before and after, so probably text.
        case text
        /// Nothing but anti-aliasing of the same shapes.
        case antiAliasing
        /// Rows or columns that the reference lacks, or a flat shape's edge that moved outwards.
        case grew
        /// Rows or columns that the capture lacks, or a flat shape's edge that moved inwards.
        case shrank
        /// None of the others for certain.
        case changed
    }

    /// One region.
    package struct Region: Hashable, Sendable {
        /// The smallest box around its changed pixels.
        package var box: PixelBox
        /// Changed and anti-aliased pixels.
        package var pixels: Int
        package var kind: Kind
        /// How it looks before and after; nil where nobody looked.
        package var sketch: RegionSketch?

        package init(box: PixelBox, pixels: Int, kind: Kind, sketch: RegionSketch? = nil) {
            self.box = box
            self.pixels = pixels
            self.kind = kind
            self.sketch = sketch
        }
    }

    /// A band of rows of the reference that is found elsewhere in the capture as a whole.
    package struct BandMove: Hashable, Sendable, Codable {
        /// The first of its rows in the reference.
        package var from: Int
        package var rows: Int
        /// Pixels downwards; negative for upwards.
        package var by: Int

        package init(from: Int, rows: Int, by: Int) {
            self.from = from
            self.rows = rows
            self.by = by
        }
    }

    package var regions: [Region]
    /// All regions, also those that are not listed.
    package var regionCount: Int
    /// Where rows of equally large pictures moved together; their region is `moved`.
    package var bandMove: BandMove?
    /// Only of pictures of different sizes.
    package var alignment: PictureAlignment?
    /// Pixels that differ by no more than the noise floor.
    package var noise: Int
    package var antiAliased: Int
    package var changed: Int
    /// 12 hex digits that are the same for the same change on another device scale.
    ///
    /// Empty where nothing can be said. What it is made of stands at
    /// `Explanation.fingerprint(of:alignment:canvas:)`.
    package var fingerprint: String

    package init(
        regions: [Region],
        regionCount: Int,
        bandMove: BandMove? = nil,
        alignment: PictureAlignment? = nil,
        noise: Int = 0,
        antiAliased: Int = 0,
        changed: Int = 0,
        fingerprint: String = ""
    ) {
        self.regions = regions
        self.regionCount = regionCount
        self.bandMove = bandMove
        self.alignment = alignment
        self.noise = noise
        self.antiAliased = antiAliased
        self.changed = changed
        self.fingerprint = fingerprint
    }

    /// The same without what only a run's changes need.
    package var withoutSketches: Explanation {
        var copy = self
        for place in copy.regions.indices { copy.regions[place].sketch = nil }
        return copy
    }
}

extension Explanation.Kind {
    /// The word for the kind in JSON.
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

    /// The kind of a name; nil for an unknown one.
    fileprivate init?(name: String, dx: Int?, dy: Int?) {
        if name == "moved", let dx, let dy {
            self = .moved(dx: dx, dy: dy)
            return
        }
        guard let kind = Self.plain.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}

/// Flat, for other tools: `{"box": {…}, "pixels": 12, "kind": "moved", "dx": 0, "dy": 4}`.
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
        // A kind of a later version is a change that this one cannot name.
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
