// The status of an approval's commit, proved without a run, because a commit pushed with a CI's own
// token starts no workflow. The proof: only the pin changed since the tested commit, and the
// captures of the run are the new references.
import FarmCore
import FarmReferences
import FarmReview
import Foundation

extension ReviewSession {
    /// Sets the status of the commit that an approval made, and returns its text for people.
    ///
    /// Returns `nil` if no commit was made, or without a token of a Git host.
    package func showStatus() async -> String? {
        guard let made = references.branch?.made, !request.isDryRun else { return nil }
        let facts = review.run.manifest.run
        let status = CommitStatus(proof(), of: facts, page: facts.page)
        guard await report.show(status, on: made.commit) else { return nil }
        return "\(status.context): \(status.state.rawValue), \(status.description)"
    }

    /// Shows the rejected pictures on the run's pull request, if there is a token for it.
    package func showRejections() async throws {
        guard !request.isDryRun, let summary = try review.run.summary() else { return }
        let rejected = await decisions.rejected(in: summary) { Console.explain($0) }
        await report.showAgain(summary, rejected: rejected)
    }

    private var report: PullRequestReport {
        let environment = request.environment
        return PullRequestReport(environment: environment, ci: CIEnvironment.detect(environment))
    }

    /// Predicts the results of the commit that an approval made, without running it.
    func proof() -> PinChangeProof {
        do {
            return try tryProof()
        } catch let error as any ExplainedError {
            return .open(reason: error.message)
        } catch {
            return .open(reason: error.inWords)
        }
    }

    private func tryProof() throws -> PinChangeProof {
        guard let branch = references.branch, let made = branch.made else {
            return .open(reason: "nothing was committed")
        }
        guard let summary = try review.run.summary() else {
            return .open(reason: "the run's summary was not kept")
        }
        guard let tested = ObjectID(summary.run.commit),
            try branch.branch.isOnlyThePin(from: tested, to: made)
        else { return .open(reason: "more than the pin changed since the tested commit") }
        let cells = Set(summary.cells.map { CellID($0.id) })
        let base = try references.store.references(review.run.manifest.pin, of: cells)
        let now = try references.store.references(made.pin, of: cells)
        return try PinChangeRules.proof(
            of: summary,
            base: base.mapValues(\.objectID),
            now: now.mapValues(\.objectID),
            alternates: (base.mapValues(\.alternates), now.mapValues(\.alternates)),
            made: Approval(of: review, over: references).made
        )
    }
}
