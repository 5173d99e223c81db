// The facts of one picture that warnings of a record run need: a picture of one colour usually
// means that the test took it too early.
import CFarmShims
import FarmCore

/// The size, flatness and digest of a picture.
package struct PictureLook: Hashable, Sendable {
    package var size: PixelSize
    /// Whether all pixels have the same colour.
    package var isFlat: Bool
    /// The digest of the pixels, independent of the file's bytes: SHA-256 over width and height as
    /// big-endian UInt32 and the RGBA bytes, then the low bytes of 16-bit samples if there are any.
    package var pixelDigest: Digest

    package init(_ bitmap: Bitmap) {
        size = bitmap.size
        let (width, height) = (UInt32(bitmap.width), UInt32(bitmap.height))
        isFlat = bitmap.withPicture { farm_pixels_flat($0, width, height) != 0 }
        var digest = DigestStream()
        for side in [width, height] {
            withUnsafeBytes(of: side.bigEndian) { digest.append($0) }
        }
        bitmap.withPicture { picture in
            for plane in [picture.high, picture.low] {
                guard let plane else { continue }
                for y in 0..<bitmap.height {
                    let row = plane + y * picture.stride
                    digest.append(UnsafeRawBufferPointer(start: row, count: bitmap.width * 4))
                }
            }
        }
        pixelDigest = digest.finish()
    }
}
