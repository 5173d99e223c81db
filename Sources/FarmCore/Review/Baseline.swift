// The history of a test's reference: the set that it comes from, the time and author of its last
// change, all its changes, and the pictures that were rejected in its place.

/// The reference of one picture in a pin, with its history.
package struct Baseline: Hashable, Sendable, Codable {
    /// The most rejected pictures that are listed; the newest come first.
    package static let refusedMax = 20

    package var id: SnapshotID
    /// The reference set that the pin names.
    package var set: ObjectID
    /// The reference's object id in the set, or `nil` if the set lacks the picture.
    package var reference: ObjectID?
    /// The picture whose reference is used while the set lacks this one (the same screen on the
    /// device before, or under the older name), or `nil`.
    package var predecessor: SnapshotID?
    /// The test that makes the picture, or `nil` if it is unknown.
    package var test: TestID?
    /// The program that drew the reference; empty if it is unknown.
    package var renderer: [String: String]
    /// The picture's changes, newest first, along the sets that led to this one; those of the
    /// predecessor if it has one.
    package var events: [LifeEvent]
    /// Whether the history is incomplete: the journal lacks the entries before the last event.
    package var isCut: Bool
    /// The decisions that rejected a picture in place of this reference, newest first; also empty
    /// if the decisions are unknown.
    package var refused: [Decision] = []

    package init(
        id: SnapshotID,
        set: ObjectID,
        reference: ObjectID?,
        predecessor: SnapshotID? = nil,
        test: TestID? = nil,
        renderer: [String: String] = [:],
        events: [LifeEvent] = [],
        isCut: Bool = false
    ) {
        self.id = id
        self.set = set
        self.reference = reference
        self.predecessor = predecessor
        self.test = test
        self.renderer = renderer
        self.events = events
        self.isCut = isCut
    }

    /// The journal's entry that last changed the reference, or `nil` if the journal lacks it.
    package var since: LogEntry? {
        events.first { $0.change == .changed || $0.change == .added }?.entry
    }

    /// Sets `refused` to the standing decisions that rejected a picture in place of this reference.
    package mutating func add(_ decisions: DecisionBook) {
        let found = decisions.standing.values.filter {
            $0.kind == .rejected && $0.snapshot == id && $0.reference == reference
        }
        let newest = found.sorted { ($0.when, $0.who) > ($1.when, $1.who) }
        refused = Array(newest.prefix(Self.refusedMax))
    }

    /// The explanation of the reference as lines for a terminal, without its history.
    package var reasons: [String] {
        var lines: [String] = []
        if let predecessor {
            lines.append("the set has no picture of this name; \(predecessor) stands for it")
        }
        guard let reference else { return lines + ["the set \(Self.short(set)) has none"] }
        lines.append("reference \(Self.short(reference)) of set \(Self.short(set))")
        if let since {
            lines.append("since \(since.line)")
            if let reason = since.reason { lines.append("reason: \(reason)") }
            if let run = since.run { lines.append("run: \(run)") }
        } else {
            lines.append("the journal does not tell since when")
        }
        if let test { lines.append("made by \(test)") }
        if !renderer.isEmpty {
            let facts = renderer.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines.append("drawn by \(facts.joined(separator: ", "))")
        }
        for decision in refused {
            let who = decision.who.isEmpty ? "" : " by \(decision.who)"
            let why = decision.reason.isEmpty ? "" : ": \(decision.reason)"
            lines.append("refused in its place\(who)\(why)")
        }
        return lines
    }

    private static func short(_ object: ObjectID) -> Substring { object.hex.prefix(12) }
}
