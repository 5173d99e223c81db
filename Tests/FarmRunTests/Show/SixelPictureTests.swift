import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmImaging
@testable import FarmRun

@Suite("A picture as sixels")
struct SixelPictureTests {
    /// The screen of a terminal: red, green and blue in percent of each drawn pixel.
    private struct Screen {
        var size = PixelSize(width: 0, height: 0)
        var registers: [Int: [Int]] = [:]
        var pixels: [Int: [Int]] = [:]

        /// Draws as a terminal does; `nil` if the text has what is no sixel.
        init?(_ text: String) {
            guard let body = text.wholeMatch(of: /\x1bP0;1;0q([^\x1b]*)\x1b\\/)?.1,
                let head = body.prefixMatch(of: /"1;1;([0-9]+);([0-9]+)/),
                let width = Int(head.1), let height = Int(head.2)
            else { return nil }
            size = PixelSize(width: width, height: height)
            var rest = body[head.range.upperBound...]
            var (x, top, colour) = (0, 0, -1)
            while !rest.isEmpty {
                if let found = rest.prefixMatch(of: /#([0-9]+);2;([0-9]+);([0-9]+);([0-9]+)/) {
                    registers[Int(found.1) ?? -1] = [found.2, found.3, found.4].compactMap {
                        Int($0)
                    }
                    rest = rest[found.range.upperBound...]
                } else if let found = rest.prefixMatch(of: /#([0-9]+)/) {
                    colour = Int(found.1) ?? -1
                    rest = rest[found.range.upperBound...]
                } else if let found = rest.prefixMatch(of: /(?:!([0-9]+))?([?-~])/) {
                    let bits = (found.2.utf8.first ?? 63) - 63
                    for _ in 0..<(found.1.flatMap { Int($0) } ?? 1) {
                        for row in 0..<6 where bits >> row & 1 == 1 {
                            guard x < width, top + row < height else { return nil }
                            pixels[(top + row) * width + x] = registers[colour]
                        }
                        x += 1
                    }
                    rest = rest[found.range.upperBound...]
                } else {
                    guard let sign = rest.popFirst(), sign == "$" || sign == "-" else { return nil }
                    x = 0
                    if sign == "-" { top += 6 }
                }
            }
        }
    }

    @Test("is drawn as it is with up to 256 colours, and close to it with more")
    func drawn() throws {
        var random = SeededGenerator.announced()
        for colours in [1, 2, 255, 256, 257, 5_000] {
            let size = PixelSize(
                width: .random(in: 1...90, using: &random),
                height: .random(in: 1...60, using: &random)
            )
            let palette = (0..<colours).map { _ in
                (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
                    + [UInt8.random(in: 0...255, using: &random)]
            }
            let pixels = (0..<size.width * size.height).flatMap { _ in
                palette[Int.random(in: 0..<colours, using: &random)]
            }
            let text = SixelPicture(Bitmap(size: size, pixels: pixels)).text
            let screen = try #require(Screen(text))
            #expect(screen.size == size && screen.registers.count <= 256)
            for place in 0..<size.width * size.height {
                let pixel = pixels[place * 4..<place * 4 + 4]
                guard pixel.last ?? 0 >= 128 else {
                    #expect(screen.pixels[place] == nil)
                    continue
                }
                let drawn = try #require(screen.pixels[place])
                for (sample, percent) in zip(pixel, drawn) {
                    let off = abs(Double(sample) / 2.55 - Double(percent))
                    #expect(off <= (colours > 256 ? 35 : 0.51), "\(colours) colours, \(off)")
                }
            }
        }
    }
}
