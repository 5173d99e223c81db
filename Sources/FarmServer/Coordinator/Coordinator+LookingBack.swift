// Which tests an earlier run of the same pipeline and branch had, for the plan of a run that is about
// to be opened.
import FarmCore
import FarmLedger

/// Whose runs a ledger has.
package enum LedgerScope: Sendable {
    /// Those of all machines: the newest is the run before.
    case allMachines
    /// Those of one machine, which may be weeks old: only a run of the same commit proves something.
    case oneMachine
}

extension Coordinator {
    /// Returns the tests of the newest complete run that a plan lacks, or `nil` if no such run is known.
    ///
    /// The plan may say that itself, from a history: it counts unless this ledger has a later run of
    /// the branch from all machines.
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
        // Ids begin with the time.
        if isKnown, let known, known.run >= last.run { return known }
        let isOther = scope == .oneMachine && commit != facts.commit
        return last.lost(
            from: plan,
            set: facts.set,
            other: isOther ? "commit \(commit.prefix(12))" : nil
        )
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
