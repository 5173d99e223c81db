// A run of three pictures with real references: a store, a ledger and blobs in one folder, and the
// same run as an output folder and as a zip.
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmReferences
import FarmReview
import FarmTesting
import Foundation
import Testing

@testable import FarmImaging

/// A recorded project, and a run that compared with its references.
final class ReviewBench {
    static let cell = CellID("A")
    static let run = RunID("r1")
    static let test = TestID("draws")

    let folder: TemporaryFolder
    let store: ReferenceStore
    let blobs: BlobStore
    let ledger: SQLiteLedger
    /// The pin of the references `one`, `two` and `three`, all of shade 10.
    let base: ReferencePin
    private let job = Job(
        name: JobName("snap"),
        kind: .snapshot,
        driver: DriverSettings("command", ["discover": "d", "run": "r"]),
        cells: [Cell(id: ReviewBench.cell, device: nil, variant: [])]
    )

    init() throws {
        folder = try TemporaryFolder("review")
        store = try ReferenceStore.create(at: folder.file("store.git"))
        blobs = try BlobStore(folder: folder.file("blobs"))
        ledger = try SQLiteLedger(path: folder.file("ledger.sqlite"))
        let shades: [String: UInt8] = ["one": 10, "two": 10, "three": 10]
        base = try Self.record(shades, over: ReferencePin(), in: store)
    }

    deinit { try? ledger.close() }

    static func id(_ name: String) throws -> SnapshotID {
        try SnapshotID(cell: cell, suite: "S", name: name)
    }

    /// Returns a small grey picture.
    static func png(_ shade: UInt8) throws -> Data {
        let pixels = [[UInt8]](repeating: [shade, shade, shade, 255], count: 16).flatMap(\.self)
        let size = PixelSize(width: 4, height: 4)
        return Data(try PNGEncoder.encode(Bitmap(size: size, pixels: pixels)))
    }

    /// Records pictures by name and shade as references, in addition to the existing ones.
    static func record(
        _ shades: [String: UInt8],
        over base: ReferencePin,
        in store: ReferenceStore
    ) throws -> ReferencePin {
        var bytes: [ObjectID: Data] = [:]
        var pictures: [SnapshotID: RecordedPicture] = [:]
        var record = SuiteRecord(pipeline: "p", job: JobName("snap"), renderer: [:], tests: [:])
        for (name, shade) in shades {
            let png = try png(shade)
            let object = ObjectID(ofBlob: png)
            bytes[object] = png
            pictures[try id(name)] = RecordedPicture(objectID: object)
            record.tests["S/\(name)"] = test
        }
        let recording = CellRecording(
            cell: cell,
            replacesCell: false,
            pictures: pictures,
            suites: ["S": record]
        )
        return try store.record(base: base, recordings: [recording]) { picture in
            try #require(bytes[picture.objectID])
        }.pin
    }

    // MARK: the run

    var plan: Plan {
        Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: base,
            jobs: [PlannedJob(job: job, tests: [Self.test], prepared: [:])],
            workTree: "/"
        )
    }

    /// Opens the run in the ledger; no worker has run it yet.
    func open() async throws {
        let facts = RunFacts(
            id: Self.run.text,
            key: "k",
            pipeline: "p",
            mode: .verify,
            filtered: false,
            commit: "c0ffee",
            branch: "main",
            pullRequest: "7",
            set: base.setID.hex,
            planDigest: plan.digest.description,
            started: "2026-11-21T00:00:00.000Z",
            finished: ""
        )
        _ = try await ledger.openRun(NewRun(key: "k", facts: facts, plan: plan), now: 0)
    }

    /// Runs the only test, which draws these shades, then judges and closes the run.
    @discardableResult
    func finish(
        _ shades: [String: UInt8],
        ending: TestEnding = .passed
    ) async throws -> JudgedRun {
        try await open()
        try await ledger.hello(WorkerID("w"), now: 1)
        let lease = try #require(
            try await ledger.claim(worker: WorkerID("w"), request: "q", warm: nil, now: 1)
        )
        let captures = try shades.sorted { $0.key < $1.key }.map { try capture($0, shade: $1) }
        let report = TestReport(
            test: Self.test,
            ending: ending,
            seconds: 1,
            pictures: PictureReports(captures: captures)
        )
        _ = try await ledger.complete(
            lease.token,
            reports: [report],
            evidence: LeaseEvidence(job: job.name, cell: Self.cell),
            now: 2
        )
        let evidence = try await ledger.evidence(Self.run)
        let record = try await ledger.run(Self.run)
        let judged = RunJudge.judge(
            RunEvidence(
                facts: record.facts,
                plan: record.plan,
                tests: evidence.tests,
                leases: evidence.leases,
                references: [
                    Self.cell: CellReferences(
                        references: try store.references(base, cell: Self.cell),
                        suites: try store.suiteRecords(base, cell: Self.cell)
                    )
                ],
                cancelled: false,
                startedAt: record.startedAt
            )
        )
        try await ledger.close(Self.run, judged: judged, now: 3)
        return judged
    }

    private func capture(_ name: String, shade: UInt8) throws -> CaptureReport {
        let png = try Self.png(shade)
        let id = try Self.id(name)
        let size = PixelSize(width: 4, height: 4)
        let reference = try store.references(base, cell: Self.cell).first { $0.id == id }?.objectID
        let capture = Capture(
            id: id,
            test: nil,
            digest: try blobs.put(png),
            objectID: ObjectID(ofBlob: png),
            bytes: png.count
        )
        let difference = PixelDifference(
            reference: size,
            capture: size,
            differing: 16,
            counted: 16,
            largestDelta: 100,
            clusters: []
        )
        return CaptureReport(
            capture: capture,
            reference: reference,
            comparison: reference.map {
                $0 == capture.objectID ? .identicalBytes : .different(difference)
            }
        )
    }

    // MARK: the run in its three forms

    func fromLedger() async throws -> ReviewedRun {
        let store = store
        return try await ReviewedRun(
            run: Self.run,
            in: ledger,
            blobs: blobs,
            reference: { try store.read($0) }
        )
    }

    /// Reads the run from its output folder, after `change` has edited the folder.
    func fromFolder(
        _ judged: JudgedRun,
        change: (_ folder: String) throws -> Void = { _ in }
    ) throws -> ReviewedRun {
        let (manifest, files) = try portable(judged)
        try folder.write("out/FailureDiffs/manifest.json", manifest)
        for (path, digest) in files {
            try folder.write("out/FailureDiffs/" + path, try blobs.read(digest))
        }
        try change(folder.file("out/FailureDiffs"))
        return try ReviewedRun(from: folder.file("out"), origin: "out", scratch: folder.path)
    }

    /// Reads the run from its zip, after `change` has edited the bytes.
    func fromZip(
        _ judged: JudgedRun,
        change: (inout Data) throws -> Void = { _ in }
    ) throws -> ReviewedRun {
        let (manifest, files) = try portable(judged)
        var entries = [try ZipEntry(path: "manifest.json", text: manifest)]
        for (path, digest) in files {
            entries.append(
                ZipEntry(
                    path: path,
                    blob: digest,
                    size: try #require(blobs.size(of: digest)),
                    crc32: try blobs.crc32(of: digest)
                )
            )
        }
        let path = folder.file("FailureDiffs.zip")
        _ = try ZipArchive(entries).write(toFileAt: path, from: blobs)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try change(&bytes)
        try folder.write("FailureDiffs.zip", bytes)
        return try ReviewedRun(from: path, origin: "FailureDiffs.zip", scratch: folder.path)
    }

    /// Returns the manifest of an exported run, and the files that it names.
    private func portable(_ judged: JudgedRun) throws -> (Data, [(path: String, digest: Digest)]) {
        var summary = judged.summary
        var files: [(path: String, digest: Digest)] = []
        for index in summary.snapshots.indices where summary.snapshots[index].verdict != .passed {
            let picture = summary.snapshots[index]
            guard let digest = Digest(picture.capture) else { continue }
            let path = "\(picture.job)/\(picture.cell)/\(picture.suite)/failed_\(picture.name).png"
            summary.snapshots[index].files = ["failed": "FailureDiffs/" + path]
            files.append((path, digest))
        }
        let manifest = PortableManifest(
            summary,
            policies: PortableManifest.JobPolicy.all(of: [job]),
            base,
            renderers: judged.renderers
        )
        return (try manifest.json(), files)
    }

    // MARK: deciding

    func review(_ run: ReviewedRun, select: [String] = []) throws -> Review {
        try Review(run, of: ReviewedProject(plan), select: select)
    }

    /// Approves all pictures of a run, over the run's own pin or another; returns the new set and
    /// pin.
    func approve(_ run: ReviewedRun, over pin: ReferencePin? = nil) throws -> RecordedSet {
        let approval = Approval(of: try review(run), over: pin ?? base, in: store)
        return try approval.record(try approval.plan())
    }

    /// Returns names and shades of the references of a pin.
    func shades(_ pin: ReferencePin) throws -> [String: UInt8] {
        var shades: [String: UInt8] = [:]
        for reference in try store.references(pin, cell: Self.cell) {
            let bitmap = try PNGDecoder.decode(try store.read(reference.objectID))
            shades[reference.id.name] = bitmap.pixels[0]
        }
        return shades
    }
}
