// Facts about one picture, for the warnings of a record: a picture of one colour is mostly a test
// that photographed too early.
import CFarmShims
import FarmCore

/// What one look at a picture tells.
package struct PictureLook: Hashable, Sendable {
    package var size: PixelSize
    /// Whether all pixels are the same.
    package var isFlat: Bool
    /// Equal for equal pixels, whatever the file's bytes: SHA-256 over width and height as
    /// big-endian UInt32 and the RGBA bytes, then the low bytes of 16-bit samples where there are
    /// any.
    package var pixelDigest: Digest

    package init(_ bitmap: Bitmap) {
        size = bitmap.size
        isFlat = Self.flat(bitmap.pixels) && bitmap.lowBytes.map(Self.flat) ?? true
        var digest = DigestStream()
        for side in [bitmap.width, bitmap.height] {
            withUnsafeBytes(of: UInt32(side).bigEndian) { digest.append($0) }
        }
        bitmap.pixels.withUnsafeBytes { digest.append($0) }
        bitmap.lowBytes?.withUnsafeBytes { digest.append($0) }
        pixelDigest = digest.finish()
    }

    private static func flat(_ samples: [UInt8]) -> Bool {
        farm_pixels_flat(samples, samples.count / 4) != 0
    }
}
