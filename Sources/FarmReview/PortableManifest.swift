// The manifest that makes a run portable. CI machines vanish, so the zip contains the run, commit,
// pin and plan that it belongs to, its completeness, and the digest of every picture in it.
import FarmCore
import Foundation

/// The manifest in `FailureDiffs.zip` (`manifest.json`), version 1.
package struct PortableManifest: Sendable, Codable {
    package static let currentVersion = 1

    /// The completeness of one cell.
    package struct Cell: Sendable, Codable {
        package var id: String
        package var complete: Bool
        package var planned: Int
    }
    /// The judge and comparison rules of a snapshot job.
    package struct JobPolicy: Sendable, Codable {
        package var job: String
        package var judge: Judge
        package var comparison: ComparisonRules

        /// Returns the policies of all snapshot jobs.
        package static func all(of jobs: [Job]) -> [JobPolicy] {
            jobs.filter { $0.kind == .snapshot }.map {
                JobPolicy(job: $0.name.text, judge: $0.judge, comparison: $0.comparison)
            }
        }
    }
    /// One picture of the run that is not as expected.
    package struct Entry: Sendable, Codable {
        package var snapshot: String
        package var job: String
        package var test: String
        package var verdict: Verdict
        /// The verdict of the test that makes the picture, or `nil` if the test passed or is
        /// unknown.
        package var testVerdict: Verdict?
        /// The Git blob id of the reference, or empty without one.
        package var reference: String
        /// The `sha256:` digest of the capture, or empty if none was made.
        package var capture: String
        /// The `sha256:` digests of the capture's companions by kind, or `nil` if it has none.
        package var companions: [String: String]?
        /// The paths in the zip, by `reference`, `failed`, `diff` or the kind of a companion; equal
        /// files share one.
        package var files: [String: String]
    }

    package var schemaVersion = PortableManifest.currentVersion
    package var run: RunFacts
    package var state: RunState
    /// The pin of the references that the run compared with.
    package var pin: ReferencePin
    package var cells: [Cell]
    package var policies: [JobPolicy]
    /// The renderers that drew the run's pictures, or `nil` if the run does not name them.
    package var renderers: [RunRenderer]?
    package var snapshots: [Entry]

    /// Makes the manifest of a judged run whose summary names its files; `pin` is the run's pin.
    package init(
        _ summary: RunSummary,
        policies: [JobPolicy],
        _ pin: ReferencePin,
        renderers: [RunRenderer]? = nil
    ) {
        run = summary.run
        state = summary.state
        self.pin = pin
        self.renderers = renderers
        cells = summary.cells.map {
            Cell(id: $0.id, complete: $0.complete, planned: $0.counts.planned)
        }
        self.policies = policies
        var tests: [[String]: Verdict] = [:]
        for test in summary.tests where test.verdict?.isAsExpected != true {
            tests[[test.job, test.cell, test.test]] = test.verdict
        }
        snapshots = summary.snapshots.filter { !$0.verdict.isAsExpected }.map { snapshot in
            let prefix = "FailureDiffs/"
            // A capture that differs is listed as `failed`.
            let files = snapshot.files.filter {
                $0.key != "capture" && $0.value.hasPrefix(prefix)
            }
            return Entry(
                snapshot: snapshot.id,
                job: snapshot.job,
                test: snapshot.test,
                verdict: snapshot.verdict,
                testVerdict: tests[[snapshot.job, snapshot.cell, snapshot.test]],
                reference: snapshot.reference,
                capture: snapshot.capture,
                companions: snapshot.companions,
                files: files.mapValues { String($0.dropFirst(prefix.count)) }
            )
        }
    }

    /// Returns the manifest as sorted and indented JSON; the same run gives the same bytes.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension PortableManifest {
    /// Reads a manifest from elsewhere; `origin` names it in errors.
    ///
    /// - Throws: `ReviewRefusal.notOurs` for a manifest that no run wrote.
    package init(parsing bytes: Data, origin: String) throws {
        struct Version: Decodable { var schemaVersion: Int }
        let decoder = JSONDecoder()
        let version: Int
        do {
            version = try decoder.decode(Version.self, from: bytes).schemaVersion
        } catch {
            throw ReviewRefusal.notOurs(origin: origin, fact: "its manifest is not that of a run")
        }
        guard version == Self.currentVersion else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: "its manifest has version \(version), this snapfarm reads "
                    + "\(Self.currentVersion)"
            )
        }
        do {
            self = try decoder.decode(PortableManifest.self, from: bytes)
        } catch DecodingError.dataCorrupted(let context)
            where context.codingPath.last?.stringValue == "pin"
        {
            throw ReviewRefusal.notOurs(origin: origin, fact: "its pin is damaged")
        } catch {
            throw ReviewRefusal.notOurs(origin: origin, fact: "its manifest is not that of a run")
        }
        // The id later names a folder.
        guard let id = try? PathComponent(run.id), id.text == run.id else {
            throw ReviewRefusal.notOurs(origin: origin, fact: "its manifest names no run")
        }
    }

    /// Whether a summary agrees with this manifest about the run and each picture to decide about:
    /// people see the summary, but their decisions follow the manifest.
    func isOf(_ summary: RunSummary) -> Bool {
        guard summary.run.id == run.id, summary.run.pipeline == run.pipeline,
            summary.run.mode == run.mode, summary.state == state
        else { return false }
        let cells = summary.cells.map { [$0.id, "\($0.complete)", "\($0.counts.planned)"] }
        guard cells == self.cells.map({ [$0.id, "\($0.complete)", "\($0.planned)"] }) else {
            return false
        }
        let shown = summary.snapshots.filter { !$0.verdict.isAsExpected }
        let known = Dictionary(snapshots.map { ($0.snapshot, $0) }) { first, _ in first }
        return shown.count == snapshots.count
            && shown.allSatisfy { snapshot in
                guard let entry = known[snapshot.id] else { return false }
                return entry.verdict == snapshot.verdict && entry.capture == snapshot.capture
                    && entry.reference == snapshot.reference && entry.job == snapshot.job
                    && entry.test == snapshot.test
            }
    }

    /// Returns the manifest's pictures by id, for a review.
    ///
    /// - Throws: `ReviewRefusal.notOurs` for names that no run writes, and for a picture of a cell
    ///   that the manifest does not list.
    package func pictures(
        origin: String
    ) throws -> [SnapshotID: (picture: ReviewPicture, entry: Entry)] {
        var pictures: [SnapshotID: (picture: ReviewPicture, entry: Entry)] = [:]
        let listed = Set(cells.map(\.id))
        for entry in snapshots {
            guard let id = SnapshotID(exactly: entry.snapshot), pictures[id] == nil,
                entry.capture.isEmpty || Digest(entry.capture) != nil,
                entry.reference.isEmpty || ObjectID(entry.reference) != nil
            else {
                let name = entry.snapshot.prefix(200).debugDescription
                throw ReviewRefusal.notOurs(
                    origin: origin,
                    fact: "its manifest has no valid entry for \(name)"
                )
            }
            guard listed.contains(id.cell.text) else {
                throw ReviewRefusal.notOurs(
                    origin: origin,
                    fact: "its manifest has the picture \(id), and does not list that cell"
                )
            }
            let picture = ReviewPicture(
                id: id,
                job: JobName(entry.job),
                test: entry.test.isEmpty ? nil : TestID(entry.test),
                verdict: entry.verdict,
                testVerdict: entry.testVerdict,
                capture: Digest(entry.capture),
                reference: ObjectID(entry.reference)
            )
            pictures[id] = (picture, entry)
        }
        return pictures
    }
}
