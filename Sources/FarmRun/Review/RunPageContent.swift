// A run as a page shows it: its summary, and the bytes of the files that the summary names. A run
// of a data folder is read in place. For a zip without a summary, the manifest gives less.
import FarmArtifacts
import FarmCore
import FarmReferences
import FarmReports
import FarmReview
import Foundation

/// The content of a run's page: the run, and the bytes of its files.
struct RunPageContent: Sendable {
    /// The run for the page, which names only files that exist.
    let page: PageRun
    /// The judged run, or `nil` for a run from elsewhere.
    let judged: JudgedRun?
    let isOpen: Bool
    /// The digest of each file of a judged run, by path relative to the output folder.
    let files: [String: Digest]
    private let read: @Sendable (String) throws -> Data?
    /// The snapshots and digests of the run's captures, by path.
    ///
    /// Snapshots with equal pictures share a path. A file with another digest is not shown.
    private let captures: [String: [(id: SnapshotID, digest: Digest)]]
    private let origin: String

    /// The prefix of the paths of references that come from the store, and not from the zip or
    /// folder.
    private static let pinned = "pinned/"

    /// Reads a run's content; a judged run needs the lock of its data folder, because its
    /// references become blobs there.
    ///
    /// For a run from elsewhere, `shown` are the references beside its pictures, whose bytes come
    /// from `store`. `doubts` are added to the run's problems. Beside `failures` no run has passed.
    init(
        _ run: ReviewedRun,
        isOpen: Bool = false,
        _ shown: ShownReferences? = nil,
        _ doubts: [Problem] = [],
        failures: [Problem] = [],
        in store: ReferenceStore?
    ) throws {
        origin = run.origin
        self.isOpen = isOpen
        var summary: RunSummary
        switch run.source {
        case .judged(let judged, let blobs, let reference):
            let sources = OutputSources(
                blobs: blobs,
                policies: run.manifest.policies,
                pin: run.manifest.pin,
                reference: reference
            )
            let named = try NamedRun(judged, of: sources, in: nil)
            let logs = judged.logs.map { ("logs/" + $0.key, $0.value) }
            let files = named.files.merging(logs) { one, _ in one }
            self.judged = judged
            self.files = files
            summary = named.summary
            if isOpen { summary.state = .running }
            read = { path in
                guard let digest = files[path], try blobs.contains(digest) else { return nil }
                return try blobs.read(digest)
            }
        case .kept(let files):
            judged = nil
            self.files = [:]
            var kept = try run.summary() ?? RunSummary(run.manifest)
            var references: [String: ObjectID] = [:]
            let entries = Dictionary(run.manifest.snapshots.map { ($0.snapshot, $0.files) }) {
                first,
                _ in first
            }
            for index in kept.snapshots.indices {
                // The manifest's paths, so that the published picture is the one that was shown.
                let own = entries[kept.snapshots[index].id]?.mapValues {
                    "\(KeptFiles.diffs)/\($0)"
                }
                kept.snapshots[index].files = (own ?? kept.snapshots[index].files)
                    .filter { files.has($0.value) }
                let id = SnapshotID(exactly: kept.snapshots[index].id)
                if let id, let object = shown?.objects[id] {
                    let path = "\(Self.pinned)\(object.hex)\(id.isText ? ".txt" : ".png")"
                    references[path] = object
                    kept.snapshots[index].files["reference"] = path
                }
            }
            // A zip of differences has no logs.
            for index in kept.tests.indices {
                kept.tests[index].history = kept.tests[index].history?.map { attempt in
                    var attempt = attempt
                    if !files.has(attempt.log) { attempt.log = "" }
                    return attempt
                }
            }
            summary = kept
            read = { [references] path in
                if let object = references[path] { return try store?.read(object) }
                return try files.bytes(path, bytesMax: FarmLimits.pictureBytesMax)
            }
        }
        var captures: [String: [(id: SnapshotID, digest: Digest)]] = [:]
        for snapshot in summary.snapshots where !snapshot.verdict.isAsExpected {
            guard let path = snapshot.files["failed"], let digest = Digest(snapshot.capture),
                let id = SnapshotID(exactly: snapshot.id)
            else { continue }
            captures[path, default: []].append((id, digest))
        }
        self.captures = captures
        summary.problems = failures + summary.problems + doubts
        if !failures.isEmpty, summary.state == .passed { summary.state = .failed }
        page = PageRun(summary)
    }

    /// The size of the run in a cache, counted in pictures; at least one.
    var pictures: Int { page.summary.snapshots.count + 1 }

    /// Returns the bytes of a file of the run, or `nil` if there is no such file.
    ///
    /// - Throws: `ReviewRefusal.wrongDigest` for a picture that the run did not make.
    func file(_ path: String) throws -> Data? {
        guard let bytes = try read(path) else { return nil }
        guard let captures = captures[path] else { return bytes }
        let actual = Digest(of: bytes)
        for capture in captures where capture.digest != actual {
            throw ReviewRefusal.wrongDigest(
                capture.id,
                expected: capture.digest,
                actual: actual,
                origin: origin
            )
        }
        return bytes
    }
}

extension RunSummary {
    /// Creates a summary from a manifest alone: older versions wrote no summary beside it.
    fileprivate init(_ manifest: PortableManifest) {
        var planned = VerdictCounts()
        planned.planned = manifest.cells.reduce(0) { $0 + $1.planned }
        self.init(
            run: manifest.run,
            state: manifest.state,
            exitCode: manifest.state == .passed ? 0 : 1,
            counts: planned,
            comparisons: ComparisonCounts(),
            cells: manifest.cells.map { cell in
                var counts = VerdictCounts()
                counts.planned = cell.planned
                return CellSummary(
                    id: cell.id,
                    device: cell.id,
                    os: "",
                    variant: [:],
                    complete: cell.complete,
                    counts: counts
                )
            },
            tests: Self.tests(manifest),
            snapshots: manifest.snapshots.compactMap(Self.snapshot).sorted { $0.id < $1.id },
            artifacts: [],
            problems: []
        )
    }

    /// Returns the tests whose verdicts are in the manifest, which has no others.
    private static func tests(_ manifest: PortableManifest) -> [TestSummary] {
        var seen: Set<[String]> = []
        return manifest.snapshots.compactMap { entry in
            guard let verdict = entry.testVerdict, let id = SnapshotID(exactly: entry.snapshot),
                seen.insert([entry.job, id.cell.text, entry.test]).inserted
            else { return nil }
            return TestSummary(
                job: entry.job,
                cell: id.cell.text,
                test: entry.test,
                verdict: verdict,
                attempts: 1,
                seconds: 0
            )
        }
    }

    private static func snapshot(_ entry: PortableManifest.Entry) -> SnapshotSummary? {
        SnapshotID(exactly: entry.snapshot).map { id in
            SnapshotSummary(
                id: entry.snapshot,
                job: entry.job,
                cell: id.cell.text,
                suite: id.suite,
                name: id.name,
                identifier: id.name,
                test: entry.test,
                verdict: entry.verdict,
                reference: entry.reference,
                capture: entry.capture
            )
        }
    }
}
