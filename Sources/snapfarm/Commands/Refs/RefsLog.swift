// `snapfarm refs log`: the sets of the journal; for a picture, why it is the reference in a set,
// and its history.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsLog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the journal's sets, or why one picture is the reference.",
        discussion: """
            Of a picture: since which set it is as it is, who recorded or approved that and why, \
            and its history along the sets that led to the pin's, also under earlier names; \
            --report writes these as a page with the pictures.
            """
    )

    @Argument(help: "A picture, <cell>/<suite>/<name>.") var snapshot: String?
    @OptionGroup var options: RefsOptions
    @Option(help: "With a picture: a set, a commit, a branch or a pin file (default: the pin).")
    var set: String?
    @OptionGroup var page: ReportOptions
    @Option(name: .shortAndLong, help: "Newest entries that are shown.") var limit: Int = 100

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is \(limit); it must be positive.") }
        guard set == nil && page.report == nil || snapshot != nil else {
            throw ValidationError("--set and --report need a picture.")
        }
    }

    func run() throws {
        let place = try options.place()
        let store = try store(place)
        guard let snapshot else {
            let entries = try store.log(limit: min(limit, ReferenceStore.logEntriesMax))
            return try options.show(["entries": entries], lines: entries.map(\.line))
        }
        let id = try SnapshotID(argument: snapshot)
        let pin = try place.pin(named: set, in: store)
        let baseline = try store.baseline(
            of: id,
            in: pin,
            rules: SuccessionRules(
                cells: place.cells,
                renames: place.pipeline?.references?.renames ?? []
            ),
            limit: limit
        )
        if baseline.reference == nil, baseline.events.isEmpty {
            throw RefsError.unknownPicture(id, near: try Self.near(id, in: pin, store))
        }
        try options.show(baseline, lines: Self.lines(baseline))
        guard let folder = page.report else { return }
        try HistoryFolder.write(baseline, of: store, to: folder, language: page.language)
        Console.say("Report: \(folder)/index.html")
    }

    private static func lines(_ baseline: Baseline) -> [String] {
        var lines = ["\(baseline.id)"] + baseline.reasons.map { "  \($0)" }
        lines += baseline.events.map(\.line)
        if baseline.isCut { lines.append("the journal does not tell what was before.") }
        return lines
    }

    /// Returns the picture of a pin with the most similar name, first among those of its cell.
    private static func near(
        _ id: SnapshotID,
        in pin: ReferencePin,
        _ store: ReferenceStore
    ) throws -> String? {
        let all = try store.references(pin).map(\.id)
        let ofCell = all.filter { $0.cell == id.cell }
        return nearest(id.text, among: (ofCell.isEmpty ? all : ofCell).map(\.text))
    }

    private func store(_ place: ReferencePlace) throws -> ReferenceStore {
        guard place.isRemote, let far = try place.remote() else { return try place.store() }
        _ = try far.fetchJournal()
        return far.clone
    }
}
