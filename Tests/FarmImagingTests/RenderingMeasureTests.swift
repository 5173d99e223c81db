// Tests of the numbers that say how differently two pictures are drawn: against a slow definition of
// them, and on what a person sees.
import FarmCore
import FarmTesting
import Testing

@testable import FarmImaging

@Suite("How differently two pictures are drawn")
struct RenderingMeasureTests {
    private static func measure(
        _ one: Bitmap,
        _ other: Bitmap,
        ignoring: [PixelBox] = []
    ) -> RenderingMeasure? {
        ExaminedPair.differing(
            reference: one,
            capture: other,
            rows: DifferingRows(0..<one.height)
        ).rendering(ignoring: ignoring)
    }

    /// Returns the numbers by their definition, pixel by pixel.
    private static func defined(_ one: Bitmap, _ other: Bitmap) -> RenderingMeasure {
        let (width, height) = (one.width, one.height)
        let (a, b) = (one.pixels.map(Int.init), other.pixels.map(Int.init))
        func square(_ x: Int, _ y: Int, _ reach: Int) -> [Int] {
            (-reach...reach).flatMap { dy in
                (-reach...reach).map { dx in
                    let row = min(max(y + dy, 0), height - 1)
                    return 4 * (row * width + min(max(x + dx, 0), width - 1))
                }
            }
        }
        func contrast(_ places: [Int]) -> Int {
            let range =
                (0..<4).map { channel in
                    let values = places.flatMap { [a[$0 + channel], b[$0 + channel]] }
                    return (values.max() ?? 0) - (values.min() ?? 0)
                }.max() ?? 0
            return RenderingMeasure.contrasts.firstIndex { range < $0 } ?? 0
        }
        func sum(_ places: [Int]) -> Int {
            (0..<4).map { channel in
                abs(places.reduce(0) { $0 + b[$1 + channel] - a[$1 + channel] })
            }.max() ?? 0
        }
        var values = RenderingMeasure.zero.values
        for y in 0..<height {
            for x in 0..<width {
                for (index, side) in RenderingMeasure.sides.enumerated() {
                    let places = square(x, y, side / 2)
                    let near = side == 1 ? square(x, y, 2) : places
                    let place = index * RenderingMeasure.contrasts.count + contrast(near)
                    values[place] = max(values[place], sum(places))
                }
            }
        }
        return RenderingMeasure(values)
    }

    @Test("random pictures have the numbers of their definition, in both directions")
    func random() {
        var generator = SeededGenerator.announced()
        let sizes = [(1, 1), (1, 30), (31, 1), (4, 3), (2, 70), (70, 2), (25, 12)]
        for (width, height) in sizes {
            for _ in 0..<2 {
                let spread = [3, 40, 255].randomElement(using: &generator) ?? 3
                let one = Pictures.make(width, height) { _, _ in
                    (0..<4).map { _ in UInt8.random(in: 0...UInt8(spread), using: &generator) }
                }
                // Spots that lie apart are bands of their own.
                let spots = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    (
                        Int.random(in: 0..<width, using: &generator),
                        Int.random(in: 0..<height, using: &generator)
                    )
                }
                let other = Pictures.painted(one, [9, 200, 17, 255]) { x, y in
                    spots.contains { abs($0.0 - x) < 2 && abs($0.1 - y) < 3 }
                }
                let wanted = Self.defined(one, other)
                #expect(Self.measure(one, other) == wanted, "\(width)×\(height)")
                #expect(Self.measure(other, one) == wanted, "\(width)×\(height)")
            }
        }
    }

    @Test("equal pictures measure nothing; those of two sizes and of 16 bits are not measured")
    func unmeasured() {
        let picture = Pictures.gradient(20, 20)
        #expect(ExaminedPair.identicalBytes.rendering(ignoring: []) == .zero)
        #expect(Self.measure(picture, picture) == .zero)
        #expect(Self.measure(picture, Pictures.gradient(20, 21)) == nil)
        let size = PixelSize(width: 2, height: 1)
        let deep = Bitmap(
            size: size,
            pixels: [1, 2, 3, 4, 5, 6, 7, 8],
            lowBytes: Array(repeating: 0, count: 8)
        )
        #expect(Self.measure(deep, Pictures.flat(2, 1, Pictures.black)) == nil)
    }

    @Test("what is ignored in a comparison is not measured")
    func ignored() {
        let one = Pictures.flat(40, 40, Pictures.white)
        let other = Pictures.painted(one, Pictures.black) { x, y in x < 5 && y < 5 }
        #expect(Self.measure(one, other) != .zero)
        let box = PixelBox(x: 0, y: 0, width: 5, height: 5)
        #expect(Self.measure(one, other, ignoring: [box]) == .zero)
    }

    @Test(
        "what a person sees is never drawing, however differently the probes are drawn",
        arguments: ["dot", "line", "pixel", "ground", "colour", "gone"]
    )
    func visible(kind: String) throws {
        // Bars of the width of strokes, as text is.
        let page = Pictures.make(60, 40) { x, y in
            y >= 10 && y < 20 && x % 4 == 0 ? [40, 40, 40, 255] : Pictures.white
        }
        let changed =
            switch kind {
            case "dot":
                Pictures.painted(page, Pictures.black) {
                    (50...51).contains($0) && (30...31).contains($1)
                }
            case "line": Pictures.painted(page, [187, 187, 187, 255]) { x, y in y == 30 && x > 20 }
            case "pixel": Pictures.painted(page, [204, 0, 0, 255]) { $0 == 30 && $1 == 30 }
            case "ground": Pictures.painted(page, [252, 252, 252, 255]) { $0 > 30 && $1 > 24 }
            case "colour":
                Pictures.painted(page, [64, 64, 64, 255]) { x, y in
                    (10..<20).contains(y) && x % 4 == 0 && x > 20 && x < 50
                }
            default: Pictures.painted(page, Pictures.white) { x, y in x == 20 && y >= 14 }
            }
        let measure = try #require(Self.measure(page, changed))
        // Probes that changed as much as pictures can.
        let probes = RenderingMeasure(
            RenderingMeasure.sides.flatMap { side in
                RenderingMeasure.contrasts.map { _ in 255 * side * side }
            }
        )
        #expect(!measure.isDrawing(like: probes))
    }
}
