// Pages of text lines, cards, lists and gaps, stacked like an interface, for changes that move
// something.
import FarmCore
import FarmTesting

@testable import FarmImaging

/// One part of a page, as wide as the page.
struct PageBlock: Equatable {
    enum Look: Equatable {
        case gap, text, card, icon, line
    }
    var look: Look
    var height: Int
    /// Blocks of the same look, height and seed are equal in every pixel.
    var seed: UInt64

    static func gap(_ height: Int) -> PageBlock {
        PageBlock(look: .gap, height: height, seed: 0)
    }
}

/// A stack of blocks on a white ground; the part that does not fit is cut off at the bottom.
struct MovedPage {
    static let width = 160
    var height = 480
    var blocks: [PageBlock]

    func painted() -> Bitmap {
        var canvas = PageCanvas(width: Self.width, height: height)
        var y = 0
        for block in blocks {
            canvas.draw(block, at: y)
            y += block.height
        }
        return canvas.bitmap
    }
}

/// Rectangles on white; every grey is opaque.
struct PageCanvas {
    let width: Int
    let height: Int
    private var greys: [UInt8]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        greys = [UInt8](repeating: 255, count: width * height)
    }

    var bitmap: Bitmap {
        var pixels = [UInt8](repeating: 255, count: greys.count * 4)
        for (place, grey) in greys.enumerated() where grey != 255 {
            pixels[place * 4] = grey
            pixels[place * 4 + 1] = grey
            pixels[place * 4 + 2] = grey
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels)
    }

    mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ grey: UInt8) {
        for row in max(y, 0)..<max(min(y + height, self.height), max(y, 0)) {
            for column in x..<min(x + width, self.width) {
                greys[row * self.width + column] = grey
            }
        }
    }

    mutating func draw(_ block: PageBlock, at y: Int) {
        var random = SeededGenerator(seed: block.seed)
        switch block.look {
        case .gap: break
        case .line: fill(0, y, width, 1, 200)
        case .text: draw(letters: Int.random(in: 4...14, using: &random), 8, y + 2, &random)
        case .card:
            fill(6, y, width - 12, block.height, 180)
            fill(7, y + 1, width - 14, block.height - 2, 240)
            draw(letters: Int.random(in: 3...9, using: &random), 44, y + 8, &random)
            icon(12, y + 6, &random)
        case .icon:
            icon(8, y + 4, &random)
            draw(letters: Int.random(in: 3...10, using: &random), 40, y + 10, &random)
        }
    }

    private mutating func icon(_ x: Int, _ y: Int, _ random: inout SeededGenerator) {
        fill(x, y, 20, 20, UInt8.random(in: 30...140, using: &random))
        for _ in 0..<4 {
            let place = (
                Int.random(in: 2...14, using: &random), Int.random(in: 2...14, using: &random)
            )
            fill(x + place.0, y + place.1, 4, 4, 255)
        }
    }

    /// Draws letters 6 pixels wide and 10 high in a grid of 3 × 5, each with a stem.
    private mutating func draw(
        letters: Int,
        _ x: Int,
        _ y: Int,
        _ random: inout SeededGenerator
    ) {
        for letter in 0..<letters {
            let bits = random.next()
            for cell in 0..<15 where cell < 5 || bits >> UInt64(cell) & 1 == 1 {
                fill(x + letter * 8 + cell / 5 * 2, y + cell % 5 * 2, 2, 2, 20)
            }
        }
    }
}
