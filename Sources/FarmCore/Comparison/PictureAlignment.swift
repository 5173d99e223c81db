// The alignment of two pictures of different sizes. A picture that grew has a band of rows or
// columns that the other lacks; the parts beyond the band lie on their counterparts.
//
// Invariants
//   - Positions are those of the canvas, which holds both pictures and which the diff picture
//     shows. A canvas is as wide as the wider and as high as the higher picture.
//   - Without a band the two sides have the same length.

/// The alignment of two pictures: the place of each picture's rows and columns in the other one.
package struct PictureAlignment: Hashable, Sendable, Codable {
    /// A band: adjacent rows or columns that only one of the two pictures has.
    package struct Band: Hashable, Sendable, Codable {
        package enum Change: String, Hashable, Sendable, Codable {
            /// The capture has the band, and the reference does not.
            case inserted
            /// The reference has the band, and the capture does not.
            case removed
        }
        package var change: Change
        /// The band's first row or column on the canvas.
        package var at: Int
        package var count: Int

        package init(change: Change, at: Int, count: Int) {
            self.change = change
            self.at = at
            self.count = count
        }
    }

    package var rows: Band?
    package var columns: Band?
    /// Whether the parts of both pictures beside the bands match.
    ///
    /// If not, the pictures have too little in common or another scale, and the bands lie at the
    /// right and the lower edge.
    package var fits: Bool

    package init(rows: Band? = nil, columns: Band? = nil, fits: Bool = true) {
        self.rows = rows
        self.columns = columns
        self.fits = fits
    }

    /// Returns the size of the canvas that holds both pictures: the larger width and the larger
    /// height.
    package static func canvas(_ reference: PixelSize, _ capture: PixelSize) -> PixelSize {
        PixelSize(
            width: max(reference.width, capture.width),
            height: max(reference.height, capture.height)
        )
    }

    /// Returns the factor between the sizes of capture and reference, with at most one decimal.
    ///
    /// Returns `nil` unless both sides grew or shrank by the same factor (to 1 %), and by at least
    /// a tenth.
    package static func scale(_ reference: PixelSize, _ capture: PixelSize) -> String? {
        let wide = Double(capture.width) / Double(reference.width)
        let high = Double(capture.height) / Double(reference.height)
        guard abs(wide - high) <= 0.01 * max(wide, high) else { return nil }
        let tenths = Int(((wide + high) * 5).rounded())
        guard tenths > 0, tenths != 10 else { return nil }
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
