// Paints over boxes of a picture before its digest is computed, so that no file that is kept or
// sent contains what was there.
import FarmCore
import Foundation

/// Paints over parts of pictures.
package enum MaskedPicture {
    /// The colour that is painted over boxes: opaque grey.
    private static let colour: [UInt8] = [0x7F, 0x7F, 0x7F, 0xFF]

    /// Returns a PNG of the picture in `file` with `boxes` painted over, clipped to the picture.
    ///
    /// - Throws: `PictureError` of decoding or encoding.
    package static func painted(_ file: Data, _ boxes: [PixelBox]) throws(PictureError) -> Data {
        Data(try PNGEncoder.encode(painted(try PNGDecoder.decode(file), boxes)))
    }

    static func painted(_ bitmap: Bitmap, _ boxes: [PixelBox]) -> Bitmap {
        var pixels = bitmap.pixels
        let size = bitmap.size
        for box in boxes {
            let columns = max(0, box.x)..<max(0, box.x, min(size.width, box.x + box.width))
            let rows = max(0, box.y)..<max(0, box.y, min(size.height, box.y + box.height))
            let line = [[UInt8]](repeating: colour, count: columns.count).flatMap(\.self)
            for row in rows {
                let start = (row * size.width + columns.lowerBound) * 4
                pixels.replaceSubrange(start..<start + line.count, with: line)
            }
        }
        return Bitmap(size: size, pixels: pixels)
    }
}
