// Pushing: first the set, then the journal. Both can be repeated: a set that the remote has is not
// sent again, and if another process moved the journal, the entry is added on top of the new one.
import FarmCore
import FarmGit
import Foundation

/// The contents of a journal entry about a pushed set; see `ReferenceStore.appendJournal`.
package struct PushedJournalEntry: Sendable {
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

/// The result of a push.
package struct PushResult: Hashable, Sendable, Codable {
    package enum JournalOutcome: Hashable, Sendable, Codable {
        case written(ObjectID)
        /// The newest entry of the remote's journal shows this set already.
        case unchanged(ObjectID)
        /// The host refused the journal's branch. The set is pushed all the same.
        case refused(reason: String)
        case notAsked
    }

    package var set: ObjectID
    /// Whether the remote had the set before the push.
    package var wasThere: Bool
    package var journal: JournalOutcome
    /// The size of the packs that were sent in bytes, without the protocol around them.
    package var bytesSent: Int
    /// The number of other sets that were pushed too, because the remote's journal had no entry
    /// yet.
    package var earlierSets = 0
}

extension RemoteStore {
    private static let journalAttemptsMax = 8

    /// Pushes the set of a pin, then its journal entry.
    ///
    /// A remote whose journal has no entry yet gets the whole journal of the clone with all its
    /// sets: only the journal says when and why they were recorded.
    ///
    /// - Throws: `ReferenceStoreError.pinNotInStore` if the clone does not have the set;
    ///   `RemoteStoreError` if the remote refuses the set; `RemoteError` if the connection stays
    ///   lost. The set is then visible at the remote whole or not at all.
    package func push(
        _ pin: ReferencePin,
        journal entry: PushedJournalEntry? = nil
    ) throws -> PushResult {
        let lock = try StoreLock(shared: clone.path)
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
            // The pause grows with each attempt, so that processes do not collide again.
            access.sleep(.milliseconds(20 * attempt))
        }
        throw RemoteStoreError.journalMoving(remote: "\(location)")
    }

    /// The state of the remote between two attempts to write its journal.
    private struct KnownJournal {
        /// The remote's references when they were last listed, by name.
        var references: [String: ObjectID]
        /// The entry of an earlier attempt; the remote may have it although its answer was lost.
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
        // A set's name is the hash of its contents: if another process was faster, it pushed the
        // same set.
        guard try git.references()[name] == set else {
            throw RemoteStoreError.refused(remote: "\(location)", reference: name, reason: reason)
        }
        return (result, known)
    }

    // MARK: journal

    private struct PushedEntry {
        /// The result for the journal, or `nil` if another process moved the journal first.
        var journal: PushResult.JournalOutcome?
        var bytes = 0
        var earlierSets = 0
    }

    private func push(
        _ entry: PushedJournalEntry,
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

    /// Returns the refspecs of the sets in the clone's journal that a remote lacks.
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

    /// Replaces the clone's journal by the remote's, fetching it if it is missing.
    private func adopt(journal head: ObjectID, in repository: GitRepository) throws {
        if !repository.holds(head) { _ = try fetchJournal() }
        try repository.force(reference: Journal.reference, to: head)
    }

    // MARK: proposals

    /// Points the branch `proposals/<pull request>` to a commit, whatever it pointed to before.
    package func propose(_ commit: ObjectID, pullRequest: Int) throws {
        let locks = (try StoreLock(shared: clone.path), try remoteLock())
        defer { withExtendedLifetime(locks) {} }
        try change(Self.proposal(pullRequest), to: commit, isForced: true)
    }

    /// Removes the branch of a pull request; does nothing if it does not exist.
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
