// What happened at a coordinator that people and programs elsewhere wait for. Each is said once it is
// durable; who needs all of them asks the coordinator.

/// Something that happened to a run.
package struct FarmEvent: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The run has ended, and its verdicts stand.
        case closed = "run.closed"
        /// People accepted, rejected or commented, or took that back.
        case decided = "pictures.decided"
        /// What was accepted is in a set.
        case published = "pictures.published"
    }

    package var event: Kind
    package var run: String
    package var pipeline: String
    /// Milliseconds since 1970.
    package var when: Int64
    /// Of a run that has ended; empty where its submitter did not say.
    package var state: RunState?
    package var commit: String?
    package var branch: String?
    package var pullRequest: String?
    /// Of decisions: what, by whom and why.
    package var decision: Decision.Kind?
    package var person: String?
    package var reason: String?
    /// Pictures that were decided about; `snapshots` names the first of them.
    package var pictures: Int?
    package var snapshots: [String]?

    /// Of a run that has ended.
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

    /// One event for each kind, person and reason of decisions that were kept together.
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
