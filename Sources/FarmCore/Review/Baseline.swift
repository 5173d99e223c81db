// Why a picture is the reference of a test: the set it comes from, since when it is as it is, who
// wanted it so, what it went through, and which other pictures were refused in its place.

/// One reference of a pin, with its history.
package struct Baseline: Hashable, Sendable, Codable {
    /// Refused pictures that are listed, the newest ones.
    package static let refusedMax = 20

    package var id: SnapshotID
    /// The set of the pin.
    package var set: ObjectID
    /// What the set holds under the name; nil: no such picture.
    package var reference: ObjectID?
    /// The picture that stands for it where the set holds none of its name: the same screen on the
    /// device or under the name before.
    package var predecessor: SnapshotID?
    /// Which test makes it; nil where unknown.
    package var test: TestID?
    /// What drew it; empty where unknown.
    package var renderer: [String: String]
    /// What it went through, newest first, along the sets that led to this one.
    ///
    /// Of a picture that has a predecessor, the predecessor's.
    package var events: [LifeEvent]
    /// The journal no longer tells what was before the last event.
    package var isCut: Bool
    /// Pictures that people refused to put in place of this reference, newest first; none also
    /// where nobody knows.
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

    /// The entry that made the picture what it is; nil where the journal does not tell.
    package var since: LogEntry? {
        events.first { $0.change == .changed || $0.change == .added }?.entry
    }

    /// Notes what was refused in place of this reference.
    package mutating func add(_ decisions: DecisionBook) {
        let found = decisions.standing.values.filter {
            $0.kind == .rejected && $0.snapshot == id && $0.reference == reference
        }
        let newest = found.sorted { ($0.when, $0.who) > ($1.when, $1.who) }
        refused = Array(newest.prefix(Self.refusedMax))
    }

    /// For a terminal: why it is so, without the history.
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
