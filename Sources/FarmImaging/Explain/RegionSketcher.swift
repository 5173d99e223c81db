// Draws the sketches of regions, by which pictures that changed alike are recognised.
import CFarmShims
import FarmCore

struct RegionSketcher {
    private let reference: Bitmap
    private let capture: Bitmap
    private let alignment: PictureAlignment
    private let classes: PixelClasses

    init(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment?,
        _ classes: PixelClasses
    ) {
        self.reference = reference
        self.capture = capture
        self.alignment = alignment ?? PictureAlignment()
        self.classes = classes
    }

    func sketch(_ region: Explanation.Region) -> RegionSketch {
        RegionSketch(
            before: side(1, region.box),
            after: side(2, region.box),
            odd: UInt8(min(odd(region), 255))
        )
    }

    private func odd(_ region: Explanation.Region) -> Int {
        let box = region.box.clamped
        return alignment.withPair(reference, capture) { pair in
            switch region.kind {
            case .recoloured: farm_region_broken(pair, classes.classes, [box])
            case .moved(let dx, let dy):
                farm_region_strangers(pair, [box], Int32(dx), Int32(dy))
            default: 0
            }
        }
    }

    private func side(_ side: Int32, _ box: PixelBox) -> RegionSketch.Side {
        var sums = [UInt32](repeating: 0, count: box.width + 1)
        var sketch = farm_sketch()
        alignment.withPair(reference, capture) {
            farm_region_sketch($0, classes.classes, [box.clamped], side, &sums, &sketch)
        }
        return RegionSketch.Side(
            ground: Self.bytes(sketch.ground),
            ink: Self.bytes(sketch.ink),
            mean: Self.bytes(sketch.mean),
            hash: Self.bytes(sketch.hash),
            parts: Self.bytes(sketch.parts)
        )
    }

    /// Returns the bytes of a C array, which Swift imports as a tuple.
    private static func bytes<Tuple>(_ tuple: Tuple) -> [UInt8] {
        withUnsafeBytes(of: tuple) { Array($0) }
    }
}
