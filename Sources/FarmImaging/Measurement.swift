// The facts of two pictures that every comparison reports, under any policy: how many pixels
// differ, and by how much. `Explainer` finds out where they lie, for failures only.
import CFarmShims
import FarmCore

enum Measurement {
    /// Counts the differing pixels of two pictures of one size; the result's `counted` equals
    /// `differing`.
    ///
    /// Only `rows` are read; no row outside them may differ.
    static func count(
        _ reference: Bitmap,
        _ capture: Bitmap,
        rows: DifferingRows
    ) -> PixelDifference {
        var found = Found()
        withPictures(reference, capture) { one, other in
            found.add(one, other, width: reference.width, rows: rows)
        }
        return difference(reference, capture, found, differing: found.differing)
    }

    /// Counts the differing pixels of pictures of different sizes, aligned so that the fewest
    /// differ.
    ///
    /// Pixels of the larger picture outside the common area count as differing. The sum is at most
    /// that picture's pixels, so the share stays within 1.
    static func ofSizes(_ reference: Bitmap, _ capture: Bitmap) -> PixelDifference {
        let alignment =
            PictureAligner.align(reference: reference, capture: capture) ?? PictureAlignment()
        var found = Found()
        alignment.withPair(reference, capture) { pair in
            for rows in pair.pointee.rows.shared {
                for columns in pair.pointee.columns.shared {
                    found.add(
                        pair.pointee.reference.from(x: columns.inReference, y: rows.inReference),
                        pair.pointee.capture.from(x: columns.inCapture, y: rows.inCapture),
                        width: columns.count,
                        rows: DifferingRows(0..<rows.count)
                    )
                }
            }
        }
        let larger = max(
            reference.width * reference.height,
            capture.width * capture.height
        )
        let differing = found.differing + larger - found.looked
        return difference(reference, capture, found, differing: differing)
    }

    private static func difference(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ found: Found,
        differing: Int
    ) -> PixelDifference {
        PixelDifference(
            reference: reference.size,
            capture: capture.size,
            differing: differing,
            counted: differing,
            largestDelta: found.largestDelta,
            clusters: []
        )
    }

    private struct Found {
        /// The number of pixels that were compared.
        var looked = 0
        var differing = 0
        var largestDelta = 0

        mutating func add(
            _ one: farm_picture,
            _ other: farm_picture,
            width: Int,
            rows: DifferingRows
        ) {
            let part = rows.withRows { farm_pixels_count(one, other, UInt32(width), $0) }
            looked += width * rows.range.count
            differing += part.differing
            largestDelta = max(largestDelta, Int(part.largest_delta))
        }
    }
}
