// Copies of captures that equal the reference in the ignored boxes, so that the arithmetic of every
// framework ignores these exactly, without a rule for it.
import CFarmShims
import FarmCore

extension Bitmap {
    /// Returns a copy of this picture that shows `other` inside `boxes`, clipped to the area that
    /// both pictures have.
    ///
    /// Traps without memory, as arrays do.
    func taking(_ boxes: [PixelBox], from other: Bitmap) -> Bitmap {
        let plane = width * height * 4
        let deep = isDeep || other.isDeep
        guard let storage = PixelPool.shared.take(plane * (deep ? 2 : 1)) else {
            preconditionFailure("there is no memory for a copy of \(size) pixels")
        }
        let high = storage.base.assumingMemoryBound(to: UInt8.self)
        let low = deep ? high + plane : nil
        let clipped = boxes.map(\.clamped)
        let shared = farm_box(
            left: 0,
            top: 0,
            right: min(side.width, other.side.width),
            bottom: min(side.height, other.side.height)
        )
        withPictures(self, other) { own, others in
            farm_picture_copy(own, side.width, side.height, high, low)
            farm_boxes_take(others, clipped, clipped.count, shared, side.width, high, low)
        }
        return Bitmap(size: size, storage: storage, lowStart: deep ? plane : nil)
    }
}
