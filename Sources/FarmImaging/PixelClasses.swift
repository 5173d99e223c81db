// The class of each pixel of two pictures. Gates, regions and diff pictures all work on these
// classes, so that they cannot disagree.
import CFarmShims
import FarmCore

/// One class for each pixel of two pictures of one size.
package struct PixelClasses: Sendable {
    /// The class of a pixel; the raw values are those of `farm_class` in C.
    package enum Class: UInt8, Sendable {
        case same, noise, antiAliased, changed, ignored
        /// A changed pixel that content left or reached by a known move; only for drawing.
        case left, reached
    }

    package let size: PixelSize
    /// The raw values of the classes, in rows without padding.
    var classes: [UInt8]

    /// Classifies every pixel of two pictures of one size.
    ///
    /// `noise` is the largest channel difference that counts as noise, 0...255.
    init(
        _ reference: Bitmap,
        _ capture: Bitmap,
        noise: Int,
        antiAliasing: Bool,
        ignoring boxes: [PixelBox] = []
    ) {
        precondition(reference.size == capture.size, "classes are of pictures of one size")
        let ignored = boxes.map(\.clamped)
        size = reference.size
        classes = [UInt8](unsafeUninitializedCapacity: reference.width * reference.height) {
            classes,
            count in
            withPictures(reference, capture) { one, other in
                farm_classes_fill(
                    one,
                    other,
                    UInt32(reference.width),
                    UInt32(reference.height),
                    UInt32(max(0, noise)),
                    antiAliasing ? 1 : 0,
                    ignored,
                    ignored.count,
                    classes.baseAddress
                )
            }
            count = reference.width * reference.height
        }
    }

    /// Marks, for a drawing, the pixels that content left and reached in regions that moved.
    ///
    /// Pictures and alignment must be those of the classes.
    package mutating func markMoves(
        _ regions: [Explanation.Region],
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment?
    ) {
        for region in regions {
            guard case .moved(let dx, let dy) = region.kind else { continue }
            let move = farm_move(dx: Int32(dx), dy: Int32(dy))
            (alignment ?? PictureAlignment()).withPair(reference, capture) {
                farm_move_mark($0, [region.box.clamped], move, &classes)
            }
        }
    }

    package subscript(x: Int, y: Int) -> Class {
        Class(rawValue: classes[y * size.width + x]) ?? .changed
    }
}

extension PixelBox {
    /// The part of the box whose coordinates fit the types of C; users write boxes, with any
    /// numbers.
    var clamped: farm_box {
        func clamp(_ value: Int) -> UInt32 { UInt32(min(max(value, 0), Int(Int32.max))) }
        return farm_box(
            left: clamp(x),
            top: clamp(y),
            right: clamp(x.addingReportingOverflow(width).partialValue),
            bottom: clamp(y.addingReportingOverflow(height).partialValue)
        )
    }
}
