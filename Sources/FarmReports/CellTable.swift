// The matrix on a terminal: one row per cell, one column for each count that occurs. If that is too
// wide, each cell has a line for its name and one for its counts.
import FarmCore

struct CellTable {
    private let cells: [CellSummary]
    private let rest: Int
    private let counted: [CountColumn]
    private let ink: Ink

    /// The fewest columns of the terminal for names; with less room, the table becomes a list.
    private static let nameColumnsMin = 20

    init(_ summary: RunSummary, ink: Ink) {
        // If not all cells fit, only those that need a look are shown.
        let open = summary.cells.filter { cell in
            cell.counts.passed + cell.counts.skipped + cell.counts.inherited
                != cell.counts.planned
        }
        let fits = summary.cells.count <= ReportLimits.terminalCellsMax
        cells = fits ? summary.cells : Array(open.prefix(ReportLimits.terminalCellsMax))
        rest = summary.cells.count - cells.count
        counted = summary.counts.occurring.reversed()
        self.ink = ink
    }

    /// Returns the lines of the table, or of the list if the table is wider than `columns`.
    func lines(columns: Int) -> [String] {
        // Of too many cells, only those that need a look are shown; there may be none.
        guard !cells.isEmpty else { return [] }
        let longest = cells.map { Columns.width(LegalText.line($0.id)) }.max() ?? 0
        let widths = counted.map { max($0.word.count, 5) + 2 }
        let left = columns - widths.reduce(0, +)
        var lines = [""]
        if left >= min(longest, Self.nameColumnsMin) {
            lines += table(nameWidth: min(longest, left), widths: widths)
        } else {
            lines += list(columns: columns)
        }
        if rest > 0 { lines.append("and \(rest) more \(rest == 1 ? "cell" : "cells")") }
        return lines
    }

    private func table(nameWidth: Int, widths: [Int]) -> [String] {
        var head = String(repeating: " ", count: nameWidth)
        for (column, width) in zip(counted, widths) {
            head += Columns.right(column.word, in: width)
        }
        return [ink.dim(head)]
            + cells.map { cell in
                var line = Columns.left(LegalText.line(cell.id), in: nameWidth)
                for (column, width) in zip(counted, widths) {
                    let count = cell.counts[column]
                    let text = Columns.right(count == 0 ? "·" : String(count), in: width)
                    line += count == 0 ? ink.dim(text) : painted(text, column)
                }
                return line
            }
    }

    private func painted(_ text: String, _ column: CountColumn) -> String {
        switch column {
        case .verdict(let verdict): ink.verdict(verdict, text)
        case .skipped: ink.dim(text)
        }
    }

    private func list(columns: Int) -> [String] {
        cells.flatMap { cell in
            let counts = counted.filter { cell.counts[$0] > 0 }
                .map { "\(cell.counts[$0]) \($0.word)" }.joined(separator: ", ")
            return [Columns.clipped(LegalText.line(cell.id), to: columns)]
                + Columns.wrapped(counts, columns: columns - 2).map { "  " + $0 }
        }
    }
}
