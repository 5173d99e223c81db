// Discovery: every job lists its test cases, side by side. A failed or empty discovery ends the
// run before anything is dispatched, and is said, not skipped.
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

/// A job whose discovery failed.
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
    /// An existing folder for logs of the discovery.
    let scratch: String
    /// What was built before; nil: everything is built now.
    var built: BuiltRecord?

    /// The selected jobs with their tests, in the order of the pipeline file.
    func discover(_ selection: Selection) async throws -> [DiscoveredJob] {
        let jobs = Planner.jobs(of: source.pipeline, selection: selection)
        guard !jobs.isEmpty else { throw Selection.Mistake.nothing(words(selection)) }
        return try await discover(jobs)
    }

    /// Jobs with their tests, in their order.
    func discover(_ jobs: [Job]) async throws -> [DiscoveredJob] {
        if built == nil, jobs.contains(where: { DriverCatalog.kinds.build($0.driver) }) {
            // It would name the tests of the build before this one.
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
            // A run that was killed may have left its links in the sources.
            if job.framework?.references?.layout == .besideSources {
                try BorrowedTree.putBackLeft(in: source.folder)
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
