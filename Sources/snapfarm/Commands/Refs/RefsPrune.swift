// `snapfarm refs prune`: shows a plan first; removes something only with consent.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsPrune: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Drops sets that no pin needs, or references and alternates without use.",
        discussion: """
            Kept are the sets that live branches, tags, pull requests and recent commits pin. The \
            rest gets a tombstone and goes when its grace is over. With --unused, references that \
            no complete, unfiltered run of --history made leave the next set instead; with \
            --alternates, alternates that their pictures did not match for --runs runs.
            """
    )

    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions
    @OptionGroup var policy: PolicyOptions
    @Flag(help: "Print the plan and do nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Take references that no run makes out of the next set.") var unused = false
    @Flag(help: "Take alternates that no run uses out of the next set.") var alternates = false
    @Option(
        help: """
            summary.json of a run, or a folder of them. With --unused also a file with name \
            manifests; with --alternates also a data folder or a history's file.
            """
    )
    var history: String?
    @Option(help: "Runs that must agree (default: 5; with --alternates: 50).") var runs: Int?
    @Option(help: "Why; stands in the journal (--unused, --alternates).") var reason: String?

    /// The runs without use after which an alternate goes, unless the user names a number: chance
    /// may spare a picture that flickers for many runs.
    private static let alternateRuns = 50

    func validate() throws {
        guard (unused || alternates) == (history != nil) else {
            throw ValidationError(
                history == nil
                    ? "--\(unused ? "unused" : "alternates") needs --history PATH."
                    : "--history needs --unused or --alternates."
            )
        }
        guard !unused || !alternates else {
            throw ValidationError("--unused and --alternates exclude each other.")
        }
        if let runs, runs < 1 {
            throw ValidationError("--runs is \(runs); it must be positive.")
        }
    }

    private struct Pruned: Encodable {
        var plan: PrunePlan
        /// The report of the prune, or `nil` after a dry run and if there was nothing to do.
        var report: PruneReport?
        /// The result of the prune at the remote, or `nil` if there was none; also `nil` for a
        /// store without a remote.
        var remote: RemotePruned?
    }

    private struct Removed<Plan: Encodable>: Encodable {
        var plan: Plan
        var adopted: AdoptedSet?
    }

    func run() throws {
        let place = try options.place()
        if let history {
            return try alternates ? removeAlternates(place, history) : removeUnused(place, history)
        }
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
        let runs = runs ?? 5
        let plan = try store.unusedPlan(of: pin, manifests: manifests, runs: runs)
        if !options.json { Console.print(plan.text) }
        let adopted = try adopt(
            "Leave these references out of the next set?",
            isEmpty: plan.isEmpty,
            over: pin,
            reason: reason ?? "unused in \(runs) runs",
            PlacedStore(place: place, store: store)
        ) { try store.removeUnused(plan, from: try place.pin()) }
        try show(Removed(plan: plan, adopted: adopted), adopted, place)
    }

    private func removeAlternates(_ place: ReferencePlace, _ history: String) throws {
        let pin = try place.pin()
        let store = try place.store(holding: pin)
        let uses = try AlternateHistory(reading: PipelineSource.absolute(history)).uses
        let runs = runs ?? Self.alternateRuns
        let plan = try store.alternatesPlan(of: pin, uses: uses, runs: runs)
        if !options.json { Console.print(plan.text) }
        let adopted = try adopt(
            "Leave these alternates out of the next set?",
            isEmpty: plan.isEmpty,
            over: pin,
            reason: reason ?? "alternates unused in \(runs) runs",
            PlacedStore(place: place, store: store)
        ) { try store.removeAlternates(plan, from: try place.pin()) }
        try show(Removed(plan: plan, adopted: adopted), adopted, place)
    }

    private struct PlacedStore {
        let place: ReferencePlace
        let store: ReferenceStore
    }

    /// Asks, and makes the set that `remove` returns the pin's; returns `nil` for an empty plan and
    /// after a dry run.
    private func adopt(
        _ question: String,
        isEmpty: Bool,
        over pin: ReferencePin,
        reason: String,
        _ placed: PlacedStore,
        _ remove: () throws -> (pin: ReferencePin, set: ObjectID)
    ) throws -> AdoptedSet? {
        guard !dryRun, !isEmpty else { return nil }
        try Consent.ask(question, yes: yes)
        return try placed.store.withPruneBlocked {
            let made = try remove()
            return try placed.place.adopt(
                made.pin,
                set: made.set,
                over: pin,
                in: placed.store,
                reason: reason
            )
        }
    }

    private func show(
        _ removed: some Encodable,
        _ adopted: AdoptedSet?,
        _ place: ReferencePlace
    ) throws {
        try options.show(removed, lines: adopted.map { ["set \($0.set): \($0.title)"] } ?? [])
        if let adopted { place.sayWhatToCommit(adopted, in: options.words) }
    }
}
