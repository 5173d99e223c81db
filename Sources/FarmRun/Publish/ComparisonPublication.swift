// The publication of a comparison's report: its address, and the status of the commit that CI
// checked out.
import FarmCore
import FarmReports
import Foundation

/// Publishes the report of a comparison.
struct ComparisonPublication: Sendable {
    let place: ReferencePlace
    let environment: [String: String]

    /// Publishes the report in a folder, prints its address, and sets the status of the commit if
    /// the CI has a Git host's token.
    ///
    /// - Throws: `PublishError`, `BucketError`, and errors of the disk.
    func publish(_ document: ComparisonReport, folder: String) async throws {
        guard let pipeline = place.pipeline, let destination = pipeline.publish else {
            throw PublishError.noPlace(file: place.pipelineFile ?? "the command line")
        }
        let publisher = try ReportPublisher(
            destination,
            workTree: place.folder,
            environment: environment
        )
        let ci = CIEnvironment.detect(environment)
        let checkedOut = SourcePlace(ci, folder: place.folder, environment)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let report = PublishedReport(
            comparing: document.left,
            document.right,
            pipeline: pipeline.name,
            commit: checkedOut.commit,
            state: document.neverAccepted > 0 || document.totals.exit == .invalidInput
                ? .failed : .passed,
            headline: document.totals.words(neverAccepted: document.neverAccepted),
            published: ISO8601.text(now)
        )
        let address = try await publisher.publish(report, folder: folder)
        Console.say("Report published: \(address ?? "its command says no address")")
        let status = CommitStatus(
            state: report.state == .passed ? .success : .failure,
            description: report.headline,
            context: StatusNames.context(pipeline.name, part: report.title),
            page: address
        )
        guard let commit = ObjectID(checkedOut.commit) else { return }
        _ = await PullRequestReport(environment: environment, ci: ci).show(status, on: commit)
    }
}
