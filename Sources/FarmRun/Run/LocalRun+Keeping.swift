// What a run reads and leaves beside its views: the history of runs, and, on one of several machines,
// what the merge needs.
import FarmCore
import FarmLedger
import FarmReferences
import FarmReview
import FarmServer
import Foundation

/// A plan, and what this machine's history knows of its costs.
struct PlannedWork: Sendable {
    let plan: Plan
    /// Nil where nothing is known.
    let costs: PlanCosts?

    init(_ plan: Plan, _ history: RunHistory?) {
        self.plan = plan
        costs = history.flatMap { PlanCosts(of: plan, LearnedCosts($0)) }
    }
}

extension RunRequest {
    /// The plan with this machine's share, and with what the history knows beyond it.
    func work(of plan: Plan, in prepared: PreparedRun) -> PlannedWork {
        let known = history?.read { Console.say($0) }
        var plan = plan
        plan.lost = known?.lost(
            from: plan,
            branch: prepared.place.branch,
            set: prepared.setID
        )
        // A coordinator elsewhere cuts for all machines that join it.
        if isElsewhere { return PlannedWork(plan, known) }
        MachineShare.note(shard, selects: plan.filtered, environment).map(Console.say)
        let own = MachineShare.take(of: plan, at: shard, history: known, environment)
        return PlannedWork(own, known)
    }
}

extension RunOutcome {
    /// With the evidence of a share or a part; a whole run is judged where it ran.
    func withEvidence(of coordinator: Coordinator) async throws -> RunOutcome {
        guard judged.summary.run.shareName != nil, !judged.summary.run.id.isEmpty else {
            return self
        }
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
    /// Leaves what the next run or the merge reads.
    ///
    /// A share leaves the history as it is: a machine that runs again must cut as the others did.
    func keep(_ outcome: RunOutcome, _ summary: RunSummary, _ folder: OutputFolder) throws {
        // A coordinator elsewhere keeps the evidence of its runs.
        let isKnown = outcome.evidence != nil || summary.run.id.isEmpty
        if summary.run.shareName != nil, isKnown {
            try ShardOutput(folder: folder.path, sources: folder.sources).write(outcome, summary)
        }
        if summary.run.shard == nil, let history = request.history, case .judged = outcome.ending {
            history.add(summary, to: history.read { _ in }) { Console.say($0) }
        }
    }
}

extension PreparedRun {
    /// What the views of this run are made of.
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
    /// Brings a run's outputs to where the provider shows them.
    func deliver(_ summary: RunSummary, rejected: RejectedPictures, folder: String) {
        let report = RunDocument.plainText(summary, rejected: rejected)
        let outputs = CIOutputs(folder: folder, report: report)
        for delivery in deliveries(of: summary, outputs) {
            do {
                try delivery.perform { Console.say($0) }
            } catch {
                // The verdict stands; a full summary page must not turn a green run red.
                Console.explain(error)
            }
        }
    }
}
