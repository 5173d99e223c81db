// The flow of `snapfarm build`: decodes, locks, builds, lists the tests and writes a record of the
// build. Runs no test.
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

/// The options of `snapfarm build`, and its flow.
package struct BuildRequest: Sendable {
    /// The path of the pipeline file.
    let file: String
    let select: [String]
    let environment: [String: String]

    package init(file: String, select: [String], environment: [String: String]) {
        self.file = file
        self.select = select
        self.environment = environment
    }

    /// Builds the selected jobs, and writes the record that `snapfarm run --built` reads.
    package func perform() async throws -> BuildReport {
        let source = try PipelineSource(file: file)
        let selection = try Selection(words: select, axes: source.pipeline.axes.map(\.name))
        let selected = Planner.jobs(of: source.pipeline, selection: selection)
        guard !selected.isEmpty else { throw Selection.Mistake.nothing(select) }
        let jobs = selected.filter { DriverCatalog.kinds.build($0.driver) }
        guard !jobs.isEmpty else {
            throw BuiltError.nothingToBuild(DriverCatalog.kinds.filter(\.builds).map(\.name))
        }
        // Drivers build into `.snapfarm`, even if runs keep their data elsewhere.
        let data = try DataFolder(source.folder + "/.snapfarm")
        Leftovers.prevent()
        Leftovers.endProcesses()
        Console.say("building …")
        let found = try await StopSignals.watched { [environment] stops in
            try await withBackgroundTask(
                { for await exit in stops { throw Stopped(exit: exit) } },
                run: {
                    try await Self.discover(jobs, of: source, logs: data.logs, environment)
                }
            )
        }
        let record = BuiltRecord(
            workTree: source.folder,
            commit: SourcePlace(
                CIEnvironment.detect(environment),
                folder: source.folder,
                environment
            ).commit,
            jobs: found.map { PlannedJob(job: $0.job, tests: $0.tests, prepared: $0.prepared) }
        )
        let report = try BuildReport(record, file: file)
        try record.write()
        withExtendedLifetime(data) {}
        return report
    }

    private static func discover(
        _ jobs: [Job],
        of source: PipelineSource,
        logs: String,
        _ environment: [String: String]
    ) async throws -> [DiscoveredJob] {
        let drivers = DriverCatalog(environment: environment)
        let phase = DiscoveryPhase(source: source, drivers: drivers, scratch: logs)
        let result: Result<[DiscoveredJob], any Error>
        do {
            result = .success(try await phase.discover(jobs))
        } catch {
            result = .failure(error)
        }
        await drivers.shutDown()
        return try result.get()
    }
}

/// The output of `snapfarm build`: the products, and the paths that other machines need.
package struct BuildReport: Sendable {
    /// The jobs that have the same products.
    private struct Part {
        /// The names of the jobs, each with its number of tests.
        var jobs: [String]
        var paths: [String]
        var bytes: Int
    }

    private let workTree: String
    private let file: String
    private let parts: [Part]
    /// The paths that other machines need, relative to the work tree, each once.
    private let handedOn: [String]

    init(_ record: BuiltRecord, file: String) throws {
        workTree = record.workTree
        self.file = file
        var parts: [Part] = []
        var handedOn = [BuiltRecord.path]
        for job in record.jobs {
            let products = try DriverCatalog.kinds.products(of: job, workTree: record.workTree)
            let name = "\(job.job.name) (\(Amount.count(job.tests.count, "test")))"
            for path in products.handedOn where !handedOn.contains(path) { handedOn.append(path) }
            if let place = parts.firstIndex(where: { $0.paths == products.paths }) {
                parts[place].jobs.append(name)
            } else {
                let bytes = products.paths.reduce(0) { $0 + Self.bytes(at: $1) }
                parts.append(Part(jobs: [name], paths: products.paths, bytes: bytes))
            }
        }
        self.parts = parts
        self.handedOn = handedOn
    }

    /// Returns lines for the terminal, with a step to copy into the configuration of a CI.
    package func text() -> String {
        var lines = parts.map { part in
            let places = part.paths.map { BundleRules.relative($0, to: workTree) ?? $0 }
            return "built for \(part.jobs.joined(separator: ", ")): "
                + "\(places.joined(separator: ", ")), \(Amount.bytes(part.bytes))"
        }
        lines += [
            "",
            "To other machines, in the same folder (CircleCI; other CIs store the same paths):",
            "  - persist_to_workspace:",
            "      root: \(root)",
            "      paths:",
        ]
        lines += handedOn.map { "        - \($0)" }
        lines += ["There: snapfarm run \(file) --built"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The work tree's path for people: relative if it is in the working folder, else absolute.
    private var root: String {
        let here = FileManager.default.currentDirectoryPath
        return BundleRules.relative(workTree, to: here).map { $0.isEmpty ? "." : $0 } ?? workTree
    }

    /// Returns the size in bytes of a file, or of all regular files below a folder; links are not
    /// followed.
    private static func bytes(at path: String) -> Int {
        let files = FileManager.default
        let below = files.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return ([path] + below.map { "\(path)/\($0)" }).reduce(0) { sum, path in
            let facts = try? files.attributesOfItem(atPath: path)
            guard facts?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((facts?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}
