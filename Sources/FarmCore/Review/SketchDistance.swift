// The distance of two sketches of one side. In 120 pictures of Chromium on six devices, the same
// text has parts that differ by at most 30 between 2x and 3x, by 4 between light and dark, and by
// over 170 in another language. At 1x, where letters are a few pixels high, the same text differs
// by up to 120. (The rules' limits are those at which no unintended change is hidden:
// IntruderTests.)

/// The distance between two sketches of one side of a change (before or after).
struct SketchDistance {
    /// The amount by which the distance after a change may exceed the distance before it.
    enum Tolerance {
        /// For the same pixels before, elsewhere on a screen: shapes may blend with their ground a
        /// little more or less.
        case samePixels
        /// For boxes of one size in pixels.
        case oneSize
        /// For boxes of different sizes in pixels: their pictures have different scales, or one box
        /// was rounded to pixels in different ways.
        case otherSize
    }

    private let one: RegionSketch.Side
    private let other: RegionSketch.Side
    /// The largest distance between two tiles at one place of the sketches, 0…255.
    private let largest: Int
    /// The mean distance of all tiles, in sixteenths.
    private let mean: Int

    init(_ one: RegionSketch.Side, _ other: RegionSketch.Side) {
        self.one = one
        self.other = other
        var largest = 0
        var sum = 0
        for (a, b) in zip(one.parts, other.parts) {
            let distance = abs(Int(a) - Int(b))
            largest = max(largest, distance)
            sum += distance
        }
        self.largest = largest
        mean = one.parts.isEmpty ? 0 : sum * 16 / one.parts.count
    }

    /// Whether both sketches show the same shapes.
    var isOneContent: Bool { largest <= 120 && mean <= 16 * 16 }

    /// Whether the shapes differ by no more than in `before`, within the tolerance.
    func isWithin(_ tolerance: Tolerance, of before: SketchDistance) -> Bool {
        switch tolerance {
        case .samePixels: largest <= 4 && mean <= 16
        case .oneSize: largest <= before.largest + 6 && mean <= before.mean + 2 * 16
        case .otherSize: largest <= before.largest + 40 && mean <= before.mean + 8 * 16
        }
    }

    /// Whether both sketches have the same colours.
    var isOneAppearance: Bool {
        Self.distance(one.ground, other.ground) <= 8 && Self.distance(one.ink, other.ink) <= 32
    }

    /// Whether both sketches have the same hues, as in two appearances: blue does not become red in
    /// the dark.
    var isOneHue: Bool {
        Self.isOneHue(one.ground, other.ground) && Self.isOneHue(one.ink, other.ink)
            || Self.isOneHue(one.mean, other.mean)
    }

    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// Whether two colours have the same hue: compares the angles of their distances from grey;
    /// greys have no hue.
    private static func isOneHue(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (a, b) = (chroma(one), chroma(other))
        let lengths = (a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y)
        guard min(lengths.0, lengths.1) > 24 * 24 else { return true }
        let product = a.x * b.x + a.y * b.y
        // The angle is less than 45°.
        return product > 0 && 2 * product * product >= lengths.0 * lengths.1
    }

    /// Returns the colour's blue and red relative to its luma, roughly.
    private static func chroma(_ colour: [UInt8]) -> (x: Int, y: Int) {
        guard colour.count >= 3 else { return (0, 0) }
        let (red, green, blue) = (Int(colour[0]), Int(colour[1]), Int(colour[2]))
        let luma = (3 * red + 6 * green + blue) / 10
        return (blue - luma, red - luma)
    }
}
