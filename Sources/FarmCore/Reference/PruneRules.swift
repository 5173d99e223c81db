// The decision of a prune: which sets of a store stay, which become tombstones and which are
// removed. Pure.
//
// Invariants
//   - A set with a reason to stay is never removed; a tombstone with a reason becomes a set again.
//   - Every removed set was a tombstone for `graceDays`, unless that is 0.

/// A reason why a prune keeps a set.
package enum KeepReason: Hashable, Sendable, Codable {
    /// A pin of the main repository names the set, in `count` places; `places` lists some of them.
    case pinned(places: [String], count: Int)
    /// A Git reference of the store leads to the set (`refs/snapfarm/keep/…`, a proposal).
    case reference(String)
    /// The entry on the store's front page is about the set.
    case journal
    /// The set is one of the newest; `rank` counts from 1.
    case newest(rank: Int)
    /// The set was recorded less than `youngDays` ago; `days` are whole days since.
    case young(days: Int)
    /// The set was recorded after the prune was planned.
    case recordedSince
    /// A coordinator's run used the set on this day.
    case used(PruneDay)

    package var text: String {
        switch self {
        case .pinned(let places, let count):
            "pinned by \(places.joined(separator: ", "))"
                + (count > places.count ? " and \(count - places.count) more" : "")
        case .reference(let name): "kept by \(name)"
        case .journal: "shown on the front page"
        case .newest(let rank): "newest \(rank)"
        case .young(let days): "\(days) days old"
        case .recordedSince: "recorded since the plan"
        case .used(let day): "used by a run on \(day)"
        }
    }
}

/// The facts about a store that decide a prune.
package struct PruneFacts: Sendable {
    /// The time when each set was recorded, in seconds since 1970.
    package var sets: [ObjectID: Double]
    /// The day of each set's tombstone; a set with a tombstone may also be in `sets`.
    package var tombstones: [ObjectID: PruneDay]
    /// Each set's reasons to stay that other code found: pins, Git references, the journal.
    package var reasons: [ObjectID: [KeepReason]]

    package init(
        sets: [ObjectID: Double],
        tombstones: [ObjectID: PruneDay],
        reasons: [ObjectID: [KeepReason]]
    ) {
        self.sets = sets
        self.tombstones = tombstones
        self.reasons = reasons
    }
}

/// The decision for each set of a store; all lists are sorted by id.
package struct PruneDecision: Hashable, Sendable, Encodable {
    package struct Kept: Hashable, Sendable, Encodable {
        package var set: ObjectID
        package var reasons: [KeepReason]
    }

    package struct Waiting: Hashable, Sendable, Encodable {
        package var set: ObjectID
        package var since: PruneDay
        /// The first day on which a prune may remove the waiting tombstone.
        package var until: PruneDay
    }

    package var kept: [Kept] = []
    /// The tombstones that become sets again; they are also in `kept`.
    package var restored: [ObjectID] = []
    /// The sets that become tombstones.
    package var tombstoned: [ObjectID] = []
    /// The tombstones that stay tombstones.
    package var waiting: [Waiting] = []
    /// The sets and tombstones that are removed.
    package var dropped: [ObjectID] = []
}

package enum PruneRules {
    private static let secondsPerDay = 86_400.0
    /// The largest number of days in a policy that is counted; a larger one means "never".
    private static let daysMax = 1_000_000

    /// Decides for all sets of a store what a prune does; `now` is in seconds since 1970.
    package static func decide(
        _ facts: PruneFacts,
        policy: PrunePolicy,
        now: Double
    ) -> PruneDecision {
        var decision = PruneDecision()
        let today = PruneDay(secondsSince1970: now)
        let reasons = reasons(facts, policy: policy, now: now)
        for set in Set(facts.sets.keys).union(facts.tombstones.keys).sorted() {
            let tombstone = facts.tombstones[set]
            if let why = reasons[set], !why.isEmpty {
                decision.kept.append(.init(set: set, reasons: why))
                if tombstone != nil { decision.restored.append(set) }
            } else if policy.graceDays <= 0 {
                decision.dropped.append(set)
            } else if facts.sets[set] == nil, let since = tombstone {
                let until = PruneDay(
                    secondsSince1970: Double(since.number + min(policy.graceDays, daysMax))
                        * secondsPerDay
                )
                if until <= today {
                    decision.dropped.append(set)
                } else {
                    decision.waiting.append(.init(set: set, since: since, until: until))
                }
            } else {
                decision.tombstoned.append(set)
            }
        }
        return decision
    }

    private static func reasons(
        _ facts: PruneFacts,
        policy: PrunePolicy,
        now: Double
    ) -> [ObjectID: [KeepReason]] {
        var reasons = facts.reasons
        let byAge = newestFirst(facts.sets)
        for (index, set) in byAge.prefix(max(policy.newestCount, 0)).enumerated() {
            add(.newest(rank: index + 1), to: &reasons[set, default: []])
        }
        for set in byAge {
            // A set from the future counts as young: one of the clocks is wrong.
            let days = (now - (facts.sets[set] ?? now)) / secondsPerDay
            guard days < Double(policy.youngDays) else { continue }
            add(.young(days: Int(max(days, 0))), to: &reasons[set, default: []])
        }
        return reasons
    }

    /// Adds a reason to the list unless it is there: carrying out a plan may find its reasons
    /// again.
    private static func add(_ reason: KeepReason, to reasons: inout [KeepReason]) {
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    /// Returns the sets' ids by time, newest first; equal times by id.
    package static func newestFirst(_ sets: [ObjectID: Double]) -> [ObjectID] {
        sets.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key)
    }

    /// Returns the set whose time is nearest, or `nil` if there are no sets; of two equally near,
    /// the newer one.
    package static func nearest(to time: Double, among sets: [ObjectID: Double]) -> ObjectID? {
        newestFirst(sets).min { left, right in
            abs((sets[left] ?? time) - time) < abs((sets[right] ?? time) - time)
        }
    }
}
