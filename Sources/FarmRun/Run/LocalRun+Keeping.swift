// The files that a run reads and writes beside its reports: the history, and a share's output for
// the merge.
import FarmCore
import FarmLedger
import FarmReferences
import FarmReview
import FarmServer
import FarmWorker
import Foundation

/// A plan, with its costs from this machine's history.
struct PlannedWork: Sendable {
    let plan: Plan
    /// The plan's costs, or `nil` if the history has none.
    let costs: PlanCosts?

    init(_ plan: Plan, _ history: RunHistory?) {
        self.plan = plan
        costs = history.flatMap { PlanCosts(of: plan, LearnedCosts($0)) }
    }

    init(_ plan: Plan, costs: PlanCosts?) {
        self.plan = plan
        self.costs = costs
    }
}

extension RunRequest {
    /// Returns this machine's share of `plan`, with lost tests, clean runs and costs from the
    /// history.
    func work(of plan: Plan, in prepared: PreparedRun) -> PlannedWork {
        let known = history?.read { Console.say($0) }
        var plan = plan
        plan.lost = known?.lost(
            from: plan,
            branch: prepared.place.branch,
            set: prepared.setID
        )
        plan.cleanRuns = known?.cleanRuns(before: plan)
        // A coordinator elsewhere cuts the plan itself, for all its workers.
        if isElsewhere { return PlannedWork(plan, known) }
        MachineShare.note(shard, selects: plan.filtered, environment).map(Console.say)
        let own = MachineShare.take(of: plan, at: shard, history: known, environment)
        return PlannedWork(own, known)
    }
}

extension RunOutcome {
    /// Returns the outcome with the evidence for a merge or another judgement; a record run needs
    /// none.
    func withEvidence(of coordinator: Coordinator) async throws -> RunOutcome {
        let run = judged.summary.run
        guard run.shareName != nil || run.isJudgeable, !run.id.isEmpty else { return self }
        var stopped = false
        if case .stopped = ending { stopped = true }
        var outcome = self
        outcome.evidence = try await coordinator.evidence(
            RunID(judged.summary.run.id),
            cancelled: stopped
        )
        return outcome
    }
}

extension LocalRun {
    /// Writes the files for the next run or the merge.
    ///
    /// A share does not change the history: if its machine runs again, it must cut the plan as the
    /// other machines did.
    func keep(
        _ outcome: RunOutcome,
        _ summary: RunSummary,
        _ folder: OutputFolder,
        _ prepared: PreparedRun
    ) async throws {
        // The evidence of a run on a coordinator elsewhere stays there.
        let isKnown = outcome.evidence != nil || summary.run.id.isEmpty
        if summary.run.shareName != nil, isKnown {
            try ShardOutput(folder: folder.path, sources: folder.sources).write(outcome, summary)
        }
        if summary.run.shard == nil, let history = request.history, case .judged = outcome.ending {
            let host = request.isElsewhere ? nil : HostName.current
            let reused = await ReuseSearch(request: request, prepared: prepared).found(outcome)
            history.add(summary, host: host, to: history.read { _ in }) {
                Console.say($0)
            } after: { history in
                guard let reused else { return }
                var record = history.reuse ?? ReuseRecord()
                record.add(summary, reused.evidence, reused.facts)
                history.reuse = record
            }
        }
    }
}

extension PreparedRun {
    /// The sources of this run's reports: blobs, policies, pin and references.
    var outputSources: OutputSources {
        let store = store
        return OutputSources(
            blobs: blobs,
            policies: PortableManifest.JobPolicy.all(of: source.pipeline.jobs),
            pin: pin,
            reference: { try store?.read($0) }
        )
    }
}

extension CIEnvironment {
    /// Delivers a run's outputs to the places where the CI shows them.
    func deliver(_ summary: RunSummary, rejected: RejectedPictures, folder: String) {
        let report = RunDocument.plainText(summary, rejected: rejected)
        let outputs = CIOutputs(folder: folder, report: report)
        for delivery in deliveries(of: summary, outputs) {
            do {
                try delivery.perform { Console.say($0) }
            } catch {
                // A failed delivery changes no verdict: a full summary page must not turn a green
                // run red.
                Console.explain(error)
            }
        }
    }
}
