// Discovery: all jobs list their tests at the same time. A failed or empty discovery ends the run
// with an error before any test starts.
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

/// The error of a job whose discovery failed.
struct DiscoveryError: ExplainedError {
    let job: JobName
    let cause: Problem
    let exit: ExitCode

    var code: String { cause.code }
    var message: String { "job \(job): \(cause.message)" }
    var remedy: String { cause.remedy }
}

struct DiscoveryPhase: Sendable {
    let source: PipelineSource
    let drivers: DriverCatalog
    /// The path of an existing folder for the logs of discovery.
    let scratch: String
    /// The record of an earlier build to use; if `nil`, discovery builds.
    var built: BuiltRecord?

    /// Returns the selected jobs with their tests, in the order of the pipeline file.
    func discover(_ selection: Selection) async throws -> [DiscoveredJob] {
        let jobs = Planner.jobs(of: source.pipeline, selection: selection)
        guard !jobs.isEmpty else { throw Selection.Mistake.nothing(words(selection)) }
        return try await discover(jobs)
    }

    /// Returns `jobs` with the tests that were discovered, in the same order.
    func discover(_ jobs: [Job]) async throws -> [DiscoveredJob] {
        if built == nil, jobs.contains(where: { DriverCatalog.kinds.build($0.driver) }) {
            // The old record would list the tests of the previous build.
            BuiltRecord.remove(from: source.folder)
        }
        let found = try await withThrowingTaskGroup(of: DiscoveredJob.self) { group in
            for job in jobs { group.addTask { try await discover(job) } }
            return try await group.reduce(into: [JobName: DiscoveredJob]()) { $0[$1.job.name] = $1 }
        }
        return jobs.compactMap { found[$0.name] }
    }

    private func discover(_ job: Job) async throws -> DiscoveredJob {
        do {
            // A killed run may have left its links in the sources.
            if job.framework?.references?.layout == .besideSources {
                try SourceTreeOverlay.putBackLeft(in: source.folder)
            }
            if let built, DriverCatalog.kinds.build(job.driver) { return try built.found(job) }
            let discovery = try await drivers.driver(for: job.driver).discover(
                job: job,
                workTree: source.folder,
                scratch: scratch
            )
            return DiscoveredJob(job: job, tests: discovery.tests, prepared: discovery.prepared)
        } catch let error as any ExplainedError {
            throw DiscoveryError(job: job.name, cause: Problem(error), exit: error.exit)
        }
    }

    private func words(_ selection: Selection) -> [String] {
        selection.patterns.sorted { $0.key < $1.key }.flatMap { key, values in
            values.map { "\(key)=\($0)" }
        }
    }
}
