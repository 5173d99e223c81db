// The flow of `snapfarm build`: decode, lock, build and list, and keep a record of it. No test runs.
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

/// What the command line asks of a build.
package struct BuildRequest: Sendable {
    /// The pipeline file.
    let file: String
    let select: [String]
    let environment: [String: String]

    package init(file: String, select: [String], environment: [String: String]) {
        self.file = file
        self.select = select
        self.environment = environment
    }

    /// Builds, and writes the record that `snapfarm run --built` reads.
    package func perform() async throws -> BuildReport {
        let source = try PipelineSource(file: file)
        let selection = try Selection(words: select, axes: source.pipeline.axes.map(\.name))
        let selected = Planner.jobs(of: source.pipeline, selection: selection)
        guard !selected.isEmpty else { throw Selection.Mistake.nothing(select) }
        let jobs = selected.filter { DriverCatalog.kinds.build($0.driver) }
        guard !jobs.isEmpty else {
            throw BuiltError.nothingToBuild(DriverCatalog.kinds.filter(\.builds).map(\.name))
        }
        // The drivers build there, wherever runs keep their state.
        let data = try DataFolder(source.folder + "/.snapfarm")
        Leftovers.prevent()
        Leftovers.endProcesses()
        Console.say("building …")
        let found = try await StopSignals.watched { [environment] stops in
            try await beside(
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

/// What was built, as the command says it.
package struct BuildReport: Sendable {
    /// The jobs of one build.
    private struct Part {
        /// With how many tests each has.
        var jobs: [String]
        var paths: [String]
        var bytes: Int
    }

    private let workTree: String
    private let file: String
    private let parts: [Part]
    /// Relative to the work tree, each once.
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

    /// Lines for people, and what they copy into the configuration of their CI.
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

    /// The work tree, as a step of a CI that starts here names it.
    private var root: String {
        let here = FileManager.default.currentDirectoryPath
        return BundleRules.relative(workTree, to: here).map { $0.isEmpty ? "." : $0 } ?? workTree
    }

    /// Bytes of a file, or of all files in a folder; no link is followed.
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
