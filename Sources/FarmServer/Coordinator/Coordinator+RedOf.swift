// `run --red-of` at a coordinator: narrows a submitted plan to what is not green in an earlier run,
// before the run is opened.
import FarmAPI
import FarmCore
import FarmLedger

extension Coordinator {
    /// Returns a submission that runs only what is not green in the earlier run that it names, and
    /// names it no more; a submission that names none is returned as it is.
    ///
    /// - Throws: ``RedOfError``, and the ledger's errors for a run that it does not have.
    package func inheriting(_ request: SubmitRequest) async throws -> SubmitRequest {
        guard let redOf = request.redOf else { return request }
        let record = try await ledger.run(redOf.run)
        guard let judged = try await judged(redOf.run) else {
            throw RedOfError.open(redOf.run.text)
        }
        let earlier = EarlierRun(
            plan: record.plan,
            summary: judged.summary,
            leases: try await ledger.evidence(redOf.run).leases
        )
        var request = request
        request.plan = try request.plan.red(
            of: earlier,
            request.facts,
            allowsOtherCode: redOf.allowsOtherCode
        )
        request.costs = request.plan.inherited.flatMap { request.costs?.without($0) }
        request.facts.planDigest = request.plan.digest.description
        request.redOf = nil
        return request
    }
}
