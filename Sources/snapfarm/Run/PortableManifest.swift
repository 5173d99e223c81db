// What makes a run portable: CI machines vanish, so the zip says which run, commit, pin and plan
// it belongs to, how complete it is, and the digest of every picture in it.
import FarmCore
import Foundation

/// `manifest.json` of `FailureDiffs.zip`, version 1.
struct PortableManifest: Codable {
    struct Cell: Codable {
        var id: String
        var complete: Bool
        var planned: Int
    }
    struct JobPolicy: Codable {
        var job: String
        var judge: Judge
        var comparison: ComparisonRules
    }
    struct Entry: Codable {
        var snapshot: String
        var job: String
        var test: String
        var verdict: Verdict
        /// Git blob id of the reference; empty without one.
        var reference: String
        /// `sha256:` digest of the capture; empty where none was made.
        var capture: String
        /// Paths in the zip, by `reference`, `failed`, `diff`.
        var files: [String: String]
    }

    var schemaVersion = 1
    var run: RunFacts
    var state: RunState
    /// Text of the pin the run compared against.
    var pin: String
    var cells: [Cell]
    var policies: [JobPolicy]
    var snapshots: [Entry]

    init(_ summary: RunSummary, _ pipeline: Pipeline, _ pin: String) {
        run = summary.run
        state = summary.state
        self.pin = pin
        cells = summary.cells.map {
            Cell(id: $0.id, complete: $0.complete, planned: $0.counts.planned)
        }
        policies = pipeline.jobs.filter { $0.kind == .snapshot }.map {
            JobPolicy(job: $0.name.text, judge: $0.judge, comparison: $0.comparison)
        }
        snapshots = summary.snapshots.filter { $0.verdict != .passed }.map { snapshot in
            let prefix = "FailureDiffs/"
            let files = snapshot.files.filter { $0.value.hasPrefix(prefix) }
            return Entry(
                snapshot: snapshot.id,
                job: snapshot.job,
                test: snapshot.test,
                verdict: snapshot.verdict,
                reference: snapshot.reference,
                capture: snapshot.capture,
                files: files.mapValues { String($0.dropFirst(prefix.count)) }
            )
        }
    }

    /// Sorted and indented; the same run gives the same bytes.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
