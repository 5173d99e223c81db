// The diff picture, the same for all policies: the class of each pixel in colour on a grey, faded
// reference. farm_diff.h lists the colours and the stripes of bands.
import CFarmShims
import FarmCore

/// Draws where two pictures differ.
package enum DiffPicture {
    /// The colour of changed pixels: opaque magenta, which interfaces do not use.
    package static let changedColour: [UInt8] = [255, 0, 255, 255]
    /// The colour of anti-aliased pixels: opaque gold, far from magenta for every kind of colour
    /// vision.
    package static let antiAliasedColour: [UInt8] = [255, 176, 0, 255]
    /// The colour of the old place of content that moved: opaque vermilion.
    package static let leftColour: [UInt8] = [213, 94, 0, 255]
    /// The colour of the new place of content that moved: opaque blue, far from vermilion for every
    /// kind of colour vision.
    package static let reachedColour: [UInt8] = [0, 114, 178, 255]

    /// Draws the diff of two pictures, on a canvas that holds both.
    ///
    /// `classes` are those of the canvas; without them, or with those of another size, every pixel
    /// that differs at all is drawn as changed. `alignment` is the result of `PictureAligner` for
    /// pictures of different sizes; if it is `nil`, it is computed.
    ///
    /// - Throws: `PictureError.tooManyPixels` if the canvas is over the limit.
    package static func draw(
        reference: Bitmap,
        capture: Bitmap,
        classes: PixelClasses? = nil,
        alignment: PictureAlignment? = nil
    ) throws(PictureError) -> Bitmap {
        let drawing = try Drawing(reference, capture, classes, alignment)
        let canvas = drawing.canvas
        var indices = [UInt8](repeating: 0, count: canvas.width * canvas.height)
        drawing.withPair { pair, classes in
            farm_diff_draw(pair, classes, 0, UInt32(canvas.height), &indices, canvas.width)
        }
        let bytes = indices.count * 4
        let pixels = [UInt8](unsafeUninitializedCapacity: bytes) { out, count in
            farm_diff_colour(palette, indices, UInt32(indices.count), out.baseAddress)
            count = bytes
        }
        return Bitmap(size: canvas, pixels: pixels)
    }

    /// The colours of all diff pictures, three bytes each.
    static let palette: [UInt8] = {
        let bytes = Int(FARM_DIFF_COLOURS) * 3
        return [UInt8](unsafeUninitializedCapacity: bytes) { rgb, count in
            farm_diff_palette(rgb.baseAddress)
            count = bytes
        }
    }()

    /// The checked and completed arguments of a drawing.
    struct Drawing {
        let reference: Bitmap
        let capture: Bitmap
        let canvas: PixelSize
        private let alignment: PictureAlignment
        private let classes: PixelClasses

        init(
            _ reference: Bitmap,
            _ capture: Bitmap,
            _ classes: PixelClasses?,
            _ alignment: PictureAlignment?
        ) throws(PictureError) {
            canvas = PictureAlignment.canvas(reference.size, capture.size)
            guard canvas.width * canvas.height <= FarmLimits.picturePixelsMax else {
                throw .tooManyPixels(canvas)
            }
            let found =
                alignment ?? PictureAligner.align(reference: reference, capture: capture)
            let given = classes?.size == canvas ? classes : nil
            self.reference = reference
            self.capture = capture
            self.alignment = found ?? PictureAlignment()
            self.classes = given ?? PixelClasses(reference, capture, alignment: found)
        }

        func withPair(_ body: (UnsafePointer<farm_pair>, UnsafePointer<UInt8>?) -> Void) {
            classes.classes.withUnsafeBufferPointer { classes in
                alignment.withPair(reference, capture) { body($0, classes.baseAddress) }
            }
        }
    }
}
