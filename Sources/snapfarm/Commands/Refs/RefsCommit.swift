// `snapfarm refs commit`: locally recorded pictures become a set.
import ArgumentParser
import FarmCore
import FarmReferenceTools
import FarmReferences
import FarmRun
import FarmTerminal

struct RefsCommit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit",
        abstract: "Makes a set of the references edited here, and moves the pin."
    )

    @OptionGroup var options: RefsOptions
    @Flag(help: "Take pictures that were deleted here out of the set.") var deletions = false
    @Flag(
        help: """
            Take the edited picture even if the pin's picture changed as well.
            """
    ) var force = false
    @Option(help: "The job of new suites (default: the first snapshot job).") var job: String?
    @Option(help: "Why; stands in the journal.") var reason: String?
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    func run() throws {
        let place = try options.place()
        let pin = try place.pin()
        let store = try place.store(holding: pin)
        let checkout = ReferenceCheckout(workTree: try place.workTree().workTree)
        let status = try checkout.status(pin: pin, cells: place.cells)
        if let first = status.unusable.first {
            throw RefsError.unusable(
                count: status.unusable.count,
                first: first.path,
                reason: first.reason
            )
        }
        let plan = try checkout.commitPlan(
            status,
            pin: pin,
            store: store,
            deletions: deletions,
            job: job.map { JobName($0) } ?? place.snapshotJob,
            renderer: [:],
            force: force
        )
        if !status.deleted.isEmpty, !deletions {
            Console.say(
                "\(Amount.count(status.deleted.count, "picture")) deleted here "
                    + "stay references; --deletions takes them out."
            )
        }
        guard !dryRun else {
            return try options.show(
                ["edits": plan.edits],
                lines: plan.edits.map { "\(Self.sign($0)) \($0.id)" }
            )
        }
        let adopted = try store.holdingOffPrune {
            let made = try checkout.record(plan, to: store)
            let adopted = try place.adopt(
                made.pin,
                set: made.set,
                over: pin,
                in: store,
                reason: reason
            )
            try checkout.note(plan, as: made, in: store)
            return adopted
        }
        try options.show(adopted, lines: adopted.lines)
        place.sayWhatToCommit(adopted)
    }

    private static func sign(_ edit: CheckoutEdit) -> String {
        if edit.local == nil { return "-" }
        return edit.base == nil ? "+" : "M"
    }
}
