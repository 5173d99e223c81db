// Push: the set first, then the journal. Both may be repeated: a set that is there already is
// done, and a journal that somebody else moved gets its entry again, on top.
import FarmCore
import FarmGit
import Foundation

/// What the journal says about a pushed set; see `ReferenceStore.appendJournal`.
package struct JournalEntry: Sendable {
    package var title: String
    package var trailers: [JournalTrailer]
    package var files: [String: Data]
    package var now: Date

    package init(
        title: String,
        trailers: [JournalTrailer] = [],
        files: [String: Data] = [:],
        now: Date
    ) {
        self.title = title
        self.trailers = trailers
        self.files = files
        self.now = now
    }
}

/// What a push did.
package struct PushResult: Hashable, Sendable, Codable {
    package enum Journal: Hashable, Sendable, Codable {
        case written(ObjectID)
        /// The newest entry shows this set already.
        case unchanged(ObjectID)
        /// The host does not let us write the branch; the set is pushed all the same.
        case refused(reason: String)
        case notAsked
    }

    package var set: ObjectID
    /// The remote had the set already.
    package var wasThere: Bool
    package var journal: Journal
    /// Bytes of packs sent, without the protocol around them.
    package var bytesSent: Int
    /// Other sets that came along, because the remote's journal had no entry yet.
    package var earlierSets = 0
}

extension RemoteStore {
    private static let journalAttemptsMax = 8

    /// Pushes the set of a pin, then its journal entry.
    ///
    /// A remote whose journal has no entry yet gets the whole journal of the clone, and its sets
    /// with it: only the journal knows when and why they were made.
    ///
    /// - Throws: `ReferenceStoreError.pinNotInStore` where the clone does not have the set;
    ///   `RemoteError` where the remote refuses the set or the connection stays lost. The set is
    ///   then visible at the remote whole or not at all.
    package func push(_ pin: ReferencePin, journal entry: JournalEntry? = nil) throws -> PushResult
    {
        let lock = try StoreLock(sharing: clone.path)
        defer { withExtendedLifetime(lock) {} }
        let remoteLock = try remoteLock()
        defer { withExtendedLifetime(remoteLock) {} }
        let repository = try clone.openRepository()
        let set = try clone.setID(of: pin)
        try repository.publish(set: set)
        var (result, known) = try access.retrying { try push(set: set) }
        guard let entry else { return result }
        for attempt in 1...Self.journalAttemptsMax {
            let pushed = try access.retrying {
                try push(entry, about: (pin, set), knowing: &known, from: repository)
            }
            result.bytesSent += pushed.bytes
            if let journal = pushed.journal {
                result.journal = journal
                result.earlierSets = pushed.earlierSets
                return result
            }
            // Each waits a little longer, so that not all of them meet again.
            access.sleep(.milliseconds(20 * attempt))
        }
        throw RemoteStoreError.journalMoving(remote: "\(location)")
    }

    /// Knowledge of the remote between two tries at its journal.
    private struct KnownJournal {
        /// The references of the last listing.
        var references: [String: ObjectID]
        /// The entry of an earlier try, whose answer may have been lost.
        var mine: ObjectID?

        var head: ObjectID? { references[Journal.reference] }
    }

    private func push(set: ObjectID) throws -> (PushResult, KnownJournal) {
        let known = KnownJournal(references: try git.references())
        let name = try layout(of: known.references).set(set)
        var result = PushResult(set: set, wasThere: true, journal: .notAsked, bytesSent: 0)
        guard known.references[name] != set else { return (result, known) }
        let pushed = try git.push(["\(set):\(name)"])
        result.wasThere = false
        result.bytesSent = pushed.bytes
        guard let reason = pushed.refusal else { return (result, known) }
        // A set's name says all of it: whoever came first pushed the same.
        guard try git.references()[name] == set else {
            throw RemoteStoreError.refused(remote: "\(location)", reference: name, reason: reason)
        }
        return (result, known)
    }

    // MARK: journal

    private struct PushedEntry {
        /// Nil where somebody else was faster.
        var journal: PushResult.Journal?
        var bytes = 0
        var earlierSets = 0
    }

    private func push(
        _ entry: JournalEntry,
        about set: (pin: ReferencePin, id: ObjectID),
        knowing known: inout KnownJournal,
        from repository: GitRepository
    ) throws -> PushedEntry {
        let firstPage = try ReferenceStore.emptyJournal(in: repository)
        let isFirst = known.head == nil || known.head == firstPage
        if let head = known.head, !isFirst {
            try adopt(journal: head, in: repository)
            if let mine = known.mine, repository.contains(mine, in: head) {
                return PushedEntry(journal: .written(mine))
            }
        }
        let commit = try clone.appendJournal(
            set: set.id,
            pin: set.pin,
            title: entry.title,
            trailers: entry.trailers,
            files: entry.files,
            now: entry.now
        )
        guard commit != known.head else { return PushedEntry(journal: .unchanged(commit)) }
        known.mine = commit
        let earlier = isFirst ? try earlierSets(than: set.id, lackedBy: known.references) : []
        var result = PushedEntry(earlierSets: earlier.count)
        for part in Self.parts(of: earlier + ["\(commit):\(Journal.reference)"]) {
            let pushed = try git.push(part)
            result.bytes += pushed.bytes
            guard let reason = pushed.refusal else { continue }
            let old = known.head
            known.references = try git.references()
            if known.head == old { result.journal = .refused(reason: reason) }
            return result
        }
        result.journal = .written(commit)
        return result
    }

    /// Refspecs of the sets of the clone's journal that a remote lacks.
    private func earlierSets(
        than set: ObjectID,
        lackedBy references: [String: ObjectID]
    ) throws -> [String] {
        let layout = try layout(of: references)
        var specs: Set<String> = []
        for entry in try clone.log() where entry.visible {
            guard let other = entry.set, other != set else { continue }
            let name = layout.set(other)
            guard references[name] == nil else { continue }
            specs.insert("\(GitRepository.reference(ofSet: other)):\(name)")
        }
        return specs.sorted()
    }

    /// Makes the remote's journal ours, fetching what is missing of it.
    private func adopt(journal head: ObjectID, in repository: GitRepository) throws {
        if !repository.holds(head) { _ = try fetchJournal() }
        try repository.force(reference: Journal.reference, to: head)
    }

    // MARK: proposals

    /// Shows a commit on the branch `proposals/<pull request>`, in place of what was there.
    package func propose(_ commit: ObjectID, pullRequest: Int) throws {
        let locks = (try StoreLock(sharing: clone.path), try remoteLock())
        defer { withExtendedLifetime(locks) {} }
        try change(Self.proposal(pullRequest), to: commit, isForced: true)
    }

    /// Removes the branch of a pull request; one that is not there is removed already.
    package func withdrawProposal(pullRequest: Int) throws {
        let lock = try remoteLock()
        defer { withExtendedLifetime(lock) {} }
        let name = Self.proposal(pullRequest)
        guard try access.retrying({ try git.references() })[name] != nil else { return }
        try change(name, to: nil)
    }

    private static func proposal(_ pullRequest: Int) -> String {
        "refs/heads/proposals/\(pullRequest)"
    }
}
