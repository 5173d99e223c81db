// The alignment of pictures of different sizes: where a band of rows or columns was inserted or
// removed so that the fewest pixels differ. Two passes over the pixels per axis; memory for one
// number per row or column.
import CFarmShims
import FarmCore

/// Aligns pictures of different sizes.
package enum PictureAligner {
    private enum Axis { case rows, columns }

    /// The best alignment; nil for pictures of one size.
    ///
    /// The axis that changed more is decided first, with the other's band at its end, then the
    /// other. Of positions that are equally good the last counts: above and left of it everything
    /// is as it was. An alignment fits when the pixels that still differ are at most half as many
    /// as there are edges in the reference: more is what two unrelated pages on the same ground
    /// have. Where none fits so, each row counts once, because one card in another colour may be
    /// most of a picture.
    package static func align(reference: Bitmap, capture: Bitmap) -> PictureAlignment? {
        guard reference.size != capture.size else { return nil }
        // Another scale inserts no band; grounds of one colour would seem to.
        guard PictureAlignment.scale(reference.size, capture.size) == nil else {
            return atTheEnds(reference.size, capture.size)
        }
        let dx = capture.width - reference.width
        let dy = capture.height - reference.height
        var found = PictureAlignment()
        var cost = 0
        // The first axis is decided again once the second is known.
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

    /// The alignment of pictures of one width in which the fewest rows differ, if most rows meet.
    private static func byRows(_ reference: Bitmap, _ capture: Bitmap) -> PictureAlignment? {
        guard reference.width == capture.width else { return nil }
        let costs = costs(.rows, reference, capture, PictureAlignment())
        let at = lowest(costs.before.map { min($0, 1) }, costs.after.map { min($0, 1) }).at
        let found = PictureAlignment(rows: band(capture.height - reference.height, at: at))
        return mostRowsMeet(reference, capture, found) ? found : nil
    }

    /// Whether at least half of the reference's rows that differ from the row above them meet the
    /// same two rows in the capture; ground that meets ground says nothing.
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

    /// The best place of one axis' band, and how many pixels differ then.
    private static func position(
        _ axis: Axis,
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment
    ) -> (at: Int, cost: Int) {
        let costs = costs(axis, reference, capture, alignment)
        return lowest(costs.before, costs.after)
    }

    /// Pixels that differ in each row or column, where it lies before the band and where after.
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

    /// The last `at` with the smallest sum of `before[..<at]` and `after[at...]`.
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
