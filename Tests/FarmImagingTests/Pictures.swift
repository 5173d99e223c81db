// Pictures made by code: small ones, and ones broken in one known way.
import FarmCore

@testable import FarmImaging

enum Pictures {
    /// Returns a picture whose pixels are given by their place.
    static func make(
        _ width: Int,
        _ height: Int,
        _ colour: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += colour(x, y) }
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels)
    }

    static func flat(_ width: Int, _ height: Int, _ colour: [UInt8]) -> Bitmap {
        make(width, height) { _, _ in colour }
    }

    /// Returns an opaque picture with hardly any equal pixels.
    static func gradient(_ width: Int, _ height: Int) -> Bitmap {
        make(width, height) { x, y in
            [x * 7 + y, y * 5, x ^ y, 255].map { UInt8(truncatingIfNeeded: $0) }
        }
    }

    static let black: [UInt8] = [0, 0, 0, 255]
    static let white: [UInt8] = [255, 255, 255, 255]

    /// Returns the picture with some pixels in another colour.
    static func painted(
        _ picture: Bitmap,
        _ colour: [UInt8],
        where chosen: (_ x: Int, _ y: Int) -> Bool
    ) -> Bitmap {
        make(picture.width, picture.height) { x, y in
            let at = (y * picture.width + x) * 4
            return chosen(x, y) ? colour : Array(picture.pixels[at..<at + 4])
        }
    }

    /// Returns a PNG of a signature and a header that claims a size, without data.
    static func header(width: UInt32, height: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        bytes += Array("IHDR".utf8)
        for side in [width, height] {
            withUnsafeBytes(of: side.bigEndian) { bytes += $0 }
        }
        return bytes + [8, 6, 0, 0, 0, 0, 0, 0, 0]
    }
}
