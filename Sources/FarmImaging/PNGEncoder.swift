// Encodes pixels as PNG, for the pictures that snapfarm itself draws. The same pixels always give
// the same bytes (with one version of libdeflate), so a diff picture can be named by its digest.
import CFarmShims
import FarmCore

/// Encodes PNG files.
package enum PNGEncoder {
    /// The compression level of pictures in colours; libdeflate's levels are 0…12.
    ///
    /// On screenshots, 3 is within 10 % of the size of 6, in half the time.
    private static let level: Int32 = 3

    /// Encodes a picture as 8-bit RGBA without interlacing; drops the lower halves of 16-bit
    /// samples.
    ///
    /// - Throws: only `PictureError.noMemory`.
    package static func encode(_ bitmap: Bitmap) throws(PictureError) -> [UInt8] {
        let width = UInt32(bitmap.width)
        let height = UInt32(bitmap.height)
        let room = farm_png_encode_bound(width, height, 4)
        let file = [UInt8](unsafeUninitializedCapacity: room) { out, count in
            count = bitmap.withPicture { picture in
                farm_png_encode(
                    picture.high,
                    picture.stride,
                    width,
                    height,
                    level,
                    out.baseAddress,
                    room
                )
            }
        }
        guard !file.isEmpty else { throw .noMemory(bitmap.size) }
        return file
    }

    /// The compression level of streams of indices, which repeat so often that level 1 makes files
    /// as small as level 3 does of colours.
    private static let indexLevel: Int32 = 1

    /// Returns the number of bytes of a stream of indices: one per pixel, and a filter byte per
    /// row.
    static func indexStreamBytes(_ size: PixelSize) -> Int { (size.width + 1) * size.height }

    /// Encodes a stream of indices into a palette of three bytes per colour.
    ///
    /// Filters the stream in place.
    ///
    /// - Throws: only `PictureError.noMemory`.
    static func encode(
        indices stream: PixelStorage,
        size: PixelSize,
        palette: [UInt8]
    ) throws(PictureError) -> [UInt8] {
        let (width, height) = (UInt32(size.width), UInt32(size.height))
        let room = farm_png_encode_bound(width, height, 1)
        let file = [UInt8](unsafeUninitializedCapacity: room) { out, count in
            count = withExtendedLifetime(stream) {
                farm_png_encode_stream(
                    stream.bytes,
                    width,
                    height,
                    palette,
                    palette.count / 3,
                    indexLevel,
                    out.baseAddress,
                    room
                )
            }
        }
        guard !file.isEmpty else { throw .noMemory(size) }
        return file
    }
}
