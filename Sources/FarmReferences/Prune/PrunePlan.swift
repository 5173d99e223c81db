// What a prune would do, as a value: shown before anything is done, and held against the store
// when it is done.
import FarmCore
import FarmGit
import Foundation

/// How much a plan finds out.
package enum PrunePlanDetail: Sendable {
    /// What is kept and freed here: enough to carry the plan out.
    case local
    /// Also what a host will free, for which all that goes must be read.
    case withHost
}

/// A plan to prune a store.
package struct PrunePlan: Sendable {
    /// Objects and their bytes on the disk.
    package struct Amount: Hashable, Sendable, Encodable {
        package var objects: Int
        package var bytes: Int
    }

    package let store: String
    package let policy: PrunePolicy
    package let now: Date
    /// Every pin that keeps something.
    package let roots: [PlannedRoot]
    /// References of the main repository that were followed, by kind.
    package let followed: [String: Int]
    package let decision: PruneDecision
    /// Sets that a merge of pins made, and that get a reference now.
    package let published: [ObjectID]
    /// Pins that are passed over.
    package let absent: [AbsentPin]
    /// Entries of the journal that go, because their set does.
    package let journalEntriesRemoved: Int
    package let journalEntriesKept: Int
    package let present: Amount
    package let kept: Amount
    /// What this store's disk gets back.
    package let freed: Amount
    /// What only the dropped sets needed.
    ///
    /// A host that has the same sets gets this back once it collects garbage. nil of a
    /// plan without that detail. Less than `freed` where this copy has garbage of its own.
    package let freedOnHost: Amount?

    /// The changes of sets and tombstones, additions first.
    ///
    /// A remote takes them as a push; the
    /// journal (`refs/heads/main`) and `refs/snapfarm/pruned` are pushed as they are afterwards,
    /// the journal by force.
    package let referenceEdits: [ReferenceEdit]

    /// As they were read; prune reads them again.
    let pins: PinRoots
    /// The references that are roots of their own, as they were.
    let others: [String: ObjectID]
    /// All sets and tombstones there were.
    let known: Set<ObjectID>

    /// Whether the plan changes nothing.
    package var isEmpty: Bool {
        decision.tombstoned.isEmpty && decision.dropped.isEmpty && decision.restored.isEmpty
            && published.isEmpty && journalEntriesRemoved == 0 && freed.bytes == 0
    }
}

extension PrunePlan: Encodable {
    enum CodingKeys: String, CodingKey {
        case store
        case policy
        case now
        case roots
        case followed
        case decision
        case published
        case absent
        case journalEntriesRemoved
        case journalEntriesKept
        case present
        case kept
        case freed
        case freedOnHost
        case referenceEdits
    }
}

extension PrunePlan {
    /// The plan for people, with line ends.
    package var text: String {
        var lines = ["prune \(store): keep \(policy.text)"]
        let kinds = followed.sorted { $0.key < $1.key }.map { kind, count in
            let one = PinSource.Kind(rawValue: kind)?.word ?? kind
            return count == 1 ? "1 \(one)" : "\(count) \(one)\(one.hasSuffix("h") ? "es" : "s")"
        }
        lines.append("\(counted(roots.count, "pin")) from \(kinds.joined(separator: ", "))")
        for root in roots { lines.append("  pin \(root.object): \(list(root))") }
        for pin in absent {
            let why = pin.pruned.map { "pruned \($0.dropped.text)" } ?? "was never here"
            lines.append("  passed over \(pin.places.joined(separator: ", ")): \(why)")
        }
        lines.append("\(counted(decision.kept.count, "set")) kept")
        for kept in decision.kept {
            let why = kept.reasons.map(\.text).joined(separator: "; ")
            lines.append("  keep \(kept.set): \(why)")
        }
        lines += decision.restored.map { "  restore \($0)" }
        lines += published.map { "  publish \($0): made by merging pins" }
        lines += decision.tombstoned.map { "  tombstone \($0)" }
        lines += decision.waiting.map {
            "  wait \($0.set): tombstone of \($0.since.text), goes from \($0.until.text)"
        }
        lines += decision.dropped.map { "  drop \($0)" }
        lines.append(
            "\(counted(decision.tombstoned.count, "tombstone")), "
                + "\(decision.waiting.count) waiting, \(decision.dropped.count) dropped, "
                + (journalEntriesRemoved == 1
                    ? "1 entry of the journal goes"
                    : "\(journalEntriesRemoved) entries of the journal go")
        )
        lines.append("here: \(describe(freed)) of \(describe(present)) freed")
        if let freedOnHost {
            lines.append("on a host, once it collects garbage: \(describe(freedOnHost))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func list(_ root: PlannedRoot) -> String {
        let more = root.placeCount - root.places.count
        return root.places.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    private func describe(_ amount: Amount) -> String {
        "\(counted(amount.objects, "object")), \(amount.bytes) bytes"
    }
}

private func counted(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
}

/// What a prune did.
package struct PruneReport: Sendable, Encodable {
    package var decision: PruneDecision
    package var published: [ObjectID]
    package var journalEntriesRemoved: Int
    /// Bytes of packs and loose objects before and after.
    package var bytesBefore: Int
    package var bytesAfter: Int
    package var objectsBefore: Int
    package var objectsAfter: Int
    /// Git's lock files that a process left behind.
    package var clearedLocks: [String]
    /// Bytes of unfinished files that were removed.
    package var clearedBytes: Int

    package var text: String {
        let locks = clearedLocks.map { "removed a lock left behind: \($0)\n" }.joined()
        return locks
            + "\(counted(decision.kept.count, "set")) kept, "
            + "\(counted(decision.tombstoned.count, "tombstone")), "
            + "\(decision.dropped.count) dropped; \(max(0, bytesBefore - bytesAfter)) bytes freed, "
            + "\(bytesAfter) left\n"
    }
}
