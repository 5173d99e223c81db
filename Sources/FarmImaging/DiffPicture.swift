// The diff picture, the same for all policies: changed pixels in one colour that interfaces do not
// use, on a grey, faded reference. It shows every differing pixel, tolerated or not.
import CFarmShims
import FarmCore

/// Draws where two pictures differ.
package enum DiffPicture {
    /// Magenta, opaque.
    package static let changedColour: [UInt8] = [255, 0, 255, 255]
    private static let stripe = SIMD4<UInt8>(255, 0, 255, 255)
    private static let paper = SIMD4<UInt8>(255, 255, 255, 255)
    /// Where neither picture has pixels.
    private static let nowhere = SIMD4<UInt8>(128, 128, 128, 255)
    /// Pixels from one diagonal stripe to the next.
    private static let stripePeriod = 8

    /// Draws both pictures laid over each other at their top left corners; what only one of them
    /// covers is striped in the changed colour.
    ///
    /// - Throws: `PictureError.tooManyPixels` when the smallest canvas for both is over the limit.
    package static func draw(
        reference: Bitmap,
        capture: Bitmap
    ) throws(PictureError) -> Bitmap {
        let canvas = PixelSize(
            width: max(reference.width, capture.width),
            height: max(reference.height, capture.height)
        )
        guard canvas.width * canvas.height <= FarmLimits.picturePixelsMax else {
            throw .tooManyPixels(canvas)
        }
        let common = Measurement.commonSize(reference, capture)
        var pixels = [UInt8](repeating: 0, count: canvas.width * canvas.height * 4)
        pixels.withUnsafeMutableBufferPointer { out in
            withPictures(reference, capture) { one, other in
                farm_pixels_draw(
                    one,
                    other,
                    UInt32(common.width),
                    UInt32(common.height),
                    changedColour,
                    out.baseAddress,
                    canvas.width * 4
                )
            }
            paintOutside(
                UnsafeMutableRawBufferPointer(out),
                canvas,
                [reference.size, capture.size]
            )
        }
        return Bitmap(size: canvas, pixels: pixels)
    }

    /// Paints what lies outside the area that all of `sizes` cover.
    private static func paintOutside(
        _ out: UnsafeMutableRawBufferPointer,
        _ canvas: PixelSize,
        _ sizes: [PixelSize]
    ) {
        let commonWidth = sizes.map(\.width).min() ?? 0
        let commonHeight = sizes.map(\.height).min() ?? 0
        for y in 0..<canvas.height {
            // How far a picture reaches in this row.
            let covered = sizes.map { y < $0.height ? $0.width : 0 }.max() ?? 0
            for x in (y < commonHeight ? commonWidth : 0)..<canvas.width {
                let striped = (x + y) % stripePeriod < stripePeriod / 2
                let colour = x >= covered ? nowhere : striped ? stripe : paper
                out.storeBytes(
                    of: colour,
                    toByteOffset: (y * canvas.width + x) * 4,
                    as: SIMD4<UInt8>.self
                )
            }
        }
    }
}
