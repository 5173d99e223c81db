// The flow of `snapfarm doctor`: which looks are taken, in which order they are shown. Nothing is
// changed: no folder is made, no test started, nothing sent to a store. The rules are in FarmPipeline, what a
// driver needs is the driver's.
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import Foundation

/// A look at this machine, a pipeline, and the services that its runs need.
package struct Doctor: Sendable {
    private let finder: PipelineFinder
    /// The URL of a coordinator; nil: runs stay on this machine.
    private let coordinator: String?
    /// The data folder, where it is named.
    private let data: String?
    private let environment: [String: String]

    package init(
        finder: PipelineFinder,
        coordinator: String?,
        data: String?,
        environment: [String: String]
    ) {
        self.finder = finder
        self.coordinator = coordinator
        self.data = data
        self.environment = environment
    }

    /// Takes all looks at the same time.
    package func report() async -> HealthReport {
        var source: PipelineSource?
        let pipeline: HealthLine
        do {
            let file = try finder.file()
            let found = try PipelineSource(file: file)
            source = found
            pipeline = .ok("pipeline", Self.words(file, found.pipeline))
        } catch PipelineSearchError.none(nil) {
            pipeline = .warning(
                "pipeline",
                "there is none here yet: only the machine is looked at.",
                remedy: "Make one with `snapfarm init`, then ask again."
            )
        } catch {
            pipeline = .failure("pipeline", error)
        }
        let lines = [pipeline] + (await Self.lines(of: checks(source)))
        let isMachine = source == nil && pipeline.level != .failure
        return HealthReport(of: isMachine ? .machine : .pipeline, lines)
    }

    private static func words(_ file: String, _ pipeline: Pipeline) -> String {
        let jobs = pipeline.jobs.map(\.name.text).joined(separator: ", ")
        return "\(file), \(pipeline.name): \(jobs)"
    }

    private func checks(_ source: PipelineSource?) -> [HealthCheck] {
        let machine = MachineLook(
            source: source,
            data: data.map(PipelineSource.absolute),
            environment: environment
        )
        var checks = machine.checks
        if let source {
            checks += DriverCatalog.health(
                of: source.pipeline.jobs,
                in: HealthPlace(workTree: source.folder, environment: environment)
            )
            checks += StoreLook(source: source, environment: environment).checks
        }
        guard let coordinator else {
            return checks + [HealthCheck("clock") { [MachineHealth.clock(ahead: nil)] }]
        }
        let look = CoordinatorLook(
            url: coordinator,
            environment: environment,
            pipeline: source?.pipeline
        )
        return checks + [look.check]
    }

    // MARK: taking looks

    /// The lines of all checks, in their order.
    static func lines(of checks: [HealthCheck]) async -> [HealthLine] {
        await withTaskGroup(of: (Int, [HealthLine]).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await lines(of: check)) }
            }
            var found: [Int: [HealthLine]] = [:]
            for await (index, lines) in group { found[index] = lines }
            return checks.indices.flatMap { found[$0] ?? [] }
        }
    }

    private static func lines(of check: HealthCheck) async -> [HealthLine] {
        let found = try? await withTimeLimit(seconds: check.seconds) { await check.look() }
        return found ?? [check.lateLine]
    }

    /// Runs what nothing can cancel on a thread of its own, which is left alone when the task is
    /// cancelled: the process ends soon.
    static func blocking(_ look: @escaping @Sendable () -> [HealthLine]) async -> [HealthLine] {
        let promise = Promise<[HealthLine]>()
        Thread { promise.set(look()) }.start()
        return (try? await promise.value) ?? []
    }
}
