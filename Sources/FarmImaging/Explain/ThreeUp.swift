// Reference, capture and diff side by side, small enough for a comment. They are drawn row by row
// from the pictures, so no memory of their size is needed.
import CFarmShims
import FarmCore

extension DiffPicture {
    /// The width in pixels of the gap between two of the three pictures.
    private static let gap = 4

    /// Draws the three pictures side by side, opaque, scaled down by area averaging to fit.
    ///
    /// Never scales up. A changed pixel colours its whole place in the scaled diff, so that small
    /// changes are not averaged away.
    ///
    /// Classes and alignment are as for `draw`. Limits of a few pixels are raised to what three
    /// pictures need at least.
    package static func threeUp(
        reference: Bitmap,
        capture: Bitmap,
        classes: PixelClasses? = nil,
        alignment: PictureAlignment? = nil,
        widthMax: Int,
        heightMax: Int
    ) throws(PictureError) -> Bitmap {
        let drawing = try Drawing(reference, capture, classes, alignment)
        let canvas = drawing.canvas
        let scale = min(
            1,
            Double(widthMax - 2 * gap) / Double(3 * canvas.width),
            Double(heightMax) / Double(canvas.height)
        )
        let width = max(1, Int(Double(canvas.width) * scale))
        let height = max(1, Int(Double(canvas.height) * scale))
        let size = PixelSize(width: width * 3 + 2 * gap, height: height)
        var row = [UInt8](repeating: 0, count: canvas.width * 4)
        var sums = [UInt64](repeating: 0, count: width * 4)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
        drawing.withPair { pair, classes in
            farm_three_up(
                pair,
                classes,
                UInt32(width),
                UInt32(height),
                UInt32(gap),
                &row,
                &sums,
                &pixels,
                size.width * 4
            )
        }
        return Bitmap(size: size, pixels: pixels)
    }
}
