// Two picture files, examined only until it is known whether their pixels differ. Equal bytes are
// not decoded, equal streams are not unfiltered, and work that both files need is done once.
import CFarmShims
import FarmCore
import Foundation

/// The relation of two picture files, before any policy is applied.
package enum ExaminedPair: Sendable {
    /// The files are the same bytes; nothing was decoded.
    case identicalBytes
    /// The bytes differ, the samples are the same.
    ///
    /// Carries the names of the colour tags that differ.
    case identicalPixels(differingTags: [String])
    /// The pictures differ in some sample, or in size.
    ///
    /// If the sizes are equal, no row outside `rows` differs.
    case differing(reference: Bitmap, capture: Bitmap, rows: DifferingRows)
}

extension ExaminedPair {
    /// Decodes two files as far as needed to tell whether their pixels differ.
    ///
    /// A broken picture whose bytes equal those of a broken reference is not noticed here, only
    /// when pictures are recorded.
    ///
    /// - Throws: `BrokenPicture` with the side that cannot be decoded; the reference if neither
    ///   can.
    package init(
        reference: some ContiguousBytes,
        capture: some ContiguousBytes
    ) throws(BrokenPicture) {
        self = try PNGDecoder.borrow(reference) { one throws(BrokenPicture) in
            try PNGDecoder.borrow(capture) { other throws(BrokenPicture) in
                if one.count == other.count,
                    farm_bytes_equal(one.baseAddress, other.baseAddress, one.count) != 0
                {
                    return .identicalBytes
                }
                return try Self.decoded(one, other)
            }
        }
    }

    private static func decoded(
        _ one: UnsafeBufferPointer<UInt8>,
        _ other: UnsafeBufferPointer<UInt8>
    ) throws(BrokenPicture) -> ExaminedPair {
        let reference = try of(.reference) { () throws(PictureError) in try ScannedPNG(one) }
        let capture = try of(.capture) { () throws(PictureError) in try ScannedPNG(other) }
        let differingTags = capture.tags.differing(from: reference.tags)
        var left = try of(.reference) { () throws(PictureError) in try reference.stream() }
        var right = try of(.capture) { () throws(PictureError) in try capture.stream() }
        if let one = left, let other = right, one.isLike(other) {
            switch PlainStream.resolve(one, other) {
            case .equal: return .identicalPixels(differingTags: differingTags)
            case .differing(let rows):
                return .differing(
                    reference: try of(.reference) { () throws(PictureError) in try one.bitmap() },
                    capture: try of(.capture) { () throws(PictureError) in try other.bitmap() },
                    rows: rows
                )
            case .broken:
                // Both streams are overwritten by now; libpng finds out which file is to blame.
                left = nil
                right = nil
            }
        }
        let pictures = (
            try of(.reference) { () throws(PictureError) in try reference.bitmap(of: left) },
            try of(.capture) { () throws(PictureError) in try capture.bitmap(of: right) }
        )
        return pictures.0 == pictures.1
            ? .identicalPixels(differingTags: differingTags)
            : .differing(
                reference: pictures.0,
                capture: pictures.1,
                rows: DifferingRows(0..<pictures.0.height)
            )
    }

    /// Calls `body`, and throws its error as the fault of the picture on `side`.
    private static func of<Value>(
        _ side: BrokenPicture.Side,
        _ body: () throws(PictureError) -> Value
    ) throws(BrokenPicture) -> Value {
        do {
            return try body()
        } catch {
            throw BrokenPicture(side: side, defect: error)
        }
    }
}
