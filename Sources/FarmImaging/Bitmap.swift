// Decoded pixels: what every comparison, drawing and digest works on.
//
// Invariants
//   - Both sides are at least 1, and `pixels` holds exactly width × height × 4 bytes.
//   - `lowBytes` is there only when some sample really has more than 8 bits of information, so
//     equal pictures are equal values whatever depth their files had.
import CFarmShims
import FarmCore
import Foundation

/// A picture as straight (not premultiplied) RGBA, rows without padding, no colour management.
package struct Bitmap: Equatable, Sendable {
    package let size: PixelSize
    /// Red, green, blue, alpha; of 16-bit samples the upper halves.
    package let pixels: [UInt8]
    /// The lower halves of 16-bit samples, in the same order; nil where they say nothing more.
    package let lowBytes: [UInt8]?

    /// Wraps pixels.
    ///
    /// The counts must fit the size: callers compute both.
    package init(size: PixelSize, pixels: [UInt8], lowBytes: [UInt8]? = nil) {
        let samples = size.width * size.height * 4
        precondition(size.width > 0 && size.height > 0, "a bitmap has at least one pixel")
        precondition(pixels.count == samples, "a bitmap has four bytes per pixel")
        precondition(lowBytes.map { $0.count == samples } ?? true, "one low byte per sample")
        self.size = size
        self.pixels = pixels
        // An 8-bit sample v widens to v × 257: both halves are v.
        self.lowBytes = lowBytes.flatMap { Self.sameBytes($0, pixels) ? nil : $0 }
    }

    package var width: Int { size.width }
    package var height: Int { size.height }

    // The synthesised operator compares arrays byte by byte, which is slow in debug builds.
    package static func == (left: Bitmap, right: Bitmap) -> Bool {
        guard left.size == right.size else { return false }
        return withPictures(left, right) { one, other in
            farm_pixels_equal(one, other, UInt32(left.width), UInt32(left.height)) != 0
        }
    }

    /// Whether two arrays of one length are equal.
    private static func sameBytes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        memcmp(left, right, right.count) == 0
    }

    /// Lends the picture to the loops in C.
    func withPicture<Result>(_ body: (farm_picture) -> Result) -> Result {
        pixels.withUnsafeBufferPointer { high in
            guard let lowBytes else {
                return body(farm_picture(high: high.baseAddress, low: nil, stride: width * 4))
            }
            return lowBytes.withUnsafeBufferPointer { low in
                body(
                    farm_picture(
                        high: high.baseAddress,
                        low: low.baseAddress,
                        stride: width * 4
                    )
                )
            }
        }
    }
}

/// Lends two pictures to the loops in C.
func withPictures<Result>(
    _ a: Bitmap,
    _ b: Bitmap,
    _ body: (farm_picture, farm_picture) -> Result
) -> Result {
    a.withPicture { one in b.withPicture { other in body(one, other) } }
}
