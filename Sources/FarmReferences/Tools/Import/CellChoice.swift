// Finds the cell of a picture whose path does not contain one. iOSSnapshotTestCase may write
// device, OS, size and scale into the name; `--cell` decides if names do not.
import FarmCore

/// Chooses the cell of pictures whose path does not contain it.
package struct CellChoice: Sendable {
    /// A rule that gives pictures with a matching path a cell, whatever their names contain.
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

    /// Makes a choice: the first matching rule decides, then the names, then `fallback` unless the
    /// names contradict it.
    ///
    /// `cells` are those of the pipeline, possibly none.
    package init(cells: [Cell], rules: [Rule] = [], fallback: CellID? = nil) {
        self.cells = cells
        self.rules = rules
        self.fallback = fallback
    }

    /// Whether the pipeline has a cell of this name.
    func knows(_ name: String) -> Bool { cells.contains { $0.id.text == name } }

    /// Returns the cell of a picture.
    ///
    /// `name` is the file name without `.png`, or `nil` if the framework never writes the device
    /// into names.
    package func cell(path: String, name: String?) throws(CellChoiceError) -> CellID {
        if let rule = rules.first(where: { $0.paths.matches(path) }) { return rule.cell }
        let hints = DeviceHints(name: name ?? "")
        let fitting = cells.filter(hints.fit).map(\.id)
        if fitting.count == 1, let cell = fitting.first { return cell }
        if let fallback {
            // A cell that the pipeline does not have cannot contradict the name.
            let known = cells.contains { $0.id == fallback }
            if !known || fitting.contains(fallback) { return fallback }
        }
        throw fitting.isEmpty ? .none(hints: hints.text) : .several(fitting.sorted())
    }

    /// Returns the cell of another tool's picture.
    ///
    /// `variant` contains the tool's words for viewport and browser. `w1024px` is a width in
    /// points; any other word is the name of the cell or of its device, or a part of the cell's
    /// name. A browser that no cell names is ignored.
    func cell(path: String, variant: [String]) throws(CellChoiceError) -> CellID {
        if let rule = rules.first(where: { $0.paths.matches(path) }) { return rule.cell }
        var fitting = cells
        for word in variant {
            let exact = fitting.filter { Self.isCalled($0, word) }
            let named = exact.isEmpty ? fitting.filter { Self.names($0, word) } : exact
            guard named.isEmpty, Self.browsers.contains(word.lowercased()) else {
                fitting = named
                continue
            }
        }
        if fitting.count == 1 { return fitting[0].id }
        if let fallback, fitting.isEmpty || fitting.contains(where: { $0.id == fallback }) {
            return fallback
        }
        let ids = fitting.map(\.id).sorted()
        throw ids.isEmpty ? .none(hints: variant.joined(separator: ", ")) : .several(ids)
    }

    private static let browsers: Set = ["chrome", "chromium", "firefox", "webkit"]

    private static func isCalled(_ cell: Cell, _ word: String) -> Bool {
        if let match = word.wholeMatch(of: #/w(\d+)px/#), let width = Int(match.1) {
            return cell.device?.width == width
        }
        let names = [cell.id.text, cell.device?.name ?? ""].map(SceneNames.words)
        return names.contains(SceneNames.words(word))
    }

    private static func names(_ cell: Cell, _ word: String) -> Bool {
        SceneNames.words(cell.id.text).contains(SceneNames.words(word))
    }
}

/// The error for a picture whose cell is unknown.
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
