// `snapfarm refs move` and `refs retire`: renames references or removes them, without copying a
// byte. Earlier sets keep them.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsMove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves a cell, a suite, a picture or many to another name.",
        discussion: """
            Names are <cell>, <cell>/<suite> or <cell>/<suite>/<name>.png. With * or ? they are \
            patterns of whole names, <cell>/<suite>/<name>, as --select snapshot= takes them: each \
            sign of the new name stands for what the old one's takes, as in '*/Checkout/*' \
            '*/Payment/*'.
            """
    )

    @Argument(help: "The old name, or a pattern.") var old: String
    @Argument(help: "The new name, of the same kind; of a pattern with the same * and ?.") var new:
        String
    @OptionGroup var options: RefsOptions
    @Option(help: "OLD=NEW for names that carry the device; may be repeated.")
    var rename: [String] = []
    @Option(help: "Why; stands in the journal.") var reason: String?
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    func run() throws {
        let place = try options.place()
        let pin = try place.pin()
        let store = try place.store(holding: pin)
        let rules = try rename.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw RefsError.badOption("--rename \(text)", "it is not OLD=NEW")
            }
            return try RenameRule(old: String(parts[0]), new: String(parts[1]))
        }
        let plan = try store.planMove(old, to: new, in: pin, renames: rules)
        try MoveAction(options: options, dryRun: dryRun, reason: reason)
            .perform(plan, in: store, place)
    }
}

struct RefsRetire: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Takes a cell, a suite or a picture out of the next set."
    )

    @Argument(help: "<cell>, <cell>/<suite> or <cell>/<suite>/<name>.png.") var name: String
    @OptionGroup var options: RefsOptions
    @Option(help: "Why; stands in the journal.") var reason: String?
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    func run() throws {
        let place = try options.place()
        let pin = try place.pin()
        let store = try place.store(holding: pin)
        let plan = try store.planRetirement(of: name, in: pin)
        try MoveAction(options: options, dryRun: dryRun, reason: reason)
            .perform(plan, in: store, place)
    }
}

/// Prints the plan of a move, then makes the set unless it is a dry run.
private struct MoveAction {
    let options: RefsOptions
    let dryRun: Bool
    let reason: String?

    private struct Result: Encodable {
        var plan: MovePlan
        var adopted: AdoptedSet?
    }

    func perform(_ plan: MovePlan, in store: ReferenceStore, _ place: ReferencePlace) throws {
        if !options.json { for line in plan.lines { Console.print(line + "\n") } }
        var adopted: AdoptedSet?
        if !dryRun {
            adopted = try store.withPruneBlocked {
                let made = try store.write(plan, current: try place.pin())
                return try place.adopt(
                    made.pin,
                    set: made.set,
                    over: plan.base,
                    in: store,
                    reason: reason
                )
            }
        }
        try options.show(
            Result(plan: plan, adopted: adopted),
            lines: adopted.map { ["set \($0.set): \(plan.title)"] } ?? [plan.title]
        )
        if let adopted { place.sayWhatToCommit(adopted, in: options.words) }
    }
}
