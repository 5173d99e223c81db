// `snapfarm refs log`: which sets there were, or the life of one picture.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import FarmTerminal

struct RefsLog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the journal's sets, or what one picture went through."
    )

    @Argument(help: "A picture, <cell>/<suite>/<name>.") var snapshot: String?
    @OptionGroup var options: RefsOptions
    @Option(name: .shortAndLong, help: "Newest entries that are shown.") var limit: Int = 100

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is \(limit); it must be positive.") }
    }

    func run() throws {
        let place = try options.place()
        let store = try store(place)
        guard let snapshot else {
            let entries = try store.log(limit: min(limit, ReferenceStore.logEntriesMax))
            return try options.show(["entries": entries], lines: entries.map(\.line))
        }
        let events = try store.life(of: SnapshotID(argument: snapshot)).prefix(limit)
        try options.show(["events": Array(events)], lines: events.map(\.line))
        if events.isEmpty { Console.say("the journal knows no picture of this name.") }
    }

    private func store(_ place: ReferencePlace) throws -> ReferenceStore {
        guard place.isRemote, let far = try place.remote() else { return try place.store() }
        _ = try far.fetchJournal()
        return far.clone
    }
}
