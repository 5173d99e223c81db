// The cells of a run by id: what people read instead of an id, and the order of the matrix.
import FarmCore

/// Finds a cell's description and place.
struct CellDirectory {
    private let cells: [String: (place: Int, cell: CellSummary)]

    init(_ summary: RunSummary) {
        var cells: [String: (place: Int, cell: CellSummary)] = [:]
        for (place, cell) in summary.cells.enumerated() where cells[cell.id] == nil {
            cells[cell.id] = (place, cell)
        }
        self.cells = cells
    }

    /// The matrix's order; unknown cells come last, by their bytes.
    func precedes(_ left: String, _ right: String) -> Bool {
        switch (cells[left]?.place, cells[right]?.place) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// A cell's place in the matrix; nil for unknown cells.
    func number(_ id: String) -> Int? { cells[id]?.place }

    /// The device's name, or the id of an unknown cell or of `host`.
    func device(_ id: String) -> String {
        guard let cell = cells[id]?.cell, !cell.device.isEmpty else { return id }
        return cell.device
    }

    func os(_ id: String) -> String { cells[id]?.cell.os ?? "" }

    /// The values of the variant axes, in the order of the axes' names: `dark · ja`.
    func variant(_ id: String) -> String {
        cells[id]?.cell.variantWords ?? ""
    }

    /// `iPhone 8 (13.1) dark · ja`; the id of an unknown cell.
    func title(_ id: String) -> String { cells[id]?.cell.title ?? id }
}
