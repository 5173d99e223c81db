// What people want to read about a cell beside its id. The matrix knows it; for cells that have
// left the matrix the id itself must do.
import FarmCore

/// A cell as a column of the catalogue.
package struct CellFacts: Sendable, Hashable {
    package var device: String
    package var os: String
    /// Pixels of a full screen, or empty; single pictures may be smaller.
    package var size: String
    /// `dark · ja`.
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
