// Pruning: decides from the pins, marks the objects to keep, changes references, writes one pack of
// the kept objects, and only then deletes. All of this holds the exclusive lock. `PruneStep` lists
// every step at which a prune may die.
import FarmCore
import FarmGit
import Foundation

extension ReferenceStore {
    /// Plans a prune; writes nothing.
    ///
    /// - Throws: `PruneError` if anything that must be kept cannot be found or read.
    package func prunePlan(
        pins: PinRoots,
        policy: PrunePolicy,
        now: Date,
        detail: PrunePlanDetail = .withHost
    ) throws -> PrunePlan {
        let repository = try openRepository()
        let situation = try PruneSituation(repository, pins: pins, policy: policy, now: now)
        let table = try ObjectTable(store: path)
        var mark = ObjectMark(repository: repository, table: table, refusal: refusal)
        try situation.mark(&mark)
        let live = mark.reached
        var freedOnHost: PrunePlan.Amount?
        if detail == .withHost {
            try situation.markEverything(&mark)
            let gone = mark.reached.lazy.filter { !live.contains($0) }
                .compactMap { table.bytes(of: $0) }
            freedOnHost = .init(objects: gone.count, bytes: gone.reduce(0, +))
        }
        let choice = PackChoice(table, live: live)
        let changes = situation.changes
        let contents = situation.contents
        return PrunePlan(
            store: path,
            policy: policy,
            now: now,
            roots: situation.resolution.roots,
            followed: pins.counts,
            decision: situation.decision,
            published: situation.resolution.unpublished.keys.sorted(),
            absent: situation.resolution.absent,
            journalEntriesRemoved: contents.journal.count - situation.journal.count,
            journalEntriesKept: situation.journal.count,
            present: .init(objects: table.places.count, bytes: table.totalBytes),
            kept: .init(objects: choice.liveCount, bytes: choice.liveBytes),
            freed: .init(
                objects: table.places.count - choice.liveCount,
                bytes: choice.freedBytes(of: table)
            ),
            freedOnHost: freedOnHost,
            referenceEdits: changes.made + changes.removed,
            pins: pins,
            others: contents.others,
            known: contents.known
        )
    }

    /// Carries out a plan; waits until no process records.
    ///
    /// `pins` reads the main repository again, under the lock. Sets recorded since the plan are
    /// kept, and so are all sets that the plan keeps. If a pin or another reference is new or has
    /// moved, the prune ends before it changes anything. A prune that died can be repeated: kept
    /// sets stay readable at every moment.
    ///
    /// - Throws: `PruneError`. Unless deleting itself failed, no set and no object is gone.
    package func prune(
        _ plan: PrunePlan,
        pins reread: () throws -> PinRoots,
        conditions: PruneConditions = PruneConditions()
    ) throws -> PruneReport {
        let lock = try StoreLock(exclusive: path)
        defer { withExtendedLifetime(lock) {} }
        let locks = try PruneLeftovers.clearLocks(of: path, conditions)
        let pins = try reread()
        if let root = pins.added(since: plan.pins).first {
            let place = root.sources.first?.text ?? "\(root.object)"
            throw PruneError.planOutdated(fact: "\(place) has a new pin")
        }
        let cleared = try PruneLeftovers.clearFiles(of: path, now: plan.now, conditions)
        // Opens a new handle, which has no cached state from before the lock.
        let repository = try openRepository()
        let situation = try PruneSituation(
            repository,
            pins: plan.pins,
            policy: plan.policy,
            now: plan.now,
            expected: plan
        )
        try Self.refuseMovedReferences(situation.contents.others, plan.others)
        let before = try ObjectTable(store: path)
        var mark = ObjectMark(repository: repository, table: before, refusal: refusal)
        try situation.mark(&mark)
        let references = PruneReferences(repository, situation, plan.policy, conditions)
        let exchange: (replacement: PackReplacement, new: WrittenPack?)
        do {
            try references.change()
            exchange = try writePack(of: &mark, repository, conditions)
        } catch let error as any ExplainedError {
            // For a damaged pack or a full disk: no object is deleted yet, so restores the
            // references.
            try references.undo(after: error)
            throw error
        }
        try exchange.replacement.deleteReplaced(by: exchange.new)
        let after = try ObjectTable(store: path)
        return PruneReport(
            decision: situation.decision,
            published: situation.resolution.unpublished.keys.sorted(),
            journalEntriesRemoved: situation.contents.journal.count - situation.journal.count,
            bytesBefore: before.totalBytes,
            bytesAfter: after.totalBytes,
            objectsBefore: before.places.count,
            objectsAfter: after.places.count,
            clearedLocks: locks,
            clearedBytes: cleared
        )
    }

    /// The function that makes the error for a missing object of a kept set.
    var refusal: (ObjectID) -> any Error {
        { [path] in PruneError.objectMissing($0, store: path) }
    }

    /// Writes the pack of the kept objects; the references must already be those that are kept.
    private func writePack(
        of mark: inout ObjectMark,
        _ repository: GitRepository,
        _ conditions: PruneConditions
    ) throws -> (PackReplacement, WrittenPack?) {
        mark.table = try ObjectTable(store: path)
        for (_, object) in try repository.allReferences() {
            try mark.add(object, missing: .passOver)
        }
        let replacement = PackReplacement(
            store: path,
            repository,
            mark.table,
            live: mark.reached,
            conditions
        )
        return (replacement, try replacement.write())
    }

    /// Returns the facts about the pruned set of a pin.
    ///
    /// `nil` if the set is still here, or if nothing is known about it. The nearest kept set is
    /// named only if it is still here.
    package func prunedFact(for pin: ReferencePin) throws -> PrunedFact? {
        try prunedFact(ofSet: pin.setID)
    }

    /// Returns the facts about a pruned set, as `prunedFact(for:)` does, for a submodule pin.
    package func prunedFact(ofSet set: ObjectID) throws -> PrunedFact? {
        let repository = try openRepository()
        guard try repository.header(of: set) == nil,
            let blob = try repository.target(of: StoreContents.noteReference)
        else { return nil }
        let bytes = try repository.blob(
            blob,
            bytesMax: PrunedNote.bytesMax,
            what: StoreContents.noteReference
        )
        guard var fact = PrunedNote(parsing: bytes).fact(of: set) else { return nil }
        if let nearest = fact.nearest, try repository.header(of: nearest) == nil {
            fact.nearest = nil
        }
        return fact
    }

    private static func refuseMovedReferences(
        _ present: [String: ObjectID],
        _ planned: [String: ObjectID]
    ) throws {
        for name in Set(present.keys).union(planned.keys).sorted()
        where present[name] != planned[name] {
            throw PruneError.planOutdated(fact: "\(name) of the store has moved")
        }
    }
}
