// Finds rows of equally large pictures that moved together, such as all rows below one that grew.
// Rows are recognised by digests: a row of the reference that is unlike all others and that the
// capture has elsewhere votes for that distance (see DistinctLines).
import CFarmShims
import FarmCore

/// A band of rows that moved, and the rows of the canvas that it explains.
struct MovedBand {
    var move: Explanation.BandMove
    /// A byte for each row; 1 if the move explains its changed pixels.
    var explained: [UInt8]
}

/// Looks for one band of rows that moved up or down.
struct BandFinder {
    /// The fewest votes with which a distance is accepted; fewer may be chance.
    private static let votesMin = 4
    /// The most rows of pictures that are searched; real ones have fewer, and the tables would be
    /// large.
    private static let rowsMax = 200_000
    /// The divisor of the picture's height that gives the smallest band (one eighth); smaller bands
    /// are regions.
    private static let heightShare = 8

    let height: Int
    /// The number of changed pixels of each row.
    private let changed: [UInt32]
    /// The digest of each row of the reference, over the columns that changed in any row.
    private let reference: [UInt64]
    private let capture: [UInt64]
    /// The distance that each row of the capture moved, or `nil` if unknown.
    private let distances: [Int?]

    /// Creates a finder, or `nil` if too few rows changed for a band, or if the pictures differ in
    /// size or are too high.
    init?(_ reference: Bitmap, _ capture: Bitmap, _ classes: PixelClasses) {
        let height = reference.height
        guard reference.size == capture.size, height <= Self.rowsMax else { return nil }
        var changed = [UInt32](repeating: 0, count: height)
        var left: UInt32 = 0
        var right: UInt32 = 0
        farm_changed_rows(
            classes.classes,
            UInt32(reference.width),
            UInt32(height),
            &changed,
            &left,
            &right
        )
        guard changed.reduce(0, { $0 + ($1 > 0 ? 1 : 0) }) > height / Self.heightShare else {
            return nil
        }
        func digests(_ side: Int32) -> [UInt64] {
            var digests = [UInt64](repeating: 0, count: height)
            PictureAlignment().withPair(reference, capture) {
                farm_row_digests($0, side, left, right, &digests)
            }
            return digests
        }
        self.height = height
        self.changed = changed
        self.reference = digests(1)
        self.capture = digests(2)
        distances = DistinctLines(reference: self.reference, capture: self.capture).distances
    }

    /// Returns the band of rows that moved, or `nil` if none is certain.
    ///
    /// At least 90 % of the band's changed rows equal the reference's rows that far away.
    func find() -> MovedBand? {
        guard let by = distance() else { return nil }
        let rows = trimmed(bestRows(by), by)
        guard rows.count * Self.heightShare >= height else { return nil }
        let touched = rows.filter { changed[$0] > 0 }
        let found = touched.filter { isMoved($0, by) }
        guard found.count >= 2 * Self.votesMin, found.count * 10 >= touched.count * 9 else {
            return nil
        }
        // Ground that equals ground is no proof, at any distance.
        let told = rows.compactMap { distances[$0] }
        let agreeing = told.count { $0 == by }
        guard agreeing >= Self.votesMin, agreeing * 10 >= told.count * 9 else { return nil }
        let move = Explanation.BandMove(from: rows.lowerBound - by, rows: rows.count, by: by)
        return MovedBand(move: move, explained: explained(rows, by))
    }

    private func isMoved(_ row: Int, _ by: Int) -> Bool {
        reference.indices.contains(row - by) && reference[row - by] == capture[row]
    }

    /// Returns the distance in rows with the most votes, or `nil` if it has fewer than `votesMin`;
    /// of two with as many, the shorter.
    private func distance() -> Int? {
        var votes: [Int: Int] = [:]
        for case let by? in distances where by != 0 { votes[by, default: 0] += 1 }
        let best = votes.max { left, right in
            guard left.value == right.value else { return left.value < right.value }
            return (abs(left.key), left.key) > (abs(right.key), right.key)
        }
        guard let best, best.value >= Self.votesMin else { return nil }
        return best.key
    }

    /// Returns the stretch of capture rows in which rows moved by `by` outweigh others the most, or
    /// an empty range.
    ///
    /// It starts and ends with a moved row.
    private func bestRows(_ by: Int) -> Range<Int> {
        var best = (rows: 0..<0, sum: 0)
        var start = 0
        var sum = 0
        for row in 0..<height {
            if changed[row] > 0 {
                sum += isMoved(row, by) ? 1 : -2
            } else {
                // Background fits any distance; content that stayed in place does not.
                sum -= isMoved(row, by) ? 0 : 1
            }
            if sum <= 0 {
                sum = 0
                start = row + 1
            } else if sum > best.sum {
                best = (start..<row + 1, sum)
            }
        }
        return best.rows
    }

    /// Returns the rows from the first to the last whose old place changed, too; rows outside of
    /// them show only background.
    private func trimmed(_ rows: Range<Int>, _ by: Int) -> Range<Int> {
        let isContent = { row in isMoved(row, by) && changed[row - by] > 0 }
        guard let first = rows.first(where: isContent), let last = rows.last(where: isContent)
        else { return 0..<0 }
        return first..<last + 1
    }

    /// Returns a byte for each row: 1 if its changed pixels moved with the band, or were uncovered
    /// by it without showing anything new.
    private func explained(_ rows: Range<Int>, _ by: Int) -> [UInt8] {
        let known = Set(reference)
        let covered =
            min(rows.lowerBound, rows.lowerBound - by)..<max(rows.upperBound, rows.upperBound - by)
        return (0..<height).map { row in
            guard covered.contains(row), changed[row] > 0 else { return 0 }
            if rows.contains(row) { return isMoved(row, by) ? 1 : 0 }
            return known.contains(capture[row]) ? 1 : 0
        }
    }
}
