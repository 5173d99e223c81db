// Aligns pictures of different sizes: finds the position of the inserted or removed band of rows or
// columns with which the fewest pixels differ. Takes two passes over the pixels per axis, and
// memory for one number per row or column.
import CFarmShims
import FarmCore

/// Aligns pictures of different sizes.
package enum PictureAligner {
    private enum Axis { case rows, columns }

    /// Returns the best alignment, or `nil` for pictures of one size.
    ///
    /// The axis that changed more is aligned first, with the other axis' band at its end; then the
    /// other axis. Of equally good positions the last is taken: above and left of it nothing
    /// changed. An alignment fits if the pixels that still differ are at most half as many as the
    /// reference has edges; two unrelated pages on the same ground have more. If none fits, each
    /// differing row counts once instead, because one card in another colour may be most of a
    /// picture.
    package static func align(reference: Bitmap, capture: Bitmap) -> PictureAlignment? {
        guard reference.size != capture.size else { return nil }
        // Another scale inserts no band, although grounds of one colour would suggest one.
        guard PictureAlignment.scale(reference.size, capture.size) == nil else {
            return atTheEnds(reference.size, capture.size)
        }
        let dx = capture.width - reference.width
        let dy = capture.height - reference.height
        var found = PictureAlignment()
        var cost = 0
        // Once the second axis is known, the first is aligned again.
        let both: [Axis] =
            abs(dy) >= abs(dx) ? [.rows, .columns, .rows] : [.columns, .rows, .columns]
        let axes: [Axis] = dy == 0 ? [.columns] : dx == 0 ? [.rows] : both
        for axis in axes {
            let best = position(axis, reference, capture, found)
            cost = best.cost
            switch axis {
            case .rows: found.rows = band(dy, at: best.at)
            case .columns: found.columns = band(dx, at: best.at)
            }
        }
        let detail = reference.withPicture {
            farm_detail($0, UInt32(reference.width), UInt32(reference.height))
        }
        if cost == 0 || cost * 2 <= detail { return found }
        return byRows(reference, capture) ?? atTheEnds(reference.size, capture.size)
    }

    /// Returns the alignment of pictures of one width in which the fewest rows differ, or `nil` if
    /// the widths differ or too few rows meet.
    private static func byRows(_ reference: Bitmap, _ capture: Bitmap) -> PictureAlignment? {
        guard reference.width == capture.width else { return nil }
        let costs = costs(.rows, reference, capture, PictureAlignment())
        let at = lowest(costs.before.map { min($0, 1) }, costs.after.map { min($0, 1) }).at
        let found = PictureAlignment(rows: band(capture.height - reference.height, at: at))
        return mostRowsMeet(reference, capture, found) ? found : nil
    }

    /// Whether at least half of the reference's edges (a row and the differing row above it)
    /// meet the same two rows in the capture.
    ///
    /// Ground that meets ground proves nothing.
    private static func mostRowsMeet(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment
    ) -> Bool {
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        func digests(_ side: Int32) -> [UInt64] {
            var digests = [UInt64](repeating: 0, count: canvas.height)
            alignment.withPair(reference, capture) {
                farm_row_digests($0, side, 0, UInt32(canvas.width), &digests)
            }
            return digests
        }
        let (before, after) = (digests(1), digests(2))
        let none = UInt64(FARM_NO_DIGEST)
        var edges = 0
        var met = 0
        for row in before.indices.dropFirst() {
            guard before[row] != before[row - 1], before[row] != none, before[row - 1] != none
            else { continue }
            edges += 1
            if before[row] == after[row], before[row - 1] == after[row - 1] { met += 1 }
        }
        return edges > 0 && met * 2 >= edges
    }

    private static func band(_ delta: Int, at position: Int) -> PictureAlignment.Band {
        PictureAlignment.Band(
            change: delta > 0 ? .inserted : .removed,
            at: position,
            count: abs(delta)
        )
    }

    private static func atTheEnds(
        _ reference: PixelSize,
        _ capture: PixelSize
    ) -> PictureAlignment {
        let dx = capture.width - reference.width
        let dy = capture.height - reference.height
        return PictureAlignment(
            rows: dy == 0 ? nil : band(dy, at: min(reference.height, capture.height)),
            columns: dx == 0 ? nil : band(dx, at: min(reference.width, capture.width)),
            fits: false
        )
    }

    /// Returns the best position of the band of one axis, and the number of pixels that differ
    /// then.
    private static func position(
        _ axis: Axis,
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment
    ) -> (at: Int, cost: Int) {
        let costs = costs(axis, reference, capture, alignment)
        return lowest(costs.before, costs.after)
    }

    /// Returns the number of differing pixels of each row or column, once in case it lies before
    /// the band and once in case it lies after.
    private static func costs(
        _ axis: Axis,
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment
    ) -> (before: [UInt32], after: [UInt32]) {
        let lengths =
            switch axis {
            case .rows: (reference.height, capture.height)
            case .columns: (reference.width, capture.width)
            }
        let common = min(lengths.0, lengths.1)
        var before = [UInt32](repeating: 0, count: common)
        var after = before
        let skip = (UInt32(lengths.0 - common), UInt32(lengths.1 - common))
        alignment.withPair(reference, capture) { pair in
            switch axis {
            case .rows:
                farm_align_rows(pair, 0, 0, &before)
                farm_align_rows(pair, skip.0, skip.1, &after)
            case .columns:
                farm_align_columns(pair, 0, 0, &before)
                farm_align_columns(pair, skip.0, skip.1, &after)
            }
        }
        return (before, after)
    }

    /// Returns the last `at` with the smallest sum of `before[..<at]` and `after[at...]`.
    static func lowest(_ before: [UInt32], _ after: [UInt32]) -> (at: Int, cost: Int) {
        var sum = after.reduce(0) { $0 + Int($1) }
        var best = (at: 0, cost: sum)
        for at in before.indices {
            sum += Int(before[at]) - Int(after[at])
            if sum <= best.cost { best = (at + 1, sum) }
        }
        return best
    }
}
