// The acceptances of the differences between two sets, from the journal. An approval counts for a
// picture if its set has this very picture and the set before has not: a merge of pins takes an
// approved picture over, and writes no approval of its own.
import FarmCore
import FarmGit

extension ReferenceStore {
    /// Returns the acceptance of each of these pictures as a pin has it.
    ///
    /// A picture that the pin lacks was removed. An approval counts only if it is newer than
    /// `before`, the pin of the older release.
    package func acceptances(
        of ids: some Sequence<SnapshotID>,
        in pin: ReferencePin,
        since before: ReferencePin
    ) throws -> [SnapshotID: Acceptance] {
        let repository = try openRepository()
        let journal = JournalIndex(try repository.log(limit: Self.logEntriesMax))
        var wanted: [SnapshotID: ObjectID?] = [:]
        for id in ids { wanted.updateValue(try repository.picture(id, in: pin), forKey: id) }
        let approvals = try repository.approvals(of: wanted, in: journal, since: before.setID)
        var found: [SnapshotID: Acceptance] = [:]
        for (id, object) in wanted {
            if let approval = approvals[id] {
                found[id] = Acceptance(approval)
                continue
            }
            var walk = PictureWalk(repository: repository, journal: journal, id: id, limit: 1)
            try walk.go(from: pin)
            found[id] = Acceptance(walk.events.first { $0.objectID == object }?.entry)
        }
        return found
    }
}

extension GitRepository {
    /// Returns the newest approval that made each wanted picture what it is; `nil` stands for a
    /// picture that left.
    ///
    /// Looks at entries that are newer than the first one of the set `since`.
    fileprivate func approvals(
        of wanted: [SnapshotID: ObjectID?],
        in journal: JournalIndex,
        since: ObjectID
    ) throws -> [SnapshotID: LogEntry] {
        var found: [SnapshotID: LogEntry] = [:]
        let end = journal.places[since]?.last ?? journal.log.count
        for place in 0..<end where journal.log[place].isApproval {
            let entry = journal.log[place]
            let changes: ReferenceDiff
            do {
                let older = try journal.older(than: place).map { try pin(ofEntry: journal.log[$0]) }
                changes = try diff(older ?? ReferencePin(), pin(ofEntry: entry))
            } catch GitError.objectMissing {
                // A shallow journal ends here.
                break
            }
            for (id, object) in changes.results where found[id] == nil {
                if let now = wanted[id], now == object { found[id] = entry }
            }
        }
        return found
    }
}

extension ReferenceDiff {
    /// The object of each picture after the change; `nil` for a picture that left.
    fileprivate var results: [(id: SnapshotID, object: ObjectID?)] {
        added.map { ($0.id, $0.objectID) } + changed.map { ($0.id, $0.after) }
            + removed.map { ($0.id, nil) }
            + renamed.flatMap { [($0.to, $0.objectID), ($0.from, nil)] }
    }
}
