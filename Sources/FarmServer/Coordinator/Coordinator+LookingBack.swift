// Finds what earlier runs of the same pipeline decide about a new one before it is opened: the
// tests that its plan lacks, and the clean runs of its quarantine.
import FarmCore
import FarmLedger

/// The machines whose runs a ledger has.
package enum LedgerScope: Sendable {
    /// The ledger has the runs of all machines, so that its newest run is the one before this run.
    case allMachines
    /// The ledger has the runs of one machine, whose last run may be weeks old: only a run of the
    /// same commit proves something.
    case oneMachine
}

extension Coordinator {
    /// Returns the tests that the newest complete run had and that a plan lacks, or `nil` if no
    /// such run is known.
    ///
    /// The plan may name such tests itself, from a history. They count unless this ledger has the
    /// runs of all machines, with a later one of this branch.
    package func lost(
        from plan: Plan,
        _ facts: RunFacts,
        _ scope: LedgerScope
    ) async throws -> LostTests? {
        guard plan.mode == .verify, !plan.filtered, plan.share == nil else { return nil }
        let known = plan.lost
        let isKnown = known.map { $0.other == nil } ?? false
        if isKnown, scope == .oneMachine { return known }
        guard let (last, commit) = try await lastComplete(of: facts) else { return known }
        // Ids begin with the time, so a greater id is a later run.
        if isKnown, let known, known.run >= last.run { return known }
        let isOther = scope == .oneMachine && commit != facts.commit
        return last.lost(
            from: plan,
            set: facts.set,
            other: isOther ? "commit \(commit.prefix(12))" : nil
        )
    }

    /// Returns the clean runs before a run of the quarantine entries that end after some, or `nil`
    /// if none was counted.
    ///
    /// The plan may name counts itself, from a history. Those of this ledger replace them if it has
    /// the runs of all machines.
    package func cleanRuns(before plan: Plan, _ scope: LedgerScope) async throws -> [String: Int]? {
        let keys = Set(plan.countedEntries.map(\.key))
        guard plan.mode == .verify, !keys.isEmpty else { return nil }
        let own = try await ledger.cleanRuns(of: plan.pipeline, keys: keys)
        let known = (plan.cleanRuns ?? [:]).filter { keys.contains($0.key) }
        let counts = known.merging(own) { known, own in scope == .allMachines ? own : known }
        return counts.isEmpty ? nil : counts
    }

    private func lastComplete(of facts: RunFacts) async throws -> (CompleteRun, commit: String)? {
        let query = RunQuery(
            limit: FarmLimits.earlierRunsMax,
            pipeline: facts.pipeline,
            branch: facts.branch
        )
        let last = try await ledger.runs(query).first {
            [.passed, .failed].contains($0.state) && !$0.facts.filtered && $0.facts.shard == nil
        }
        guard let last, let judged = try await judged(last.id) else { return nil }
        return CompleteRun(of: judged.summary).map { ($0, last.facts.commit) }
    }
}
