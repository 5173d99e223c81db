// The flow of `snapfarm list`: decodes, discovers, prints names. Runs no test and keeps nothing.
import FarmCore
import FarmDrivers
import Foundation

/// The output format of `snapfarm list`.
package enum ListFormat: String, CaseIterable, Sendable {
    /// The ids of the tests, the same as in reports.
    case tests
    /// Suites, by the `classname` of JUnit: the unit that a CI splits, times and reruns.
    case atoms
    /// One JSON document with ids and suites, for each test with its job.
    case json
}

/// Lists the tests of a pipeline, for `snapfarm list`.
package struct ListRequest: Sendable {
    let file: String
    let select: [String]
    let isBuilt: Bool
    let environment: [String: String]

    package init(file: String, select: [String], isBuilt: Bool, environment: [String: String]) {
        self.file = file
        self.select = select
        self.isBuilt = isBuilt
        self.environment = environment
    }

    private struct Listed: Encodable {
        var job: String
        var test: String
        var atom: String
    }

    /// Returns the ids of all selected tests.
    package func tests() async throws -> [String] { try await listed().map(\.test) }

    /// Returns the listed names, one a line and each once, or a JSON document.
    package func text(_ format: ListFormat) async throws -> String {
        let listed = try await listed()
        switch format {
        case .tests: return Self.lines(listed.map(\.test))
        case .atoms: return Self.lines(listed.map(\.atom))
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(listed), as: UTF8.self) + "\n"
        }
    }

    private func listed() async throws -> [Listed] {
        var source = try PipelineSource(file: file)
        try source.resolveMasks()
        let scratch = try OwnedFolder("list")
        defer { scratch.remove() }
        let selection = try Selection(words: select, axes: source.pipeline.axes.map(\.name))
        let commit = SourcePlace(
            CIEnvironment.detect(environment),
            folder: source.folder,
            environment
        ).commit
        let discovery = DiscoveryPhase(
            source: source,
            drivers: DriverCatalog(environment: environment),
            scratch: scratch.path,
            built: isBuilt ? try BuiltRecord(of: source, commit: commit) : nil
        )
        return try await discovery.discover(selection).flatMap { found in
            found.tests.filter { selection.takes($0, of: found.job.name) }.map { test in
                Listed(
                    job: found.job.name.text,
                    test: test.text,
                    atom: test.className(in: found.job.name)
                )
            }
        }
    }

    private static func lines(_ names: [String]) -> String {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }.map { $0 + "\n" }.joined()
    }
}
