// Rows or columns that are unlike all others, and so prove a move. Only a line that differs from
// the one before it counts, and both identify it: this finds the edges of flat shapes, while ground
// and repeated list rows prove nothing.
import CFarmShims
import FarmCore

/// Finds lines of the reference that are unlike all others again in the capture.
struct DistinctLines {
    /// The fewest lines that must agree on a distance; a single one may be chance.
    private static let linesMin = 2

    /// The digests of a line and of the line before it, which identify the line together.
    private struct Edge: Hashable {
        var before: UInt64
        var here: UInt64
    }

    /// The distance of each line of the capture from its place in the reference, or `nil` if
    /// unknown.
    let distances: [Int?]

    /// Matches the lines of two pictures by their digests.
    ///
    /// The digests are those of all lines of the canvas; `FARM_NO_DIGEST` stands for a line that a
    /// side lacks.
    init(reference: [UInt64], capture: [UInt64]) {
        let origins = Self.places(reference)
        var distances = [Int?](repeating: nil, count: capture.count)
        for (edge, place) in Self.places(capture) {
            if let place, let origin = origins[edge] ?? nil { distances[place] = place - origin }
        }
        self.distances = distances
    }

    /// Matches the rows of two pictures, within the columns of `box` in the reference; the
    /// capture's columns are `by` further right.
    init(rowsOf pair: UnsafePointer<farm_pair>, _ box: farm_box, by: Int) {
        let count = withUnsafePointer(to: pair.pointee.rows) { Int(farm_axis_length($0)) }
        self.init(count: count, across: box.left, box.right, by: by) {
            farm_row_digests(pair, $0, $1, $2, $3)
        }
    }

    /// Matches the columns of two pictures, within the rows of `box` in the reference; the
    /// capture's rows are `by` further down.
    init(columnsOf pair: UnsafePointer<farm_pair>, _ box: farm_box, by: Int) {
        let count = withUnsafePointer(to: pair.pointee.columns) { Int(farm_axis_length($0)) }
        self.init(count: count, across: box.top, box.bottom, by: by) {
            farm_column_digests(pair, $0, $1, $2, $3)
        }
    }

    /// Matches `count` lines by their pixels from `start` to `end`, in the capture shifted by `by`.
    ///
    /// `digest` writes the digests of a side (1 the reference, 2 the capture) between two pixels.
    private init(
        count: Int,
        across start: UInt32,
        _ end: UInt32,
        by: Int,
        digest: (Int32, UInt32, UInt32, UnsafeMutablePointer<UInt64>) -> Void
    ) {
        func digests(_ side: Int32, _ shift: Int) -> [UInt64] {
            var digests = [UInt64](repeating: 0, count: count)
            digest(side, UInt32(Int(start) + shift), UInt32(Int(end) + shift), &digests)
            return digests
        }
        self.init(reference: digests(1, 0), capture: digests(2, by))
    }

    /// Returns whether the lines `lines` of the reference moved by `by`: at least `linesMin` of
    /// them did, and at least 90 % of those with a known distance.
    func prove(_ by: Int, in lines: Range<Int>) -> Bool {
        // An edge is counted at the line after it.
        let told = distances.enumerated().filter { place, distance in
            distance.map { lines.contains(place - $0) || place - $0 == lines.upperBound } ?? false
        }
        let agreeing = told.count { $0.element == by }
        return agreeing >= Self.linesMin && agreeing * 10 >= told.count * 9
    }

    /// Returns the index of the only line with each edge, or `nil` for an edge that occurs twice.
    private static func places(_ digests: [UInt64]) -> [Edge: Int?] {
        var places: [Edge: Int?] = [:]
        let none = UInt64(FARM_NO_DIGEST)
        for place in digests.indices.dropFirst() {
            let edge = Edge(before: digests[place - 1], here: digests[place])
            guard edge.before != edge.here, edge.before != none, edge.here != none else { continue }
            places.updateValue(places.keys.contains(edge) ? Int?.none : place, forKey: edge)
        }
        return places
    }
}
