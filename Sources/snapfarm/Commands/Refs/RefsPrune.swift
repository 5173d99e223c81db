// `snapfarm refs prune`: shows a plan first; removes sets only with consent.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsPrune: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Drops sets that no pin needs any more, or references that no run makes.",
        discussion: """
            Kept are the sets that live branches, tags, pull requests and recent commits pin. The \
            rest gets a tombstone and goes when its grace is over. With --unused, references that \
            no complete, unfiltered run of --history made leave the next set instead.
            """
    )

    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions
    @OptionGroup var policy: PolicyOptions
    @Flag(help: "Print the plan and do nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Take references that no run makes out of the next set.") var unused = false
    @Option(help: "summary.json of a run, a folder of them, or a file with name manifests.")
    var history: String?
    @Option(help: "Complete runs that must agree that a reference is unused.") var runs: Int = 5
    @Option(help: "Why; stands in the journal (--unused).") var reason: String?

    func validate() throws {
        guard unused == (history != nil) else {
            throw ValidationError("--unused and --history PATH go together.")
        }
        guard runs > 0 else { throw ValidationError("--runs is \(runs); it must be positive.") }
    }

    private struct Pruned: Encodable {
        var plan: PrunePlan
        /// The report of the prune, or `nil` after a dry run and if there was nothing to do.
        var report: PruneReport?
        /// The result of the prune at the remote, or `nil` if there was none; also `nil` for a
        /// store without a remote.
        var remote: RemotePruned?
    }

    private struct Removed: Encodable {
        var plan: UnusedPlan
        var adopted: AdoptedSet?
    }

    func run() throws {
        let place = try options.place()
        if let history { return try removeUnused(place, history) }
        let far = try place.mirror(remote)
        let mirror = try far?.mirror()
        let store = try far?.clone ?? place.store()
        let now = Date()
        let request = try policy.request(place, now: now)
        let plan = try store.prunePlan(
            pins: try PinRoots(reading: request),
            policy: policy.policy,
            now: now,
            // Computing what a host will free needs a walk over every set, so it is left out with
            // --yes.
            detail: yes && !dryRun ? .local : .withHost
        )
        if !options.json { Console.print(plan.text) }
        var report: PruneReport?
        var pushed: RemotePruned?
        if !dryRun, !plan.isEmpty {
            try Consent.ask("Prune \(far?.location.description ?? store.path)?", yes: yes)
            report = try store.prune(plan) { try PinRoots(reading: request) }
            if let far, let mirror { pushed = try far.push(pruned: plan, since: mirror) }
        }
        if options.json {
            try RefsOutput.print(Pruned(plan: plan, report: report, remote: pushed))
        } else if let report {
            Console.print(report.text)
            if let far, let pushed { Console.print(Self.text(pushed, of: far)) }
        } else if !dryRun {
            options.words.say("nothing to do.")
        }
    }

    private static func text(_ pushed: RemotePruned, of far: RemoteStore) -> String {
        let journal =
            pushed.journalNotReplaced
            ? "its journal was written meanwhile and stays; the next prune shortens it" : ""
        return "\(far.location): \(pushed.made) references made, \(pushed.removed) removed\n"
            + (journal.isEmpty ? "" : "  \(journal)\n")
    }

    private func removeUnused(_ place: ReferencePlace, _ history: String) throws {
        let pin = try place.pin()
        let store = try place.store(holding: pin)
        let manifests = try NameHistory(reading: PipelineSource.absolute(history)).manifests
        let plan = try store.unusedPlan(of: pin, manifests: manifests, runs: runs)
        if !options.json { Console.print(plan.text) }
        var adopted: AdoptedSet?
        if !dryRun, !plan.isEmpty {
            try Consent.ask("Leave these references out of the next set?", yes: yes)
            adopted = try store.withPruneBlocked {
                let made = try store.removeUnused(plan, from: try place.pin())
                return try place.adopt(
                    made.pin,
                    set: made.set,
                    over: pin,
                    in: store,
                    reason: reason ?? "unused in \(runs) runs"
                )
            }
        }
        try options.show(
            Removed(plan: plan, adopted: adopted),
            lines: adopted.map { ["set \($0.set): \($0.title)"] } ?? []
        )
        if let adopted { place.sayWhatToCommit(adopted, in: options.words) }
    }
}
