// Thumbnails, for pages that show hundreds of pictures. They are only shown, never compared.
import CFarmShims
import FarmCore
import Foundation

/// Makes thumbnails.
package enum Thumbnail {
    /// The side of the square that has as many pixels as the largest thumbnail.
    ///
    /// A phone's screen is then 177 pixels wide, and a page 20,000 pixels long still looks unlike
    /// others.
    private static let side = 260.0
    /// The most pixels of a thumbnail's longer side; browsers show no picture longer than 32,767.
    private static let longestMax = 4_096.0

    /// Returns the size of a picture's thumbnail; a small picture keeps its size.
    package static func size(of picture: PixelSize) -> PixelSize {
        let (width, height) = (Double(picture.width), Double(picture.height))
        let scale = min(
            1,
            side / (width * height).squareRoot(),
            longestMax / max(width, height)
        )
        return PixelSize(
            width: max(1, Int((width * scale).rounded(.down))),
            height: max(1, Int((height * scale).rounded(.down)))
        )
    }

    /// Returns the picture scaled down to a thumbnail by area averaging.
    package static func scaled(_ bitmap: Bitmap) -> Bitmap {
        let size = size(of: bitmap.size)
        guard size != bitmap.size else { return bitmap }
        var sums = [UInt64](repeating: 0, count: size.width * 4)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
        bitmap.withPicture { picture in
            farm_scale(
                picture,
                UInt32(bitmap.width),
                UInt32(bitmap.height),
                UInt32(size.width),
                UInt32(size.height),
                &sums,
                &pixels
            )
        }
        return Bitmap(size: size, pixels: pixels)
    }

    /// Returns the PNG of a PNG's thumbnail; equal files give equal bytes.
    ///
    /// - Throws: `PictureError` for anything that is not an intact PNG under the limits.
    package static func png(of file: Data) throws(PictureError) -> Data {
        Data(try PNGEncoder.encode(scaled(PNGDecoder.decode(file))))
    }
}
