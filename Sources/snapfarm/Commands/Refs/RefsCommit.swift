// `snapfarm refs commit`: makes a set of the pictures that were edited here.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun

struct RefsCommit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit",
        abstract: "Makes a set of the references edited here, and moves the pin.",
        discussion: """
            A file that cannot become a reference is left out and named; exit 1. --select takes \
            cell=, suite= or snapshot=PATTERN, or a pattern of names or paths as `refs status` \
            shows them; the same key twice means either, different keys mean both.
            """
    )

    @OptionGroup var options: RefsOptions
    @Flag(help: "Take pictures that were deleted here out of the set.") var deletions = false
    @Flag(
        help: """
            Take the edited picture even if the pin's picture changed as well.
            """
    ) var force = false
    @Option(help: "Only edited pictures that match; may be repeated.") var select: [String] = []
    @Option(help: "The job of new suites (default: the first snapshot job).") var job: String?
    @Option(help: "Why; stands in the journal.") var reason: String?
    @Flag(help: "Print the plan and do nothing.") var dryRun = false

    private struct Committed: Encodable {
        let adopted: AdoptedSet
        let leftOut: [UnusablePicture]

        private enum CodingKeys: String, CodingKey { case leftOut }

        func encode(to encoder: any Encoder) throws {
            try adopted.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(leftOut, forKey: .leftOut)
        }
    }

    private struct Planned: Encodable {
        let edits: [CheckoutEdit]
        let leftOut: [UnusablePicture]
    }

    func run() throws {
        let place = try options.place()
        let pin = try place.pin()
        let store = try place.store(holding: pin)
        let checkout = ReferenceCheckout(workTree: try place.workTree().workTree)
        let status = try selected(try checkout.status(pin: pin, cells: place.cells))
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
            try options.show(
                Planned(edits: plan.edits, leftOut: status.unusable),
                lines: plan.edits.map { "\(Self.sign($0)) \($0.id)" }
            )
            return try Self.sayLeftOut(status.unusable)
        }
        let adopted = try store.withPruneBlocked {
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
        try options.show(
            Committed(adopted: adopted, leftOut: status.unusable),
            lines: adopted.lines
        )
        place.sayWhatToCommit(adopted, in: options.words)
        try Self.sayLeftOut(status.unusable)
    }

    /// Returns the edited pictures that `--select` matches.
    private func selected(_ status: CheckoutStatus) throws -> CheckoutStatus {
        let chosen = try select.isEmpty ? status : status.only(CheckoutSelection(select))
        guard select.isEmpty || !chosen.isClean else { throw RefsError.nothingSelected(select) }
        let taken = chosen.modified.count + chosen.added.count + chosen.deleted.count
        if taken == 0, let first = chosen.unusable.first {
            throw RefsError.unusable(
                count: chosen.unusable.count,
                first: first.path,
                reason: first.reason
            )
        }
        return chosen
    }

    /// Prints last which pictures are not in the set, and ends with exit code 1 if there are any.
    private static func sayLeftOut(_ pictures: [UnusablePicture]) throws {
        guard !pictures.isEmpty else { return }
        for picture in pictures {
            Console.say("left out \(picture.path): \(picture.reason) \(picture.remedy)")
        }
        throw ArgumentParser.ExitCode(ExitCode.differences.rawValue)
    }

    private static func sign(_ edit: CheckoutEdit) -> String {
        if edit.local == nil { return "-" }
        return edit.base == nil ? "+" : "M"
    }
}
