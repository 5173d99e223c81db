// A picture as sixels, the graphics of DEC's terminals: in bands of six rows, one line of characters
// for each colour of the band.
import FarmCore
import FarmImaging

/// The text that draws a picture in a terminal with sixels.
///
/// Such a terminal has 256 colours. A picture with more loses the lowest bits of its samples until
/// its colours fit. Transparent pixels are not drawn.
struct SixelPicture {
    let text: String

    private static let coloursMax = 256
    private static let bandRows = 6
    /// The first of the characters that stand for six pixels of a column.
    private static let first = UInt8(ascii: "?")
    /// The shortest repetition that is shorter as a count and a character.
    private static let repetitionMin = 4
    private static let opaqueMin: UInt8 = 128

    init(_ picture: Bitmap) {
        let size = picture.size
        let pixels = picture.pixels
        let bits = (1...8).last { Self.colours(of: pixels, bits: $0).count <= Self.coloursMax } ?? 1
        let colours = Self.colours(of: pixels, bits: bits).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: zip(colours, colours.indices))
        var bytes = Array("\u{1B}P0;1;0q\"1;1;\(size.width);\(size.height)".utf8)
        for (number, colour) in colours.enumerated() {
            bytes += "#\(number);2;\(Self.percents(of: colour, bits: bits))".utf8
        }
        for top in stride(from: 0, to: size.height, by: Self.bandRows) {
            var lines: [Int: [UInt8]] = [:]
            for y in top..<min(top + Self.bandRows, size.height) {
                for x in 0..<size.width {
                    let place = (y * size.width + x) * 4
                    guard let colour = Self.colour(of: pixels[place..<place + 4], bits: bits),
                        let number = numbers[colour]
                    else { continue }
                    lines[number, default: [UInt8](repeating: 0, count: size.width)][x] |=
                        1 << UInt8(y - top)
                }
            }
            let drawn = lines.sorted { $0.key < $1.key }.map { number, line in
                Array("#\(number)".utf8) + Self.shortened(line)
            }
            bytes += drawn.joined(separator: [UInt8(ascii: "$")]) + [UInt8(ascii: "-")]
        }
        text = String(decoding: bytes, as: UTF8.self) + "\u{1B}\\"
    }

    private static func colours(of pixels: [UInt8], bits: Int) -> Set<UInt32> {
        var colours: Set<UInt32> = []
        for place in stride(from: 0, to: pixels.count, by: 4) {
            guard let colour = colour(of: pixels[place..<place + 4], bits: bits) else { continue }
            colours.insert(colour)
            if colours.count > coloursMax { break }
        }
        return colours
    }

    /// Returns the highest bits of red, green and blue in one number; `nil` for a transparent pixel.
    private static func colour(of pixel: ArraySlice<UInt8>, bits: Int) -> UInt32? {
        guard let alpha = pixel.last, alpha >= opaqueMin else { return nil }
        return pixel.dropLast().reduce(0) { $0 << 8 | UInt32($1 >> (8 - bits)) }
    }

    private static func percents(of colour: UInt32, bits: Int) -> String {
        let most = (UInt32(1) << UInt32(bits)) - 1
        return [16, 8, 0].map { shift in
            String(((colour >> shift & 0xFF) * 100 + most / 2) / most)
        }.joined(separator: ";")
    }

    /// Returns the characters of a line; a repetition is a count and one character: `!12~`.
    private static func shortened(_ line: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var start = 0
        while start < line.count {
            let end = line[start...].firstIndex { $0 != line[start] } ?? line.count
            let character = first + line[start]
            text +=
                end - start < repetitionMin
                ? [UInt8](repeating: character, count: end - start)
                : Array("!\(end - start)".utf8) + [character]
            start = end
        }
        return text
    }
}
