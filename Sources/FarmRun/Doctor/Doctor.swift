// The flow of `snapfarm doctor`: its checks and their order. It changes nothing: creates no folder,
// starts no test and pushes nothing. The rules are in FarmPipeline; each driver checks its own
// needs.
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmReferences
import Foundation

/// Checks this machine, a pipeline, and the services that its runs need.
package struct Doctor: Sendable {
    private let finder: PipelineFinder
    /// The coordinator's URL, or `nil` if runs stay on this machine.
    private let coordinator: String?
    /// The data folder from the command line, or `nil` if none is named.
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

    /// Runs all checks at the same time, and returns their report.
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
        let machine = MachineChecks(
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
            checks += StoreChecks(source: source, environment: environment).checks
        }
        guard let coordinator else {
            return checks + [HealthCheck("clock") { [MachineHealth.clock(ahead: nil)] }]
        }
        let look = CoordinatorChecks(
            url: coordinator,
            environment: environment,
            pipeline: source?.pipeline
        )
        return checks + [look.check]
    }

    // MARK: running checks

    /// Returns the lines of all checks, in the order of the checks.
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

    /// Runs `look` on a thread of its own, because it cannot be cancelled.
    ///
    /// If the task is cancelled, the thread goes on alone until the process ends, which is soon.
    static func blocking(_ look: @escaping @Sendable () -> [HealthLine]) async -> [HealthLine] {
        let promise = Promise<[HealthLine]>()
        Thread { promise.set(look()) }.start()
        return (try? await promise.value) ?? []
    }
}
