// The events of a coordinator, for people and programs elsewhere. An event is sent once it is
// durable. Delivery is not guaranteed; a program that needs every event has to query the
// coordinator.

/// An event of a coordinator: a change of one run.
package struct FarmEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A run has ended, and its verdicts are final.
        case closed = "run.closed"
        /// A person accepted, rejected or commented on pictures, or withdrew a decision.
        case decided = "pictures.decided"
        /// Accepted pictures were published in a reference set.
        case published = "pictures.published"
    }

    package var event: Kind
    package var run: String
    package var pipeline: String
    /// The time of the event, in milliseconds since 1970.
    package var when: Int64
    /// The state of a run that has ended, or `nil` for other events.
    ///
    /// The next three fields also belong only to such events; a text is empty if the run's
    /// submitter did not give it.
    package var state: RunState?
    package var commit: String?
    package var branch: String?
    package var pullRequest: String?
    /// The kind of the decisions, or `nil` for other events; the next two fields have their person
    /// and reason.
    package var decision: Decision.Kind?
    package var person: String?
    package var reason: String?
    /// The number of decided pictures, or `nil` for other events; `snapshots` names the first of
    /// them.
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

    /// Returns the events of decisions that were stored together: one for each kind, person and
    /// reason.
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
