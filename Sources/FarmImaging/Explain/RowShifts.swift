// Finds the places where a picture got more or fewer rows, so that its content below moved. Rows are
// recognised by digests, like those of a band (BandFinder), but here every row of both pictures is
// accounted for: shifts are only used if the pixels are compared afterwards (ShiftedPair).
import FarmCore

/// The shifts between the rows of two pictures, and the canvas on which their rows lie beside each
/// other.
struct RowShifts {
    /// The rows of the two pictures that lie on one row of the canvas; a picture that lacks the row
    /// repeats one of its rows beside.
    struct Row: Hashable {
        var reference: Int
        var capture: Int
    }

    /// The fewest lines that must agree on a distance; a single one may be chance.
    private static let linesMin = 2

    private(set) var rows: [Row] = []
    private(set) var shifts: [Explanation.RowShift] = []

    /// The digests of the rows.
    private let reference: [UInt64]
    private let capture: [UInt64]
    /// The numbers of rows of each picture that lie on the canvas so far.
    private var done = Row(reference: 0, capture: 0)

    /// Finds the shifts between two pictures whose rows have these digests.
    init(reference: [UInt64], capture: [UInt64]) {
        self.reference = reference
        self.capture = capture
        let stretches = Self.stretches(
            DistinctLines(reference: reference, capture: capture).distances
        )
        guard stretches.contains(where: { $0.by != 0 }) else { return }
        for stretch in stretches { lay(stretch) }
        layEnd()
    }

    /// The number of rows of the canvas on which the two pictures differ.
    var differing: Int { rows.count { !areEqual($0.reference, $0.capture) } }

    private func areEqual(_ row: Int, _ other: Int) -> Bool { reference[row] == capture[other] }

    // MARK: stretches

    /// Rows of the reference that lie `by` rows further down in the capture.
    private struct Stretch {
        var rows: Range<Int>
        var by: Int
        /// The number of distinct lines that prove the stretch.
        var lines: Int
    }

    /// Returns the stretches of rows that moved by one distance, from the top to the bottom in both
    /// pictures; `distances` are those of the capture's rows.
    private static func stretches(_ distances: [Int?]) -> [Stretch] {
        let lines = distances.enumerated().compactMap { place, by in
            by.map { (row: place - $0, by: $0) }
        }
        var stretches: [Stretch] = []
        func add(_ next: Stretch) {
            if let last = stretches.last, last.by == next.by {
                stretches[stretches.count - 1].rows = last.rows.lowerBound..<next.rows.upperBound
                stretches[stretches.count - 1].lines += next.lines
            } else {
                stretches.append(next)
            }
        }
        for line in longestRise(lines.map(\.row)).map({ lines[$0] }) {
            // A distinct line is known by the one above it, which moved along.
            add(Stretch(rows: line.row - 1..<line.row + 1, by: line.by, lines: 1))
        }
        let proven = stretches.filter { $0.lines >= linesMin }
        stretches = []
        for stretch in proven { add(stretch) }
        return stretches
    }

    /// Returns the places of the longest series of numbers that rises (patience sorting).
    private static func longestRise(_ numbers: [Int]) -> [Int] {
        /// The place of the smallest number that ends a series of each length.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            before[place] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var series: [Int] = []
        var place = ends.last
        while let at = place {
            series.append(at)
            place = before[at]
        }
        return series.reversed()
    }

    // MARK: laying rows on the canvas

    private mutating func lay(_ stretch: Stretch) {
        let by = stretch.by
        var start = max(stretch.rows.lowerBound, done.reference, done.capture - by)
        // Ground above a stretch belongs to it: so the place of a shift does not depend on what
        // comes below.
        while start > done.reference, start + by > done.capture,
            areEqual(start - 1, start - 1 + by)
        {
            start -= 1
        }
        layEqual(until: Row(reference: start, capture: start + by))
        layGap(until: Row(reference: start, capture: start + by))
        for row in start..<stretch.rows.upperBound {
            rows.append(Row(reference: row, capture: row + by))
        }
        done.reference = stretch.rows.upperBound
        done.capture = stretch.rows.upperBound + by
    }

    /// Lays the rows down to an end as long as they are equal.
    private mutating func layEqual(until end: Row) {
        while done.reference < end.reference, done.capture < end.capture,
            areEqual(done.reference, done.capture)
        {
            rows.append(done)
            done.reference += 1
            done.capture += 1
        }
    }

    /// Lays the rows between two stretches; the picture that has fewer repeats the row below.
    private mutating func layGap(until end: Row) {
        let both = min(end.reference - done.reference, end.capture - done.capture)
        let more = (end.capture - done.capture) - (end.reference - done.reference)
        rows += Self.pairs(both, done)
        done = done.down(both)
        rows += Self.only(more, done, repeated: more > 0 ? end.reference : end.capture)
        if more != 0 {
            shifts.append(
                Explanation.RowShift(row: more > 0 ? end.reference : done.reference, by: more)
            )
        }
        done = end
    }

    /// Lays the rows below the last stretch.
    ///
    /// In pictures of one height, the reference's content that moved out of the picture is not on
    /// the canvas: the capture does not show it.
    private mutating func layEnd() {
        let end = Row(reference: reference.count, capture: capture.count)
        layEqual(until: end)
        let both = min(end.reference - done.reference, end.capture - done.capture)
        let more = (end.capture - done.capture) - (end.reference - done.reference)
        rows += Self.pairs(both, done)
        done = done.down(both)
        let isOneHeight = end.reference == end.capture
        guard more > 0 || more < 0 && !isOneHeight else { return }
        rows += Self.only(more, done, repeated: more > 0 ? end.reference - 1 : end.capture - 1)
        if !isOneHeight {
            let row = more > 0 ? end.reference - 1 : done.reference
            shifts.append(Explanation.RowShift(row: row, by: more))
        }
    }

    private static func pairs(_ count: Int, _ first: Row) -> [Row] {
        (0..<count).map { first.down($0) }
    }

    /// Returns rows that only one picture has, beside a repeated row of the other: `more` rows of
    /// the capture, or `-more` rows of the reference.
    private static func only(_ more: Int, _ first: Row, repeated row: Int) -> [Row] {
        (0..<abs(more)).map {
            more > 0
                ? Row(reference: row, capture: first.capture + $0)
                : Row(reference: first.reference + $0, capture: row)
        }
    }
}

extension RowShifts.Row {
    fileprivate func down(_ rows: Int) -> Self {
        Self(reference: reference + rows, capture: capture + rows)
    }
}
