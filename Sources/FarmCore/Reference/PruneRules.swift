// Which sets of a store stay, which get a tombstone and which go for good: a pure decision.
//
// Invariants
//   - A set with a reason is never dropped; a tombstone with a reason becomes a set again.
//   - Nothing goes for good that did not wait `graceDays` as a tombstone, unless that is 0.

/// Why a set stays.
package enum KeepReason: Hashable, Sendable, Codable {
    /// A pin of the main repository names it; `places` tells which, `count` how many there are.
    case pinned(places: [String], count: Int)
    /// A Git reference of the store leads to it (`refs/snapfarm/keep/…`, a proposal).
    case reference(String)
    /// The store's front page shows it.
    case journal
    /// From 1.
    case newest(rank: Int)
    /// Whole days since it was recorded.
    case young(days: Int)
    /// It came after the plan was made.
    case recordedSince
    /// A coordinator's run is compared with it, or was that day.
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

/// What the rules must know about a store and who needs it.
package struct PruneFacts: Sendable {
    /// When each set was recorded, in seconds since 1970.
    package var sets: [ObjectID: Double]
    /// The day of each tombstone; a set may be here and in `sets`.
    package var tombstones: [ObjectID: PruneDay]
    /// Reasons from outside the rules: pins, references, the journal.
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

/// What happens to each set of a store; every list sorted by id.
package struct PruneDecision: Hashable, Sendable, Encodable {
    package struct Kept: Hashable, Sendable, Encodable {
        package var set: ObjectID
        package var reasons: [KeepReason]
    }

    package struct Waiting: Hashable, Sendable, Encodable {
        package var set: ObjectID
        package var since: PruneDay
        /// The first day a prune may drop it.
        package var until: PruneDay
    }

    package var kept: [Kept] = []
    /// Tombstones that become sets again; also in `kept`.
    package var restored: [ObjectID] = []
    /// Sets that become tombstones.
    package var tombstoned: [ObjectID] = []
    /// Tombstones that stay.
    package var waiting: [Waiting] = []
    /// Sets and tombstones that go for good.
    package var dropped: [ObjectID] = []
}

package enum PruneRules {
    private static let secondsPerDay = 86_400.0
    /// Days of a policy that are counted; more mean "never".
    private static let daysMax = 1_000_000

    /// Decides at `now`, in seconds since 1970.
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
            // A set from the future is young: its clock or ours is wrong.
            let days = (now - (facts.sets[set] ?? now)) / secondsPerDay
            guard days < Double(policy.youngDays) else { continue }
            add(.young(days: Int(max(days, 0))), to: &reasons[set, default: []])
        }
        return reasons
    }

    /// A plan's reasons may be given again when it is carried out.
    private static func add(_ reason: KeepReason, to reasons: inout [KeepReason]) {
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    /// Sets by time, newest first; equal times by id.
    package static func newestFirst(_ sets: [ObjectID: Double]) -> [ObjectID] {
        sets.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key)
    }

    /// The kept set that is nearest in time to one that goes; the newer of two.
    package static func nearest(to time: Double, among sets: [ObjectID: Double]) -> ObjectID? {
        newestFirst(sets).min { left, right in
            abs((sets[left] ?? time) - time) < abs((sets[right] ?? time) - time)
        }
    }
}
