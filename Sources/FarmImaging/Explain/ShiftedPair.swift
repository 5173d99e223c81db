// Two pictures laid beside each other so that content that moved up or down meets itself. All pixels
// are then compared as usual: a pixel that differs there is a part of the difference, whatever the
// search for the shifts found.
import CFarmShims
import FarmCore

struct ShiftedPair {
    /// The divisor of the picture's height that gives the fewest rows that shifts must explain;
    /// content that moved within a few rows is a region.
    private static let heightShare = 8
    /// The most rows of pictures that are searched.
    private static let rowsMax = 200_000

    private let shifts: RowShifts
    /// The columns that changed; the pictures are equal beside them.
    private let columns: Range<Int>
    private let reference: Bitmap
    private let capture: Bitmap

    /// Lays out two pictures; `nil` if no shifts explain enough rows.
    ///
    /// `classes` are those of the two pictures' canvas.
    init?(_ reference: Bitmap, _ capture: Bitmap, _ classes: PixelClasses) {
        let heights = (reference.height, capture.height)
        let least = max(heights.0, heights.1) / Self.heightShare
        guard reference.width == capture.width, max(heights.0, heights.1) <= Self.rowsMax,
            !reference.isDeep, !capture.isDeep
        else { return nil }
        let changed = Self.changed(classes)
        let columns = heights.0 == heights.1 ? changed.columns : 0..<reference.width
        guard changed.rows + abs(heights.0 - heights.1) > least else { return nil }
        let digests = Self.digests(reference, capture, columns)
        let shifts = RowShifts(reference: digests.0, capture: digests.1)
        let before = max(heights.0, heights.1) - zip(digests.0, digests.1).count { $0 == $1 }
        guard (1...Explanation.Parts.shiftsMax).contains(shifts.shifts.count),
            before - shifts.differing >= least,
            shifts.rows.count * columns.count <= FarmLimits.picturePixelsMax,
            let laid = Bitmap(reference, columns, rows: shifts.rows.map(\.reference)),
            let other = Bitmap(capture, columns, rows: shifts.rows.map(\.capture))
        else { return nil }
        self.shifts = shifts
        self.columns = columns
        self.reference = laid
        self.capture = other
    }

    /// Returns the shifts, and the recolourings and regions that they leave over.
    func parts(_ rule: ClassRule) -> Explanation.Parts {
        var classes = PixelClasses(
            reference,
            capture,
            noise: rule.noise,
            antiAliasing: rule.antiAliasing
        )
        let recolourings = classes.takeRecolourings(reference, capture, nil)
        let cut = RegionCut(reference, capture, classes, nil)
        return Explanation.Parts(
            shifts: shifts.shifts,
            recolourings: recolourings,
            rest: cut.regions.map { region in
                var region = region
                region.box.x += columns.lowerBound
                region.box.y = shifts.rows[region.box.y].capture
                return region
            },
            restCount: cut.regionCount
        )
    }

    /// Returns the number of rows and the range of columns that changed.
    private static func changed(_ classes: PixelClasses) -> (rows: Int, columns: Range<Int>) {
        let size = classes.size
        var rows = [UInt32](repeating: 0, count: size.height)
        var left: UInt32 = 0
        var right: UInt32 = 0
        farm_changed_rows(
            classes.classes,
            UInt32(size.width),
            UInt32(size.height),
            &rows,
            &left,
            &right
        )
        return (rows.count { $0 > 0 }, Int(left)..<Int(max(left, right)))
    }

    /// Returns the digests of both pictures' rows, within the columns.
    private static func digests(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ columns: Range<Int>
    ) -> ([UInt64], [UInt64]) {
        PictureAlignment().withPair(reference, capture) { pair in
            func digests(_ side: Int32, _ height: Int) -> [UInt64] {
                let canvas = max(reference.height, capture.height)
                var digests = [UInt64](repeating: 0, count: canvas)
                farm_row_digests(
                    pair,
                    side,
                    UInt32(columns.lowerBound),
                    UInt32(columns.upperBound),
                    &digests
                )
                return Array(digests.prefix(height))
            }
            return (digests(1, reference.height), digests(2, capture.height))
        }
    }
}
