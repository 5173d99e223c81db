// `snapfarm refs export`: writes a set as files, byte for byte as it was recorded.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes references as files.",
        discussion: """
            Without --layout the pictures go where they were imported from or checked out to, or \
            else into <cell>/<suite>/.
            """
    )

    @Argument(help: "The folder to write into.") var target: String
    @OptionGroup var options: RefsOptions
    @OptionGroup var layout: LayoutOptions
    @Option(help: "A set, a commit or a pin file (default: the pin).") var set: String?
    @Flag(help: "Overwrite files that are in the way.") var force = false
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    struct Result: Encodable {
        var files: [String]
        var bytes: Int
        var unplaced: [SnapshotID]
        var taken: [String]
        var dryRun: Bool
    }

    func run() throws {
        let place = try options.place()
        let pin = try place.pin(named: set, in: try place.store())
        let store = try place.store(holding: pin)
        let git = try? place.workTree()
        let known = try git.flatMap { try ReferenceCheckout(workTree: $0.workTree).manifest() }
        let wanted =
            try layout.layout(of: pin, in: store, root: git?.workTree ?? place.folder)
            ?? known?.layout ?? .plain(folder: "")
        let references = try layout.chosen(of: pin).flatMap {
            try store.references(pin, cell: $0)
        }
        let export = ReferenceExport(into: PipelineSource.absolute(target))
        let plan = try export.plan(references, layout: wanted, force: force)
        let bytes = dryRun ? 0 : try export.apply(plan) { try store.read($0) }
        let result = Result(
            files: plan.files.map(\.path),
            bytes: bytes,
            unplaced: plan.unplaced,
            taken: plan.taken,
            dryRun: dryRun
        )
        var lines = dryRun ? result.files : []
        lines += plan.taken.map { "\($0): another file is here" }
        lines += plan.unplaced.map { "\($0): no place in this layout" }
        lines.append("\(Amount.count(plan.files.count, "picture")) in \(target)")
        try options.show(result, lines: lines)
    }
}
