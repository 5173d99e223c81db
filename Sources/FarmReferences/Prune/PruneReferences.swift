// The reference changes of a prune. Their order keeps the store sound at every moment: first sets
// that a merge of pins made, then the note of dropped sets, tombstones, removals, and last the
// shorter journal.
import FarmCore
import FarmGit
import Foundation

struct PruneReferences {
    /// The largest number of references in one transaction; each holds a lock file meanwhile.
    private static let transactionMax = 500

    private let repository: GitRepository
    private let situation: PruneSituation
    private let policy: PrunePolicy
    private let conditions: PruneConditions

    init(
        _ repository: GitRepository,
        _ situation: PruneSituation,
        _ policy: PrunePolicy,
        _ conditions: PruneConditions
    ) {
        self.repository = repository
        self.situation = situation
        self.policy = policy
        self.conditions = conditions
    }

    func change() throws {
        let packed = repository.path + "/packed-refs"
        let status = RepositoryFiles.status(packed)
        let changes = situation.changes
        for (_, pin) in situation.resolution.unpublished.sorted(by: { $0.key < $1.key }) {
            try conditions.before(.writeSet)
            _ = try repository.writeSet(of: pin)
        }
        try remember()
        try apply(changes.made, .createReferences)
        if !changes.removed.isEmpty {
            try conditions.before(.removeReferences)
            // The reflog names objects that go now; a bare store has no reflog by default.
            try? FileManager.default.removeItem(atPath: repository.path + "/logs")
        }
        try apply(changes.removed, .removeReferences)
        // The journal is last: if the prune crashes before, the next one finds there how old the
        // sets are.
        try shortenJournal()
        if let status, RepositoryFiles.status(packed) != nil {
            // Removing references changed the time of `packed-refs`, which gives the sets in it
            // their age.
            RepositoryFiles.setChanged(packed, status.nanoseconds)
        }
    }

    /// Restores the changed references, as far as that succeeds; all their objects still exist.
    ///
    /// - Throws: `PruneError.notUndone` with the references that could not be restored.
    func undo(after cause: any ExplainedError) throws {
        let changes = situation.changes
        var edits = (changes.made + changes.removed).map {
            ReferenceEdit(name: $0.name, object: situation.contents.references[$0.name])
        }
        if let head = situation.contents.references[Journal.reference] {
            edits.append(ReferenceEdit(name: Journal.reference, object: head))
        }
        var rest = edits[...]
        var failed: [ReferenceEdit] = []
        var reason = ""
        while !rest.isEmpty {
            let chunk = rest.prefix(Self.transactionMax)
            rest = rest.dropFirst(chunk.count)
            do {
                try repository.change(chunk)
            } catch {
                reason = error.reason
                failed += chunk
            }
        }
        let lost = try failed.filter { try repository.target(of: $0.name) != $0.object }
        guard !lost.isEmpty else { return }
        throw PruneError.notUndone(
            store: repository.path,
            cause: cause.message,
            reason: reason,
            references: lost
        )
    }

    private func apply(_ changes: [ReferenceEdit], _ step: PruneStep) throws {
        var rest = changes[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Self.transactionMax)
            rest = rest.dropFirst(chunk.count)
            try conditions.before(step)
            try repository.change(chunk)
        }
    }

    // MARK: the note

    private func remember() throws {
        let contents = situation.contents
        let decision = situation.decision
        var kept: [ObjectID: Double] = [:]
        for set in decision.kept.map(\.set) { kept[set] = contents.recorded(set) }
        let today = PruneDay(secondsSince1970: situation.now.timeIntervalSince1970)
        let facts = decision.dropped.map { set in
            let recorded = contents.recorded(set)
            return PrunedFact(
                set: set,
                recorded: Int(clamping: Int64(min(recorded, 1e15))),
                dropped: today,
                nearest: PruneRules.nearest(to: recorded, among: kept),
                policy: policy.text
            )
        }
        let dropped = Set(decision.dropped)
        var note = contents.note
        let present = contents.known.subtracting(dropped)
            .union(situation.resolution.unpublished.keys)
        note.add(facts.sorted { $0.recorded > $1.recorded }, present: present)
        guard note != contents.note else { return }
        try conditions.before(.writeNote)
        let blob = try repository.write(blob: Data(note.text.utf8))
        guard contents.references[StoreContents.noteReference] != blob else { return }
        try conditions.before(.moveNote)
        try repository.change([
            ReferenceEdit(name: StoreContents.noteReference, object: blob)
        ])
    }

    // MARK: the journal

    private func shortenJournal() throws {
        let contents = situation.contents
        guard situation.journal.count < contents.journal.count else { return }
        var head: ObjectID?
        for entry in situation.journal {
            guard entry.previous != head else {
                head = entry.commit
                continue
            }
            try conditions.before(.writeJournal)
            head = try repository.rewrite(entry, of: repository, after: head)
        }
        guard let head else { return }
        try conditions.before(.moveJournal)
        try repository.change([ReferenceEdit(name: Journal.reference, object: head)])
    }
}

extension GitRepository {
    /// Writes a journal entry of `source` again, with another entry before it and otherwise
    /// unchanged.
    func rewrite(
        _ entry: JournalCommit,
        of source: GitRepository,
        after previous: ObjectID?
    ) throws -> ObjectID {
        let parts = try source.withObject(ObjectKey(entry.commit)) { _, bytes in
            RawCommit.split(bytes)
        }
        guard let (head, message) = parts else {
            throw PruneError.objectMissing(entry.commit, store: path)
        }
        var lines = ["tree \(entry.tree)"]
        lines += [previous, entry.set].compactMap(\.self).map { "parent \($0)" }
        // Drops a signature: it signed other bytes.
        lines += head.split(separator: "\n").filter { line in
            ["author ", "committer ", "encoding "].contains(where: line.hasPrefix)
        }.map(String.init)
        let bytes = Data((lines.joined(separator: "\n") + "\n\n" + message).utf8)
        return try write(bytes, as: .commit)
    }
}
