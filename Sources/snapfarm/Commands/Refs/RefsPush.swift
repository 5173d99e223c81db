// `snapfarm refs push` and `refs fetch`: sends the pinned set to the remote, or gets it from there.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsPush: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Pushes the pin's set, and shows it in the remote's journal.",
        discussion: """
            The first push to a store that has no set takes all sets of the journal along. \
            The token for HTTPS comes from SNAPFARM_STORE_TOKEN or Git's helpers. With --proposal \
            the set is shown on the branch proposals/N instead of the journal, so that a comment \
            on the pull request can link its pictures; --withdraw removes that branch.
            """
    )

    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions
    @Option(help: "Number of the pull request whose branch proposals/N shows the set.")
    var proposal: Int?
    @Option(help: "Number of a closed pull request: removes its branch proposals/N.")
    var withdraw: Int?

    private struct Result: Encodable {
        var remote: String
        var set: ObjectID
        var wasThere: Bool
        /// The outcome for the remote's journal: `written`, `unchanged`, `refused` or `notAsked`.
        var journal: String
        var bytesSent: Int
        /// The number of earlier sets of the journal that were pushed too.
        var earlierSets: Int
        /// The name of the branch that `--proposal` pushed, or `nil` without this option.
        var proposal: String?
    }

    private struct Withdrawal: Encodable {
        var remote: String
        var withdrawn: String
    }

    func validate() throws {
        guard proposal == nil || withdraw == nil else {
            throw ValidationError("--proposal and --withdraw exclude each other.")
        }
        for number in [proposal, withdraw].compactMap(\.self) where number < 1 {
            throw ValidationError("\(number) is no pull request.")
        }
    }

    func run() throws {
        let place = try options.place()
        guard let far = try place.remote(remote) else {
            throw RefsError.noRemote(store: place.storePath)
        }
        if let withdraw {
            try far.withdrawProposal(pullRequest: withdraw)
            let branch = Self.branch(withdraw)
            return try options.show(
                Withdrawal(remote: far.location.description, withdrawn: branch),
                lines: ["\(far.location): \(branch) is gone"]
            )
        }
        let pin = try place.pin()
        guard try place.pinForm() != nil else { throw RefsError.nothingToPush(pin: place.pinPath) }
        let entry = proposal == nil ? try entry(of: pin, in: far.clone) : nil
        let pushed = try far.push(pin, journal: entry)
        if let proposal { try far.propose(pushed.set, pullRequest: proposal) }
        let (word, note) = Self.words(pushed.journal)
        let result = Result(
            remote: far.location.description,
            set: pushed.set,
            wasThere: pushed.wasThere,
            journal: word,
            bytesSent: pushed.bytesSent,
            earlierSets: pushed.earlierSets,
            proposal: proposal.map(Self.branch)
        )
        let state =
            (pushed.wasThere ? "was there already" : "pushed, \(Amount.bytes(pushed.bytesSent))")
            + (pushed.earlierSets == 0
                ? "" : ", with \(Amount.count(pushed.earlierSets, "earlier set"))")
        try options.show(
            result,
            lines: ["\(result.remote): set \(pushed.set.short) \(state)"]
                + [note, result.proposal.map { "shown on the branch \($0)" }].compactMap(\.self)
        )
    }

    private static func branch(_ pullRequest: Int) -> String { "proposals/\(pullRequest)" }

    /// Returns the clone's own entry about the set if it is the newest, or else a new one.
    private func entry(of pin: ReferencePin, in store: ReferenceStore) throws -> PushedJournalEntry
    {
        let newest = try store.log(limit: 1).first
        var trailers: [JournalTrailer] = []
        var title = "New references"
        if let newest, newest.set == pin.setID {
            title = newest.title
            trailers = newest.trailers.filter { $0.key != "Snapfarm-Set" }
                .sorted { $0.key < $1.key }.map { JournalTrailer($0.key, $0.value) }
        }
        let facts = Dictionary(
            try options.place().cells.map { ($0.id, CellFacts($0)) },
            uniquingKeysWith: { first, _ in first }
        )
        return PushedJournalEntry(
            title: title,
            trailers: trailers,
            files: CataloguePages.files(
                of: try store.references(pin).map(\.id),
                facts: facts,
                order: try options.place().cells.map(\.id)
            ),
            now: Date()
        )
    }

    private static func words(_ journal: PushResult.JournalOutcome) -> (String, String?) {
        switch journal {
        case .written: ("written", nil)
        case .unchanged: ("unchanged", nil)
        case .refused(let reason): ("refused", "its journal cannot be written: \(reason)")
        case .notAsked: ("notAsked", nil)
        }
    }
}

struct RefsFetch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetches exactly what this machine lacks of the pin, and the journal.",
        discussion: """
            With --only, parts of the pin, as a shard needs them: no journal, and no set of this \
            store, so that the next prune takes them away again.
            """
    )

    @Argument(help: "A commit or branch whose pin is fetched (default: the work tree's).")
    var revision: String?
    @OptionGroup var options: RefsOptions
    @OptionGroup var remote: RemoteOptions
    @Option(
        name: .customLong("only"),
        help: "CELL or CELL/FOLDER of the pin instead of all of it; may be repeated."
    )
    var parts: [String] = []
    @Flag(inversion: .prefixedNo, help: "Fetch the journal as well.") var journal = true

    private struct Result: Encodable {
        var remote: String
        /// The result of the fetch, or `nil` for an empty pin.
        var fetched: FetchResult?
        var journal: ObjectID?
    }

    func run() throws {
        let place = try options.place()
        guard let far = try place.remote(remote) else {
            throw RefsError.noRemote(store: place.storePath)
        }
        let pin = try place.pin(named: revision, in: far.clone)
        var result = Result(
            remote: far.location.description,
            fetched: pin.isEmpty ? nil : try far.fetch(pin, paths: try paths(of: pin)),
            journal: nil
        )
        if journal, parts.isEmpty { result.journal = try far.fetchJournal() }
        try options.show(result, lines: [Self.line(result.fetched)])
    }

    /// Returns the paths of the pin that `--only` names, or `nil` for the whole pin.
    private func paths(of pin: ReferencePin) throws -> Set<SubtreePath>? {
        guard !parts.isEmpty else { return nil }
        var paths: Set<SubtreePath> = []
        for part in parts {
            let names = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let found = pin.entries.map(\.path).filter { path in
                path.cell.text == names[0] && (names.count == 1 || path.folder == names[1])
            }
            guard !found.isEmpty else {
                throw RefsError.badOption("--only \(part)", "the pin has no such cell or folder")
            }
            paths.formUnion(found)
        }
        return paths
    }

    private static func line(_ fetched: FetchResult?) -> String {
        guard let fetched, fetched.way != .nothing else { return "nothing is missing" }
        return "\(Amount.count(fetched.objects, "object")), "
            + Amount.bytes(fetched.bytesReceived)
    }
}
