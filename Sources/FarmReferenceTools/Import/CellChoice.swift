// Which cell a picture is of, when its path does not name one: iOSSnapshotTestCase may write
// device, OS, size and scale into the name, and `--cell` decides where names do not.
import FarmCore

/// Decides the cell of pictures whose path does not name it.
package struct CellChoice: Sendable {
    /// Pictures whose path matches are of a cell, whatever their names say.
    package struct Rule: Sendable {
        package var paths: Glob
        package var cell: CellID

        package init(paths: Glob, cell: CellID) {
            self.paths = paths
            self.cell = cell
        }
    }

    private let cells: [Cell]
    private let rules: [Rule]
    private let fallback: CellID?

    /// The first rule that matches decides; then the names; then `fallback`, unless the names say
    /// that it cannot be.
    ///
    /// `cells` are the pipeline's, and may be none.
    package init(cells: [Cell], rules: [Rule] = [], fallback: CellID? = nil) {
        self.cells = cells
        self.rules = rules
        self.fallback = fallback
    }

    /// Whether the pipeline has a cell of this name.
    func knows(_ name: String) -> Bool { cells.contains { $0.id.text == name } }

    /// The cell of a picture.
    ///
    /// `name` is its file name without `.png`; nil where the framework never writes the device
    /// into names.
    package func cell(path: String, name: String?) throws(CellChoiceError) -> CellID {
        if let rule = rules.first(where: { $0.paths.matches(path) }) { return rule.cell }
        let hints = DeviceHints(name: name ?? "")
        let fitting = cells.filter(hints.fit).map(\.id)
        if fitting.count == 1, let cell = fitting.first { return cell }
        if let fallback {
            // A cell that the pipeline does not have can be anything.
            let known = cells.contains { $0.id == fallback }
            if !known || fitting.contains(fallback) { return fallback }
        }
        throw fitting.isEmpty ? .none(hints: hints.text) : .several(fitting.sorted())
    }
}

/// Why the cell of a picture is not known.
package enum CellChoiceError: ExplainedError, Equatable {
    case none(hints: String)
    case several([CellID])

    package var code: String { "picture-cell-unknown" }
    package var exit: ExitCode { .invalidInput }

    package var message: String {
        switch self {
        case .none(let hints):
            hints.isEmpty
                ? "nothing says which cell the picture is of."
                : "no cell of the pipeline fits the name (\(hints))."
        case .several(let cells):
            "\(cells.count) cells fit the name: "
                + cells.prefix(4).map(\.text).joined(separator: ", ")
                + (cells.count > 4 ? ", …." : ".")
        }
    }
    package var remedy: String {
        "Name the cell with `--cell CELL`, or with `--cell 'PATH*=CELL'` for some of the pictures."
    }
}
