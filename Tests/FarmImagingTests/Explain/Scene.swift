// A drawing of rectangles in points, like an interface, that can be painted at any device scale.
import FarmCore
import FarmTesting

@testable import FarmImaging

struct Scene {
    struct Shape {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
        var colour: [UInt8]
    }

    static let grey: [UInt8] = [120, 120, 120, 255]
    static let red: [UInt8] = [200, 30, 30, 255]
    static let blue: [UInt8] = [20, 60, 200, 255]

    var width: Int
    var height: Int
    var ground = Pictures.white
    var shapes: [Shape] = []

    func box(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ colour: [UInt8] = blue) -> Scene {
        var copy = self
        let shape = Shape(x: x, y: y, width: width, height: height, colour: colour)
        copy.shapes.append(shape)
        return copy
    }

    /// Adds letters 6 points wide and 10 high, 2 points apart; `seed` decides their shapes.
    func text(
        _ x: Int,
        _ y: Int,
        letters: Int,
        seed: UInt64,
        _ colour: [UInt8] = Pictures.black
    ) -> Scene {
        var copy = self
        var random = SeededGenerator(seed: seed)
        for letter in 0..<letters {
            for cell in 0..<15 where cell < 5 || random.next() % 2 == 0 {
                // The first column is a stem, so that no letter is empty.
                let place = (x: x + letter * 8 + cell / 5 * 2, y: y + cell % 5 * 2)
                copy = copy.box(place.x, place.y, 2, 2, colour)
            }
        }
        return copy
    }

    /// Adds an icon without symmetry.
    func icon(_ x: Int, _ y: Int, _ colour: [UInt8] = blue) -> Scene {
        box(x, y, 24, 24, colour).box(x + 3, y + 4, 7, 5, ground).box(x + 12, y + 9, 4, 11, ground)
    }

    /// Moves everything from `row` on down by `by` points.
    func moved(from row: Int, by: Int) -> Scene {
        var copy = self
        for index in copy.shapes.indices where copy.shapes[index].y >= row {
            copy.shapes[index].y += by
        }
        return copy
    }

    func sized(_ width: Int, _ height: Int) -> Scene {
        var copy = self
        copy.width = width
        copy.height = height
        return copy
    }

    func painted(scale: Int = 1) -> Bitmap {
        let size = PixelSize(width: width * scale, height: height * scale)
        var pixels = [UInt8]()
        pixels.reserveCapacity(size.width * size.height * 4)
        let row = [[UInt8]](repeating: ground, count: size.width).flatMap(\.self)
        for _ in 0..<size.height { pixels += row }
        for shape in shapes {
            let left = min(max(shape.x * scale, 0), size.width)
            let right = min(max((shape.x + shape.width) * scale, 0), size.width)
            let line = [[UInt8]](repeating: shape.colour, count: right - left).flatMap(\.self)
            for y in shape.y * scale..<(shape.y + shape.height) * scale
            where (0..<size.height).contains(y) {
                let start = (y * size.width + left) * 4
                pixels.replaceSubrange(start..<start + line.count, with: line)
            }
        }
        return Bitmap(size: size, pixels: pixels)
    }
}

extension Scene {
    /// Returns a list of text rows with icons, 44 points high.
    static func list(rows: Int, width: Int = 200, height: Int = 320) -> Scene {
        var scene = Scene(width: width, height: height)
        for row in 0..<rows {
            let y = 10 + row * 44
            scene = scene.icon(8, y, row % 2 == 0 ? blue : red)
                .text(44, y + 6, letters: 8 + row % 5, seed: UInt64(row))
                .box(0, y + 33, width, 1, grey)
        }
        return scene
    }

    func explained(to capture: Scene, scale: Int = 1) -> Explanation {
        Explainer.explain(
            reference: painted(scale: scale),
            capture: capture.painted(scale: scale)
        )
    }
}
