// The decisions of people about pictures: a list that only grows. A decision applies to one capture
// against one reference, so the same pair keeps it in the next run, and no other pair does.

/// A decision of one person about one picture.
package struct Decision: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The picture shall become a reference with the next publication.
        case accepted
        /// The picture shall become an alternate of its reference with the next publication.
        case alternate
        /// The picture shall not become a reference; the reason names its fault.
        case rejected
        /// The earlier decision about the picture no longer counts.
        case withdrawn
        /// A comment about the picture; it decides nothing.
        case commented
        /// The picture became a reference or an alternate, or left the references.
        case published
    }

    package var kind: Kind
    package var pipeline: String
    package var snapshot: SnapshotID
    /// The capture that the decision is about, or `nil` if no test makes the picture any more.
    package var capture: Digest?
    /// The reference that the capture was compared with, or `nil` for a new picture.
    package var reference: ObjectID?
    /// The person's reason, or empty if there is none.
    package var reason: String
    /// The person's name, or empty if it is unknown.
    package var who: String
    /// The time of the decision, in milliseconds since 1970.
    package var when: Int64
    /// The id of the run on whose page the person decided.
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

    /// The capture and reference that the decision is about.
    package var subject: Subject {
        Subject(snapshot: snapshot, capture: capture, reference: reference)
    }

    /// The subject of a decision: a picture's capture, compared with one reference.
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
    /// The reason why the decision cannot be stored, or `nil` if it can.
    package var fault: String? {
        let texts = [
            ("pipeline", pipeline, FarmLimits.labelBytesMax),
            ("run", run, FarmLimits.labelBytesMax),
            ("reason", reason, FarmLimits.decisionReasonBytesMax),
            ("person's name", who, FarmLimits.personBytesMax),
        ]
        for (name, text, bytesMax) in texts {
            if text.utf8.count > bytesMax { return "the \(name) has over \(bytesMax) bytes" }
            // A text in SQLite ends at NUL.
            if text.utf8.contains(0) { return "the \(name) has a character without meaning" }
        }
        if pipeline.isEmpty { return "the pipeline has no name" }
        if capture == nil, reference == nil { return "\(snapshot) has no picture" }
        if !when.isTime { return "the time \(when) is none" }
        return nil
    }
}

/// The decisions about the pictures of a pipeline that count now.
package struct DecisionBook: Sendable {
    /// The newest decision about each picture, without withdrawn ones.
    package private(set) var standing: [Decision.Subject: Decision] = [:]
    /// The pictures that were accepted as alternates, published or not.
    package private(set) var alternates: Set<Decision.Subject> = []
    /// The comments about each picture, in the order in which they were made.
    package private(set) var comments: [Decision.Subject: [Decision]] = [:]

    /// Makes a book from all decisions, which must be in the order in which they were made.
    package init(_ decisions: [Decision] = []) { add(decisions) }

    /// Adds decisions that were made later than all present ones.
    package mutating func add(_ decisions: [Decision]) {
        for decision in decisions {
            switch decision.kind {
            case .alternate:
                alternates.insert(decision.subject)
                standing[decision.subject] = decision
            case .published: standing[decision.subject] = decision
            case .accepted, .rejected:
                alternates.remove(decision.subject)
                standing[decision.subject] = decision
            case .withdrawn:
                // A publication cannot be withdrawn here: a pin names its set.
                if standing[decision.subject]?.kind != .published {
                    standing[decision.subject] = nil
                    alternates.remove(decision.subject)
                }
            case .commented: comments[decision.subject, default: []].append(decision)
            }
        }
    }
}

extension SnapshotSummary {
    /// The subject of decisions about the picture of this row, or `nil` if its names are not valid.
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
