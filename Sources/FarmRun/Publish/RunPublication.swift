// The publication of a run's report: the page of its zip, its pictures and the zip itself, from
// which others can approve.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmReports
import FarmReview
import Foundation

/// Publishes the report of a run from its output folder.
struct RunPublication: Sendable {
    let source: PipelineSource
    let environment: [String: String]

    /// Publishes the report of a CI's run if the pipeline file names a place; returns its address,
    /// or `nil` if nothing was published.
    ///
    /// Reports of green runs show nothing, and parts wait for their merge. A failure is printed and
    /// changes no verdict.
    func publishAfterRun(_ summary: RunSummary, output: String) async -> String? {
        guard source.pipeline.publish != nil, CIEnvironment.detect(environment) != nil,
            summary.run.mode == .verify, summary.run.shareName == nil, !summary.run.id.isEmpty,
            summary.state != .passed
        else { return nil }
        do {
            let address = try await publish(summary, output: output)
            Console.say("Report published: \(address ?? "its command says no address")")
            return address
        } catch {
            Console.say("the report is not published: \(error.inWords)")
            return nil
        }
    }

    /// Publishes the report of the run in an output folder, and returns its address if it is known.
    ///
    /// - Throws: `PublishError`, `BucketError`, and errors of the disk.
    func publish(_ summary: RunSummary, output: String) async throws -> String? {
        guard let destination = source.pipeline.publish else {
            throw PublishError.noPlace(file: source.file)
        }
        let publisher = try ReportPublisher(
            destination,
            workTree: source.folder,
            environment: environment
        )
        let scratch = try OutputScratch(beside: output)
        defer { scratch.remove() }
        let folder = scratch.folder.path + "/report"
        // A link costs nothing, but not every disk has links.
        func copy(_ from: String, to: String) throws {
            do {
                try FileManager.default.linkItem(atPath: from, toPath: to)
            } catch {
                try FileManager.default.copyItem(atPath: from, toPath: to)
            }
        }
        try copy("\(output)/\(KeptFiles.diffs)", to: folder)
        try copy("\(output)/\(FailureZip.name)", to: "\(folder)/\(FailureZip.name)")
        // The zip has the evidence, which no browser needs.
        try? FileManager.default.removeItem(atPath: "\(folder)/\(KeptFiles.evidence)")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let report = PublishedReport(of: summary, published: ISO8601.text(now))
        return try await publisher.publish(report, folder: folder)
    }
}
