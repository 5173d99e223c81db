import FarmCore
import Foundation
import Testing

@testable import FarmImaging

@Suite("masked pictures")
struct MaskedPictureTests {
    @Test("what is in a box is grey, and all else as it was; a box may lead out of the picture")
    func painted() throws {
        let size = PixelSize(width: 5, height: 4)
        let samples = (0..<80).map { UInt8($0) }
        let file = Data(try PNGEncoder.encode(Bitmap(size: size, pixels: samples)))
        let boxes = [
            PixelBox(x: 1, y: 1, width: 2, height: 2), PixelBox(x: 4, y: -3, width: 9, height: 4),
            PixelBox(x: 9, y: 9, width: 3, height: 3),
        ]
        let made = try PNGDecoder.decode(try MaskedPicture.painted(file, boxes)).pixels
        for y in 0..<4 {
            for x in 0..<5 {
                let isCovered = (1..<3).contains(x) && (1..<3).contains(y) || x == 4 && y == 0
                let start = (y * 5 + x) * 4
                let expected =
                    isCovered ? [0x7F, 0x7F, 0x7F, 0xFF] : Array(samples[start..<start + 4])
                #expect(Array(made[start..<start + 4]) == expected, "\(x),\(y)")
            }
        }
    }
}
