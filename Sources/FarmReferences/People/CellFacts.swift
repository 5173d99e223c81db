// The facts about a cell that people read beside its id. They come from the matrix; a cell that has
// left the matrix has only its id.
import FarmCore

/// The facts in the head of a cell's column in the catalogue.
package struct CellFacts: Sendable, Hashable {
    package var device: String
    package var os: String
    /// The size of a full screen in pixels, such as `1170×2532`, or empty if it is unknown.
    ///
    /// Single pictures may be smaller.
    package var size: String
    /// The cell's values of the variant axes, such as `dark · ja`.
    package var variant: String

    package init(device: String, os: String = "", size: String = "", variant: String = "") {
        self.device = device
        self.os = os
        self.size = size
        self.variant = variant
    }

    package init(_ cell: Cell) {
        device = cell.device?.name ?? cell.id.text
        os = cell.device?.os ?? ""
        size = cell.pixels.map { $0.width > 0 ? $0.description : "" } ?? ""
        variant = cell.variant.map(\.value).joined(separator: " · ")
    }
}
