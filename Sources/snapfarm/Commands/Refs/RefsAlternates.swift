// `snapfarm refs alternates`: the pictures that are right beside a reference.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsAlternates: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alternates",
        abstract: "Lists the alternates of the references: who accepted each, and its uses.",
        discussion: """
            The uses come from --history: a data folder, the file of `run --history`, a run's \
            summary.json, or a folder of these. `refs prune --alternates` removes those without use.
            """
    )

    @OptionGroup var options: RefsOptions
    @Option(help: "A set, a commit, a branch or a pin file (default: the pin).") var set: String?
    @Option(help: "A data folder, a history's file, or summary.json of runs, for the uses.")
    var history: String?

    func run() throws {
        let place = try options.place()
        let pin = try place.pin(named: set, in: try place.store())
        let store = try place.store(holding: pin)
        let uses = try history.map { try AlternateHistory(reading: PipelineSource.absolute($0)) }
        let all = try store.alternates(of: pin, uses: uses?.uses ?? AlternateUses())
        let none = "no reference has an alternate"
        try options.show(
            ["alternates": all],
            lines: all.isEmpty ? [none] : all.map(\.line)
        )
    }
}
