// The difference in drawing of two pictures, as numbers. Pictures whose content never changes show
// how far the numbers go if only the renderer is another one.

/// The measured difference in drawing of two pictures of one size.
///
/// Each number belongs to a class of local contrast: a black letter on white may change more than
/// a pale line. All are 0 for equal pictures.
package struct RenderingMeasure: Hashable, Sendable {
    /// The upper ends of the classes of contrast, in levels: the range of one channel near a place,
    /// in either picture.
    package static let contrasts = [4, 8, 16, 32, 64, 128, 256]
    /// The sides in pixels of the squares whose sums are compared; 1 stands for single pixels.
    package static let sides = [1, 5, 11, 21]
    /// The count of the numbers of a measure.
    package static let count = contrasts.count * sides.count
    /// The measure of equal pictures.
    package static let zero = RenderingMeasure(Array(repeating: 0, count: count))

    /// The largest difference of any channel, in the order of ``sides`` and then ``contrasts``;
    /// for a square, of the sums of all its pixels.
    package private(set) var values: [Int]

    package init(_ values: [Int]) { self.values = values }

    /// Takes the larger of each two numbers.
    package mutating func grow(to other: RenderingMeasure) {
        values = zip(values, other.values).map(max)
    }

    /// Whether this difference is one that the renderer may make, if pictures whose content is the
    /// same differ by `probes`.
    ///
    /// Numbers may be a quarter and half a level larger than the probes', which do not show every
    /// shape. No number may exceed ``most``, whatever the probes say.
    package func isDrawing(like probes: RenderingMeasure) -> Bool {
        values.indices.allSatisfy { place in
            let probe = probes.values[place]
            guard probe > 0 else { return values[place] == 0 }
            let side = Self.sides[place / Self.contrasts.count]
            let isNear = 4 * values[place] <= 5 * probe + 2 * side * side
            return isNear && values[place] <= Self.most[place]
        }
    }

    /// The largest numbers that can be drawing.
    ///
    /// Anything that a person sees exceeds one of them: a pixel that changed by nearly the whole
    /// contrast of its class, a dot or a line that came or went, a word in a colour that is 24 of
    /// 255 levels away. `Benchmarks/renderer` plants such changes.
    static let most: [Int] = zip(sides, limits).flatMap { (side, limit) -> [Int] in
        contrasts.map { max($0 * side * side * limit.thousandths / 1000, limit.least) }
    }

    /// The limit for each side: a part of a class's contrast, and the least of its sums.
    private static let limits: [(thousandths: Int, least: Int)] = [
        (450, 2), (90, 25), (25, 60), (12, 110),
    ]

    /// Whether two pictures can have these numbers.
    package var isOfPictures: Bool {
        values.count == Self.count
            && values.indices.allSatisfy { place in
                let side = Self.sides[place / Self.contrasts.count]
                return (0...255 * side * side).contains(values[place])
            }
    }
}

extension RenderingMeasure: Codable {
    package func encode(to encoder: any Encoder) throws {
        var list = encoder.singleValueContainer()
        try list.encode(values)
    }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([Int].self))
    }
}
