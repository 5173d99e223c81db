// Pruning: decide from pins, mark what stays, change references, write one pack of what stays, and
// only then delete. All under the exclusive lock; see PruneStep for every place it may die at.
import FarmCore
import FarmGit
import Foundation

extension ReferenceStore {
    /// Plans a prune; writes nothing.
    ///
    /// - Throws: `PruneError` where anything that must be kept cannot be found or read.
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

    /// Carries out a plan; waits until no recorder is at work.
    ///
    /// `pins` reads the main repository again, under the lock. A set recorded since the plan is
    /// kept, and so is every set the plan keeps; a pin or another reference that is new or has
    /// moved ends the prune before it changed anything. A prune that dies is repeated: kept sets
    /// stay readable at every moment.
    ///
    /// - Throws: `PruneError`; with no set and nothing of it gone in all cases but a failure to
    ///   delete.
    package func prune(
        _ plan: PrunePlan,
        pins reread: () throws -> PinRoots,
        conditions: PruneConditions = PruneConditions()
    ) throws -> PruneReport {
        let lock = try StoreLock(alone: path)
        defer { withExtendedLifetime(lock) {} }
        let locks = try Leftovers.clearLocks(of: path, conditions)
        let pins = try reread()
        if let root = pins.added(since: plan.pins).first {
            let place = root.sources.first?.text ?? "\(root.object)"
            throw PruneError.planOutdated(fact: "\(place) has a new pin")
        }
        let cleared = try Leftovers.clearFiles(of: path, now: plan.now, conditions)
        // A handle of its own, so that nothing it remembers is older than the lock.
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
            // A damaged pack, a full disk: no object has gone yet, and no set shall.
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

    /// What is thrown for an object of a kept set that is missing.
    var refusal: (ObjectID) -> any Error {
        { [path] in PruneError.objectMissing($0, store: path) }
    }

    /// Writes what stays, now that the references are those that stay.
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

    /// What is known of a pin's set that was pruned.
    ///
    /// nil while the set is here, and where nothing is known. The nearest kept set is one that is
    /// still here.
    package func prunedFact(for pin: ReferencePin) throws -> PrunedFact? {
        try prunedFact(ofSet: pin.setID)
    }

    /// As `prunedFact(for:)`, for the set of a submodule pin.
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
