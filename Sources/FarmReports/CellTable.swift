// The matrix on a terminal: one row per cell, one column per verdict that occurs; where that is
// too wide, one line per cell and one with its counts.
import FarmCore

struct CellTable {
    private let cells: [CellSummary]
    private let rest: Int
    private let verdicts: [Verdict?]
    private let ink: Ink

    /// Columns a name keeps before the table gives way to lines.
    private static let nameColumnsMin = 20

    init(_ summary: RunSummary, ink: Ink) {
        // Where not all cells fit, those that need a look are shown.
        let open = summary.cells.filter { $0.counts.passed != $0.counts.planned }
        let fits = summary.cells.count <= ReportLimits.terminalCellsMax
        cells = fits ? summary.cells : Array(open.prefix(ReportLimits.terminalCellsMax))
        rest = summary.cells.count - cells.count
        verdicts = summary.counts.occurring.reversed()
        self.ink = ink
    }

    /// The table or the list, whatever fits so many columns of a terminal.
    func lines(columns: Int) -> [String] {
        // Of many cells those that need a look are shown; where none does, nothing is said.
        guard !cells.isEmpty else { return [] }
        let longest = cells.map { Columns.width(LegalText.line($0.id)) }.max() ?? 0
        let widths = verdicts.map { max(Wording.word($0).count, 5) + 2 }
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
        for (verdict, width) in zip(verdicts, widths) {
            head += Columns.right(Wording.word(verdict), in: width)
        }
        return [ink.dim(head)]
            + cells.map { cell in
                var line = Columns.left(LegalText.line(cell.id), in: nameWidth)
                for (verdict, width) in zip(verdicts, widths) {
                    let count = cell.counts[verdict]
                    let text = Columns.right(count == 0 ? "·" : String(count), in: width)
                    line += count == 0 ? ink.dim(text) : ink.verdict(verdict, text)
                }
                return line
            }
    }

    private func list(columns: Int) -> [String] {
        cells.flatMap { cell in
            let counts = verdicts.filter { cell.counts[$0] > 0 }
                .map { "\(cell.counts[$0]) \(Wording.word($0))" }.joined(separator: ", ")
            return [Columns.clipped(LegalText.line(cell.id), to: columns)]
                + Columns.wrapped(counts, columns: columns - 2).map { "  " + $0 }
        }
    }
}
