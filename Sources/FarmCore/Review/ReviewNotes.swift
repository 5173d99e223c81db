// `review.json`: what people decided about the pictures of one run, so that a later report or
// comment can show it. Nothing is judged by it.

/// What a review says of one picture.
package enum ReviewDecision: String, Hashable, Sendable, Codable, CaseIterable {
    case approved
    /// Its reference left the set.
    case removed
    case rejected
}

/// One decision.
package struct ReviewNote: Hashable, Sendable, Codable {
    package var snapshot: SnapshotID
    package var decision: ReviewDecision
    /// Empty where none was given.
    package var reason: String
    /// ISO 8601 in UTC.
    package var when: String
    /// Empty where unknown.
    package var who: String

    package init(
        snapshot: SnapshotID,
        decision: ReviewDecision,
        reason: String,
        when: String,
        who: String
    ) {
        self.snapshot = snapshot
        self.decision = decision
        self.reason = reason
        self.when = when
        self.who = who
    }
}

/// `review.json`, version 1.
package struct ReviewNotes: Hashable, Sendable, Codable {
    package static let currentVersion = 1

    package private(set) var schemaVersion = ReviewNotes.currentVersion
    /// The run they are about: notes of another run mean nothing.
    package let run: String
    /// One for each picture, the newest decision, sorted by snapshot.
    package private(set) var decisions: [ReviewNote] = []

    package init(run: String) { self.run = run }

    /// Adds decisions; each replaces an older one about the same picture.
    ///
    /// The same decision again, without a reason, leaves the older one with its reason.
    package mutating func add(_ notes: [ReviewNote]) {
        var all: [SnapshotID: ReviewNote] = [:]
        for note in decisions + notes {
            if let old = all[note.snapshot], old.decision == note.decision, note.reason.isEmpty {
                continue
            }
            all[note.snapshot] = note
        }
        decisions = all.values.sorted { $0.snapshot < $1.snapshot }
    }

    /// The pictures that were last rejected.
    package var rejected: Set<SnapshotID> {
        Set(decisions.filter { $0.decision == .rejected }.map(\.snapshot))
    }
}
