// `snapfarm refs checkout`: puts references where the test framework looks for them.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsCheckout: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkout",
        abstract: "Puts references where the test framework looks for them.",
        discussion: """
            Git ignores them in this clone (.git/info/exclude). Layout and cells are remembered \
            for the next checkout. What was edited here stays, and the exit code is then 1. What \
            the repository tracks is never removed.
            """
    )

    @OptionGroup var options: RefsOptions
    @OptionGroup var layout: LayoutOptions
    @Flag(help: "Overwrite and remove what was edited here.") var force = false
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    struct Result: Encodable {
        var written: Int
        var kept: Int
        var removed: [String]
        /// The paths of files that the pin no longer has, but that Git tracks.
        var tracked: [String]
        var conflicts: [CheckoutConflict]
        var unplaced: [SnapshotID]
        var dryRun: Bool
    }

    func run() throws {
        let place = try options.place()
        let pin = try place.pin()
        let git = try place.workTree()
        let store = try place.store(holding: pin)
        let checkout = ReferenceCheckout(workTree: git.workTree)
        let before = try checkout.manifest()
        guard
            let wanted = try layout.layout(of: pin, in: store, root: git.workTree)
                ?? before?.layout
        else { throw RefsError.noLayout }
        var cells = try layout.chosen(of: pin)
        if layout.cells.isEmpty, layout.layout == nil, let before {
            // Cells that have left the pin leave the work tree; new ones are added.
            cells = Self.next(after: before, pin: pin)
        }
        let plan = try checkout.plan(
            pin: pin,
            cells: cells,
            layout: wanted,
            references: try cells.flatMap { try store.references(pin, cell: $0) },
            force: force,
            isTracked: try git.isTracked()
        )
        if !dryRun {
            let manifest = try checkout.apply(plan) { try store.read($0) }
            try git.ignore(WorkTreeGit.ignoreLines(for: manifest.files.keys))
        }
        let result = Result(
            written: plan.writes.count,
            kept: plan.keptCount,
            removed: plan.removals,
            tracked: plan.tracked,
            conflicts: plan.conflicts,
            unplaced: plan.unplaced,
            dryRun: dryRun
        )
        try options.show(result, lines: Self.lines(result, plan))
        guard plan.conflicts.isEmpty else {
            throw ArgumentParser.ExitCode(ExitCode.differences.rawValue)
        }
    }

    /// Returns the cells of the next checkout; a checkout of one cell stays with that cell.
    private static func next(after before: CheckoutManifest, pin: ReferencePin) -> [CellID] {
        let left = before.cells.filter { pin.cells.contains($0) }
        return before.cells.count == 1 && !left.isEmpty ? left : pin.cells
    }

    private static func lines(_ result: Result, _ plan: CheckoutPlan) -> [String] {
        var lines: [String] = []
        if result.dryRun {
            lines += plan.writes.map { "write \($0.reference.path)" }
            lines += result.removed.map { "remove \($0)" }
        }
        lines += result.conflicts.map { "\($0.path): \(words($0.reason))" }
        lines += result.tracked.map { "\($0): no longer needed here, but tracked by Git: it stays" }
        lines += result.unplaced.map { "\($0): no place in this layout" }
        lines.append(
            "\(result.written) written, \(result.kept) kept, \(result.removed.count) removed"
                + (result.conflicts.isEmpty
                    ? "" : "; \(result.conflicts.count) edited here and left as they are")
        )
        if !result.tracked.isEmpty {
            lines.append("the next checkout removes what `git rm --cached` took out of Git")
        }
        return lines
    }

    private static func words(_ reason: CheckoutConflict.Reason) -> String {
        switch reason {
        case .edited: "edited here"
        case .editedAndDropped: "edited here, and no reference any more"
        case .notAFile: "not a file"
        }
    }
}
