// The rules of retention: which ended runs and decisions a data folder may drop. Pure.

/// A run with its start and end, in milliseconds since 1970.
package struct RetainedRun: Hashable, Sendable {
    package var id: RunID
    package var started: Int64
    /// The time of the run's end in milliseconds since 1970, or `nil` if the run is open.
    package var ended: Int64?
    package var pipeline: String

    package init(id: RunID, started: Int64, ended: Int64?, pipeline: String = "") {
        self.id = id
        self.started = started
        self.ended = ended
        self.pipeline = pipeline
    }
}

/// The policy that decides which runs stay in a data folder.
package struct RetentionPolicy: Hashable, Sendable {
    /// The age in days that a run must reach before it may be dropped.
    package var keepDays: Int
    /// The number of newest runs that stay, whatever their age.
    package var keepRuns: Int

    package init(keepDays: Int, keepRuns: Int) {
        self.keepDays = keepDays
        self.keepRuns = keepRuns
    }

    package static let standard = RetentionPolicy(keepDays: 30, keepRuns: 20)

    /// Whether a time is old enough for its run to be dropped; future times never are.
    package func isOld(_ time: Int64, now: Int64) -> Bool {
        time <= now - Int64(keepDays) * 86_400_000
    }
}

package enum RetentionRules {
    /// Returns the ids of runs that may be dropped, oldest first: ended, old, and not among the
    /// newest.
    ///
    /// Runs of a team with `days:` stay for those days, and its newest ones are counted alone.
    package static func expired(
        _ runs: [RetainedRun],
        _ policy: RetentionPolicy,
        teams: Teams = Teams(),
        now: Int64
    ) -> [RunID] {
        let groups = Dictionary(grouping: runs) { run -> Team? in
            let team = teams.team(of: run.pipeline)
            return team.quota?.days == nil ? nil : team
        }
        let expired = groups.flatMap { team, runs -> [RetainedRun] in
            var own = policy
            if let days = team?.quota?.days { own.keepDays = days }
            let newestFirst = runs.sorted { ($0.started, $0.id) > ($1.started, $1.id) }
            return newestFirst.dropFirst(own.keepRuns).filter { run in
                run.ended.map { own.isOld($0, now: now) } ?? false
            }
        }
        return expired.sorted { ($0.started, $0.id) < ($1.started, $1.id) }.map(\.id)
    }

    /// Returns the oldest ended runs of a team that leave so that the others' blobs take at most
    /// `bytesMax`, and the bytes of the blobs that stay.
    ///
    /// A blob counts once, for the newest run that names it; `sizes` has its bytes. Open runs and
    /// the newest ended one stay.
    package static func overfull(
        _ runs: [RetainedRun],
        blobs: [RunID: Set<Digest>],
        sizes: [Digest: Int],
        bytesMax: Int
    ) -> (runs: [RunID], keptBytes: Int) {
        var counted: Set<Digest> = []
        var kept = 0
        var leaving: [RunID] = []
        var isFirst = true
        let newestFirst = runs.sorted { ($0.started, $0.id) > ($1.started, $1.id) }
        for run in newestFirst.filter({ $0.ended == nil }) + newestFirst.filter({ $0.ended != nil })
        {
            let own = blobs[run.id, default: []].subtracting(counted)
            let bytes = own.reduce(0) { $0 + (sizes[$1] ?? 0) }
            let mayLeave = run.ended != nil && !isFirst
            if mayLeave, !leaving.isEmpty || kept + bytes > bytesMax {
                leaving.append(run.id)
                continue
            }
            if run.ended != nil { isFirst = false }
            counted.formUnion(own)
            kept += bytes
        }
        return (leaving, kept)
    }

    /// Returns the days after which a blob that no run names leaves: the fewest for which a team's
    /// runs stay.
    package static func blobDays(_ policy: RetentionPolicy, teams: Teams) -> Int {
        let quotas = teams.named.compactMap(\.quota)
        let days = quotas.flatMap { [$0.days, $0.bytes == nil ? nil : 1] }.compactMap(\.self)
        return min(policy.keepDays, days.min() ?? policy.keepDays)
    }

    /// Returns the time of the latest decision that may be dropped, in milliseconds since 1970.
    ///
    /// Decisions outlive the runs in which they were made, because the same picture may come again.
    package static func decisionsEnd(_ policy: RetentionPolicy, now: Int64) -> Int64 {
        now - Int64(max(policy.keepDays, FarmLimits.decisionDays)) * 86_400_000
    }
}
