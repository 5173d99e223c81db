// `snapfarm report`: publishes the report of a run of the data folder.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmLedger
import FarmReferences
import FarmReports
import FarmReview
import Foundation

/// Publishes a run's report on demand.
package struct RunReport: Sendable {
    /// A run of the data folder, or `latest`.
    let run: String
    /// The path of the pipeline file; if `nil`, the file of the run's pipeline is searched for.
    let file: String?
    /// The path of the data folder; if `nil`, that of the pipeline file.
    let data: String?
    let environment: [String: String]

    package init(run: String, file: String?, data: String?, environment: [String: String]) {
        self.run = run
        self.file = file
        self.data = data
        self.environment = environment
    }

    /// Publishes the report, and returns its address; `nil` if the command of the place does not
    /// say it.
    package func perform() async throws -> String? {
        var review = ReviewRequest(.run(run), environment: environment)
        review.file = file
        review.data = data
        guard let found = try RunSearch(request: review).candidates(run).first else {
            throw LedgerError.noRun(RunID(run))
        }
        let publication = RunPublication(source: found.source, environment: environment)
        guard found.source.pipeline.publish != nil else {
            throw PublishError.noPlace(file: found.source.file)
        }
        let data = try DataFolder(found.data)
        let scratch = try OutputScratch(beside: data.path + "/report")
        defer { scratch.remove() }
        let output = scratch.folder.path + "/out"
        let summary = try await write(found, data, to: output)
        return try await publication.publish(summary, output: output)
    }

    /// Writes the output folder of a run, and returns its summary.
    private func write(
        _ found: RunSearch.Candidate,
        _ data: DataFolder,
        to output: String
    ) async throws -> RunSummary {
        let ledger = try SQLiteLedger(path: data.ledger)
        defer { try? ledger.close() }
        let run = try await ledger.run(found.run)
        guard let judged = try await ledger.judged(found.run) else {
            throw ReviewRefusal.incomplete(run: found.run.text, state: .running, cells: [])
        }
        let store = try? found.source.references(environment)?.store()
        let folder = OutputFolder(
            path: output,
            sources: OutputSources(
                blobs: try BlobStore(folder: data.blobs),
                policies: PortableManifest.JobPolicy.all(of: run.plan.jobs.map(\.job)),
                pin: run.plan.pin,
                reference: { try store?.read($0) }
            )
        )
        let rejected = await DecisionStore.ledger(data.ledger)
            .rejected(in: judged.summary) { Console.explain($0) }
        return try await folder.write(
            RunOutcome(judged: judged, ending: .judged),
            rejected: rejected
        )
    }
}
