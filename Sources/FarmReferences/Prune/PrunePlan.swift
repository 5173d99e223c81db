// The plan of a prune, as a value: shown before anything is changed, and compared with the store
// when it is carried out.
import FarmCore
import FarmGit
import Foundation

/// The amount of detail of a plan.
package enum PrunePlanDetail: Sendable {
    /// Finds the objects that are kept and freed in this store: enough to carry the plan out.
    case local
    /// Finds also the objects that a Git host will free, by reading all objects that are dropped.
    case withHost
}

/// A plan to prune a store.
package struct PrunePlan: Sendable {
    /// A number of objects and their size on the disk.
    package struct Amount: Hashable, Sendable, Encodable {
        package var objects: Int
        package var bytes: Int
    }

    package let store: String
    package let policy: PrunePolicy
    package let now: Date
    /// The pins that keep sets, each with its set and places.
    package let roots: [PlannedRoot]
    /// The number of the main repository's references that were followed, by kind.
    package let followed: [String: Int]
    package let decision: PruneDecision
    /// Sets that a merge of pins made, and that get a reference now.
    package let published: [ObjectID]
    /// Pins whose sets are missing, and that the prune ignores.
    package let absent: [AbsentPin]
    /// The number of journal entries that are removed because their set is dropped.
    package let journalEntriesRemoved: Int
    package let journalEntriesKept: Int
    package let present: Amount
    package let kept: Amount
    /// The objects and bytes that are deleted from this store.
    package let freed: Amount
    /// The objects that only the dropped sets need.
    ///
    /// A Git host that has the same sets frees these when it collects garbage. `nil` if the plan
    /// was made without this detail. Less than `freed` if this copy has garbage of its own.
    package let freedOnHost: Amount?

    /// The changes of sets and tombstones, additions first.
    ///
    /// They are pushed to a remote. The journal (`refs/heads/main`, by force) and
    /// `refs/snapfarm/pruned` are pushed after the prune.
    package let referenceEdits: [ReferenceEdit]

    /// The pins as the plan read them; the prune reads them again.
    let pins: PinRoots
    /// The store's references besides those of sets, tombstones, uses, the journal and its notes,
    /// when the plan was made; a prune keeps their objects.
    let others: [String: ObjectID]
    /// The ids of all sets that had a reference or a tombstone when the plan was made.
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
    /// The plan as text for people, with line ends.
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

/// The result of a prune.
package struct PruneReport: Sendable, Encodable {
    package var decision: PruneDecision
    package var published: [ObjectID]
    package var journalEntriesRemoved: Int
    /// The size of packs and loose objects before the prune, in bytes.
    package var bytesBefore: Int
    package var bytesAfter: Int
    package var objectsBefore: Int
    package var objectsAfter: Int
    /// Git's lock files that dead processes left and the prune removed.
    package var clearedLocks: [String]
    /// The size of the unfinished files that were removed, in bytes.
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
