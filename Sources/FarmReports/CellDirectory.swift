// The cells of a run by id: their titles for people, and the order of the matrix.
import FarmCore

/// Finds the titles of a run's cells and their order in the matrix, by id.
struct CellDirectory {
    private let cells: [String: (place: Int, cell: CellSummary)]

    init(_ summary: RunSummary) {
        var cells: [String: (place: Int, cell: CellSummary)] = [:]
        for (place, cell) in summary.cells.enumerated() where cells[cell.id] == nil {
            cells[cell.id] = (place, cell)
        }
        self.cells = cells
    }

    /// Returns whether a cell comes before another one in the matrix; unknown cells come last, in
    /// the order of their bytes.
    func precedes(_ left: String, _ right: String) -> Bool {
        switch (cells[left]?.place, cells[right]?.place) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// Returns the index of a cell in the matrix, or `nil` for an unknown cell.
    func number(_ id: String) -> Int? { cells[id]?.place }

    /// Returns the name of a cell's device; for an unknown cell or `host`, the id itself.
    func device(_ id: String) -> String {
        guard let cell = cells[id]?.cell, !cell.device.isEmpty else { return id }
        return cell.device
    }

    func os(_ id: String) -> String { cells[id]?.cell.os ?? "" }

    /// Returns the values of a cell's variant axes, in the order of the axes' names: `dark · ja`.
    func variant(_ id: String) -> String {
        cells[id]?.cell.variantWords ?? ""
    }

    /// Returns a cell's title such as `iPhone 8 (13.1) dark · ja`, or the id of an unknown cell.
    func title(_ id: String) -> String { cells[id]?.cell.title ?? id }
}
