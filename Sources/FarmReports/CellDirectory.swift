// The cells of a run by id: their titles for people, and the order of the matrix.
import FarmCore

/// Finds a cell's title and place.
struct CellDirectory {
    private let cells: [String: (place: Int, cell: CellSummary)]

    init(_ summary: RunSummary) {
        var cells: [String: (place: Int, cell: CellSummary)] = [:]
        for (place, cell) in summary.cells.enumerated() where cells[cell.id] == nil {
            cells[cell.id] = (place, cell)
        }
        self.cells = cells
    }

    /// Whether a cell precedes another in the matrix; unknown cells come last, by their bytes.
    func precedes(_ left: String, _ right: String) -> Bool {
        switch (cells[left]?.place, cells[right]?.place) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// Returns a cell's place in the matrix, or `nil` for an unknown cell.
    func number(_ id: String) -> Int? { cells[id]?.place }

    /// Returns the device's name, or the id of an unknown cell or of `host`.
    func device(_ id: String) -> String {
        guard let cell = cells[id]?.cell, !cell.device.isEmpty else { return id }
        return cell.device
    }

    func os(_ id: String) -> String { cells[id]?.cell.os ?? "" }

    /// Returns the values of the variant axes, in the order of the axes' names: `dark · ja`.
    func variant(_ id: String) -> String {
        cells[id]?.cell.variantWords ?? ""
    }

    /// Returns a title such as `iPhone 8 (13.1) dark · ja`, or the id of an unknown cell.
    func title(_ id: String) -> String { cells[id]?.cell.title ?? id }
}
