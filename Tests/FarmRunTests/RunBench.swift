// A judged run of three pictures and its blobs, made with little code.
import FarmArtifacts
import FarmCore
import FarmReview
import FarmTesting
import Foundation

@testable import FarmRun

/// Judged runs; their pictures may be any bytes.
struct RunBench {
    let folder: TemporaryFolder
    let blobs: BlobStore

    init() throws {
        folder = try TemporaryFolder("run")
        blobs = try BlobStore(folder: folder.file("blobs"))
    }

    static let cell = Cell(id: CellID("A"), device: nil, variant: [])

    static func job(
        _ name: String = "snap",
        kind: JobKind = .snapshot,
        cells: [Cell] = [cell]
    ) -> Job {
        Job(
            name: JobName(name),
            kind: kind,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            cells: cells
        )
    }

    static func plan(_ job: Job, tests: [String] = ["draws"], mode: RunMode = .verify) -> Plan {
        Plan(
            pipeline: "p",
            mode: mode,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: tests.map { TestID($0) }, prepared: [:])],
            workTree: "/"
        )
    }

    static func facts(_ mode: RunMode = .verify) -> RunFacts {
        RunFacts(
            id: "r1",
            key: "",
            pipeline: "p",
            mode: mode,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: "",
            started: "2026-11-21T00:00:00.000Z",
            finished: "2026-11-21T00:00:01.000Z"
        )
    }

    /// Returns a complete run whose only test drew these bytes.
    ///
    /// Pictures in `same` equal their references, and those in `new` have none.
    func judged(
        changed: [String: String] = [:],
        same: [String: String] = [:],
        new: [String: String] = [:]
    ) throws -> JudgedRun {
        var captures: [CaptureReport] = []
        for (name, text) in changed.sorted(by: { $0.key < $1.key }) {
            captures.append(try capture(name, text, reference: "old \(name)"))
        }
        for (name, text) in same.sorted(by: { $0.key < $1.key }) {
            captures.append(try capture(name, text, reference: text))
        }
        for (name, text) in new.sorted(by: { $0.key < $1.key }) {
            captures.append(try capture(name, text, reference: nil))
        }
        let job = Self.job()
        let report = TestReport(
            test: TestID("draws"),
            ending: .passed,
            seconds: 1,
            pictures: PictureReports(captures: captures)
        )
        let bad = changed.isEmpty ? new.isEmpty ? Verdict.passed : .new : .changed
        return RunJudge.judge(
            RunEvidence(
                facts: Self.facts(),
                plan: Self.plan(job),
                tests: [
                    TestEvidence(
                        key: TestKey(job: job.name, cell: Self.cell.id, test: TestID("draws")),
                        verdict: bad,
                        note: "",
                        attempts: [Attempt(worker: WorkerID("w"), outcome: .reported(report))]
                    )
                ],
                leases: [],
                references: [:],
                cancelled: false,
                startedAt: 0
            )
        )
    }

    private func capture(
        _ name: String,
        _ text: String,
        reference: String?
    ) throws -> CaptureReport {
        let bytes = Data(text.utf8)
        let size = PixelSize(width: 1, height: 1)
        let difference = PixelDifference(
            reference: size,
            capture: size,
            differing: 1,
            counted: 1,
            largestDelta: 9,
            clusters: []
        )
        return CaptureReport(
            capture: Capture(
                id: try SnapshotID(cell: Self.cell.id, suite: "S", name: name),
                test: nil,
                digest: try blobs.put(bytes),
                objectID: ObjectID(ofBlob: bytes),
                bytes: bytes.count
            ),
            reference: reference.map { ObjectID(ofBlob: Data($0.utf8)) },
            comparison: reference.map { $0 == text ? .identicalBytes : .different(difference) }
        )
    }

    /// Returns sources of references; the references are the texts `old NAME`.
    func sources(of names: [String] = ["one"]) -> OutputSources {
        let old = names.map { Data("old \($0)".utf8) }
        return OutputSources(
            blobs: blobs,
            policies: PortableManifest.JobPolicy.all(of: [Self.job()]),
            pin: ReferencePin(),
            reference: { object in old.first { ObjectID(ofBlob: $0) == object } }
        )
    }
}
