// The events of a coordinator, for people and programs elsewhere. An event is sent once it is
// durable. Delivery is not guaranteed; a program that needs every event has to query the
// coordinator.

/// A change of a run.
package struct FarmEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The run has ended, and its verdicts stand.
        case closed = "run.closed"
        /// A person accepted, rejected or commented on pictures, or withdrew that.
        case decided = "pictures.decided"
        /// Accepted pictures are in a reference set.
        case published = "pictures.published"
    }

    package var event: Kind
    package var run: String
    package var pipeline: String
    /// The time of the event, in milliseconds since 1970.
    package var when: Int64
    /// The fields of a run that has ended; a text is empty if its submitter did not give it.
    package var state: RunState?
    package var commit: String?
    package var branch: String?
    package var pullRequest: String?
    /// The fields of decisions: kind, person and reason.
    package var decision: Decision.Kind?
    package var person: String?
    package var reason: String?
    /// The number of decided pictures; `snapshots` names the first of them.
    package var pictures: Int?
    package var snapshots: [String]?

    /// Makes the event of a run that has ended.
    package init(closed summary: RunSummary, now: Int64) {
        event = .closed
        run = summary.run.id
        pipeline = summary.run.pipeline
        when = now
        state = summary.state
        commit = summary.run.commit
        branch = summary.run.branch
        pullRequest = summary.run.pullRequest
    }

    /// Returns one event for each kind, person and reason among decisions that were stored
    /// together.
    package static func all(of decisions: [Decision]) -> [FarmEvent] {
        struct Key: Hashable {
            let kind: Decision.Kind
            let words: [String]
        }
        var order: [Key] = []
        var groups: [Key: [Decision]] = [:]
        for decision in decisions {
            let key = Key(
                kind: decision.kind,
                words: [decision.run, decision.pipeline, decision.who, decision.reason]
            )
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(decision)
        }
        return order.compactMap { groups[$0].flatMap(FarmEvent.init(alike:)) }
    }

    private init?(alike decisions: [Decision]) {
        guard let first = decisions.first else { return nil }
        event = first.kind == .published ? .published : .decided
        run = first.run
        pipeline = first.pipeline
        when = first.when
        decision = first.kind
        person = first.who
        reason = first.reason
        pictures = decisions.count
        snapshots = decisions.prefix(FarmLimits.eventPicturesMax).map(\.snapshot.text)
    }
}
