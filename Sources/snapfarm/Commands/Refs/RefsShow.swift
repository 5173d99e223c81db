// `snapfarm refs show`: the content of a set; `snapfarm refs diff`: its difference to another.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import FarmRun
import Foundation

struct RefsShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what a set holds, by cell and suite."
    )

    @Argument(help: "A set, a commit, a branch or a pin file (default: the pin).")
    var set: String?
    @OptionGroup var options: RefsOptions

    func run() throws {
        let place = try options.place()
        let store = try place.store()
        let pin = try place.pin(named: set, in: store)
        let description = try store.describe(pin)
        try options.show(description, lines: Self.lines(description))
    }

    private static func lines(_ set: SetDescription) -> [String] {
        var rows: [[String]] = []
        func row(_ name: String, _ pictures: Int, _ bytes: Int, _ object: String) {
            rows.append([name, "\(pictures)", Amount.bytes(bytes), object])
        }
        for cell in set.cells {
            row(cell.cell.text, cell.pictures, cell.bytes, "")
            for suite in cell.suites {
                row("  \(suite.folder)", suite.pictures, suite.bytes, suite.object.short)
            }
        }
        row("all", set.pictures, set.bytes, "")
        var lines = ["set \(set.set)"] + TextTable.lines(rows, numbers: [1, 2])
        if set.absent > 0 {
            lines.append("\(Amount.count(set.absent, "picture")) not in this store yet")
        }
        return lines
    }
}

struct RefsDiff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows what one set has and another has not.",
        discussion: """
            + added, - removed, M changed, R renamed (the same bytes). The page of --report shows \
            the differing pixels, as that of `snapfarm compare`.
            """
    )

    @Argument(help: "A set, a commit, a branch or a pin file.") var before: String
    @Argument(help: "The other one (default: the pin).") var after: String?
    @OptionGroup var options: RefsOptions
    @OptionGroup var page: ReportOptions
    @Flag(help: "Exit with 1 where there is a difference.") var exitCode = false

    func run() async throws {
        let place = try options.place()
        let store = try place.store()
        let difference = try store.diff(
            try place.pin(named: before, in: store),
            try place.pin(named: after, in: store)
        )
        try options.show(difference, lines: difference.lines + [difference.title])
        if page.report != nil { try await writeReport() }
        if exitCode, !difference.isEmpty {
            throw ArgumentParser.ExitCode(ExitCode.differences.rawValue)
        }
    }

    private func writeReport() async throws {
        var request = CompareRequest(
            pairs: .references(before, after),
            flags: PolicyFlags([:]),
            ignored: [],
            jobs: ProcessInfo.processInfo.activeProcessorCount,
            format: .silent,
            listsAll: false,
            environment: OwnEnvironment.variables
        )
        request.report = page.report
        request.language = page.language
        let options = options
        request.place = { try options.place() }
        _ = try await request.perform()
    }
}
