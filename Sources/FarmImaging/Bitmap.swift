// Decoded pixels: the input of every comparison, drawing and digest.
//
// Invariants
//   - Both sides are at least 1, and every row has width × 4 bytes inside the storage.
//   - Low bytes exist only if some sample really has more than 8 bits of information, so equal
//     pictures are equal values, whatever depth their files have.
import CFarmShims
import FarmCore
import Foundation

/// A picture as straight (not premultiplied) RGBA without colour management.
///
/// Its memory comes from a pool and may have bytes between two rows.
package struct Bitmap: Equatable, Sendable {
    package let size: PixelSize
    private let storage: PixelStorage
    /// The offset in bytes of the plane of pixels, which has the upper halves of 16-bit samples.
    private let start: Int
    /// The bytes from one row to the next, in both planes.
    package let stride: Int
    /// The offset of the lower halves of 16-bit samples, or `nil` if they add no information.
    private let lowStart: Int?

    /// Wraps a plane of pixels in `storage` and, optionally, a plane of lower halves.
    ///
    /// The layout must lie inside the storage.
    init(
        size: PixelSize,
        storage: PixelStorage,
        start: Int = 0,
        stride: Int? = nil,
        lowStart: Int? = nil
    ) {
        let rowBytes = size.width * 4
        precondition(size.width > 0 && size.height > 0, "a bitmap has at least one pixel")
        self.size = size
        self.storage = storage
        self.start = start
        self.stride = stride ?? rowBytes
        let planeBytes = (size.height - 1) * self.stride + rowBytes
        let end = max(start, lowStart ?? start) + planeBytes
        precondition(end <= storage.capacity, "a bitmap lies inside its storage")
        // An 8-bit sample v widens to v × 257: both halves are v.
        self.lowStart = lowStart.flatMap { low in
            memcmp(storage.base + low, storage.base + start, planeBytes) == 0 ? nil : low
        }
    }

    /// Creates a picture from copies of pixels: red, green, blue, alpha in rows without gaps, and
    /// the lower halves of 16-bit samples in the same order.
    ///
    /// The counts must fit the size. Traps without memory, as arrays do.
    init(size: PixelSize, pixels: [UInt8], lowBytes: [UInt8]? = nil) {
        let samples = size.width * size.height * 4
        precondition(pixels.count == samples, "a bitmap has four bytes per pixel")
        precondition(lowBytes.map { $0.count == samples } ?? true, "one low byte per sample")
        let planes = lowBytes == nil ? 1 : 2
        guard let storage = PixelPool.shared.take(samples * planes) else {
            preconditionFailure("there is no memory for a copy of \(size) pixels")
        }
        storage.base.copyMemory(from: pixels, byteCount: samples)
        if let lowBytes {
            (storage.base + samples).copyMemory(from: lowBytes, byteCount: samples)
        }
        self.init(size: size, storage: storage, lowStart: lowBytes == nil ? nil : samples)
    }

    /// Copies rows of a picture without lower halves, in any order, within some columns; `nil` if
    /// there is no memory or no pixel.
    init?(_ picture: Bitmap, _ columns: Range<Int>, rows: [Int]) {
        precondition(!picture.isDeep, "the lower halves are not copied")
        let rowBytes = columns.count * 4
        guard rowBytes > 0, !rows.isEmpty,
            let storage = PixelPool.shared.take(rowBytes * rows.count)
        else { return nil }
        picture.withPicture { from in
            for (place, row) in rows.enumerated() {
                let pixels = from.high + row * from.stride + columns.lowerBound * 4
                memcpy(storage.base + place * rowBytes, pixels, rowBytes)
            }
        }
        self.init(
            size: PixelSize(width: columns.count, height: rows.count),
            storage: storage
        )
    }

    package var width: Int { size.width }
    package var height: Int { size.height }
    /// Whether some sample has more than 8 bits of information.
    package var isDeep: Bool { lowStart != nil }

    /// A copy of the samples in rows without gaps; of 16-bit samples, the upper halves.
    package var pixels: [UInt8] { copy(of: start) }
    /// A copy of the lower halves of 16-bit samples, or `nil` if they add no information.
    package var lowBytes: [UInt8]? { lowStart.map(copy) }

    private func copy(of plane: Int) -> [UInt8] {
        let rowBytes = width * 4
        return [UInt8](unsafeUninitializedCapacity: rowBytes * height) { out, count in
            guard let to = out.baseAddress else { return }
            for y in 0..<height {
                memcpy(to + y * rowBytes, storage.bytes + plane + y * stride, rowBytes)
            }
            count = rowBytes * height
        }
    }

    package static func == (left: Bitmap, right: Bitmap) -> Bool {
        guard left.size == right.size else { return false }
        return withPictures(left, right) { one, other in
            farm_pixels_equal(one, other, UInt32(left.width), UInt32(left.height)) != 0
        }
    }

    /// Calls `body` with the picture in the form that the C code reads, valid only during the call.
    func withPicture<Result>(_ body: (farm_picture) -> Result) -> Result {
        withExtendedLifetime(storage) {
            body(
                farm_picture(
                    high: storage.bytes + start,
                    low: lowStart.map { UnsafePointer(storage.bytes + $0) },
                    stride: stride
                )
            )
        }
    }
}

/// Calls `body` with two pictures in the form that the C code reads, valid only during the call.
func withPictures<Result>(
    _ a: Bitmap,
    _ b: Bitmap,
    _ body: (farm_picture, farm_picture) -> Result
) -> Result {
    a.withPicture { one in b.withPicture { other in body(one, other) } }
}
