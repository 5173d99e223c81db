// What a data folder keeps of runs that have ended. Pure.

/// A run as retention sees it; times in milliseconds since 1970.
package struct RetainedRun: Hashable, Sendable {
    package var id: RunID
    package var started: Int64
    /// Nil while it is open.
    package var ended: Int64?

    package init(id: RunID, started: Int64, ended: Int64?) {
        self.id = id
        self.started = started
        self.ended = ended
    }
}

/// What stays, whatever else goes.
package struct RetentionPolicy: Hashable, Sendable {
    /// What is younger stays.
    package var keepDays: Int
    /// So many of the newest runs stay.
    package var keepRuns: Int

    package init(keepDays: Int, keepRuns: Int) {
        self.keepDays = keepDays
        self.keepRuns = keepRuns
    }

    package static let standard = RetentionPolicy(keepDays: 30, keepRuns: 20)

    /// Whether something of that time may go; a time to come never is.
    package func isOld(_ time: Int64, now: Int64) -> Bool {
        time <= now - Int64(keepDays) * 86_400_000
    }
}

package enum RetentionRules {
    /// The runs that may go, oldest first: ended, old, and none of the newest.
    package static func expired(
        _ runs: [RetainedRun],
        _ policy: RetentionPolicy,
        now: Int64
    ) -> [RunID] {
        let newestFirst = runs.sorted { ($0.started, $0.id) > ($1.started, $1.id) }
        return newestFirst.dropFirst(policy.keepRuns).filter { run in
            run.ended.map { policy.isOld($0, now: now) } ?? false
        }.map(\.id).reversed()
    }

    /// Decisions of that time and before may go.
    ///
    /// They outlive the runs they were made on: the same picture comes again in the next one.
    package static func decisionsEnd(_ policy: RetentionPolicy, now: Int64) -> Int64 {
        now - Int64(max(policy.keepDays, FarmLimits.decisionDays)) * 86_400_000
    }
}
