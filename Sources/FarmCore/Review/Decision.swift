// What people decided about pictures: a list that only grows. A decision is about one capture
// against one reference, so the same picture keeps it in the next run, and nothing else does.

/// One decision of one person about one picture.
package struct Decision: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// To become a reference with the next publication.
        case accepted
        /// Not to become a reference; the reason says what is wrong.
        case rejected
        /// What was decided before counts no more.
        case withdrawn
        /// Words about the picture, which decide nothing.
        case commented
        /// Became a reference, or left the references.
        case published
    }

    package var kind: Kind
    package var pipeline: String
    package var snapshot: SnapshotID
    /// What the run made; nil for a picture that no test makes any more.
    package var capture: Digest?
    /// What it was compared with; nil for a new picture.
    package var reference: ObjectID?
    /// Empty where none was given.
    package var reason: String
    /// Empty where unknown.
    package var who: String
    /// Milliseconds since 1970.
    package var when: Int64
    /// The run whose page was looked at.
    package var run: String

    package init(
        kind: Kind,
        pipeline: String,
        snapshot: SnapshotID,
        capture: Digest?,
        reference: ObjectID?,
        reason: String,
        who: String,
        when: Int64,
        run: String
    ) {
        self.kind = kind
        self.pipeline = pipeline
        self.snapshot = snapshot
        self.capture = capture
        self.reference = reference
        self.reason = reason
        self.who = who
        self.when = when
        self.run = run
    }

    /// What the decision is about.
    package var subject: Subject {
        Subject(snapshot: snapshot, capture: capture, reference: reference)
    }

    /// One picture of a pipeline, compared with one reference.
    package struct Subject: Hashable, Sendable {
        package var snapshot: SnapshotID
        package var capture: Digest?
        package var reference: ObjectID?

        package init(snapshot: SnapshotID, capture: Digest?, reference: ObjectID?) {
            self.snapshot = snapshot
            self.capture = capture
            self.reference = reference
        }
    }
}

extension Decision {
    /// Why it cannot be kept; nil where it can.
    package var fault: String? {
        let texts = [
            ("pipeline", pipeline, FarmLimits.labelBytesMax),
            ("run", run, FarmLimits.labelBytesMax),
            ("reason", reason, FarmLimits.decisionReasonBytesMax),
            ("person's name", who, FarmLimits.personBytesMax),
        ]
        for (name, text, bytesMax) in texts {
            if text.utf8.count > bytesMax { return "the \(name) has over \(bytesMax) bytes" }
            // SQLite's texts end there.
            if text.utf8.contains(0) { return "the \(name) has a character without meaning" }
        }
        if pipeline.isEmpty { return "the pipeline has no name" }
        if capture == nil, reference == nil { return "\(snapshot) has no picture" }
        if !when.isTime { return "the time \(when) is none" }
        return nil
    }
}

/// What counts of a pipeline's decisions.
package struct DecisionBook: Sendable {
    /// The newest decision about each picture; withdrawn ones are absent.
    package private(set) var standing: [Decision.Subject: Decision] = [:]
    /// In the order they were made.
    package private(set) var comments: [Decision.Subject: [Decision]] = [:]

    /// `decisions` in the order they were made.
    package init(_ decisions: [Decision] = []) { add(decisions) }

    /// Adds decisions that were made after those it has.
    package mutating func add(_ decisions: [Decision]) {
        for decision in decisions {
            switch decision.kind {
            case .accepted, .rejected, .published: standing[decision.subject] = decision
            case .withdrawn:
                // What was published cannot be taken back here: a pin names it.
                if standing[decision.subject]?.kind != .published {
                    standing[decision.subject] = nil
                }
            case .commented: comments[decision.subject, default: []].append(decision)
            }
        }
    }
}

extension SnapshotSummary {
    /// What a decision about it is about; nil for names that no run writes.
    package var subject: Decision.Subject? {
        SnapshotID(exactly: id).map {
            Decision.Subject(
                snapshot: $0,
                capture: Digest(capture),
                reference: ObjectID(reference)
            )
        }
    }
}
