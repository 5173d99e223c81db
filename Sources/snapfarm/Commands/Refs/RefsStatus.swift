// `snapfarm refs status`: the checked-out references that were edited.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows which checked-out references were edited here."
    )

    @OptionGroup var options: RefsOptions
    @Flag(help: "Exit with 1 where anything was edited.") var exitCode = false

    func run() throws {
        let place = try options.place()
        let status = try ReferenceCheckout(workTree: try place.workTree().workTree)
            .status(pin: try place.pin(), cells: place.cells)
        try options.show(status, lines: Self.lines(status))
        if exitCode, !status.isClean {
            throw ArgumentParser.ExitCode(ExitCode.differences.rawValue)
        }
    }

    static func lines(_ status: CheckoutStatus) -> [String] {
        var rows = status.modified.map { ["M", $0.path, $0.id.text] }
        rows += status.added.map { ["+", $0.path, $0.id.text] }
        rows += status.deleted.map { ["-", $0.path, $0.id.text] }
        rows += status.unusable.map { ["!", $0.path, $0.reason] }
        var lines = TextTable.lines(rows)
        let words = [
            (status.modified.count, "changed"), (status.added.count, "new"),
            (status.deleted.count, "deleted"), (status.unusable.count, "unusable"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let edits = words.isEmpty ? "nothing edited" : words.joined(separator: ", ")
        lines.append("\(edits), \(status.untouchedCount) as checked out")
        if status.pinMoved {
            lines.append("the pin names other references by now: snapfarm refs checkout")
        }
        return lines
    }
}
