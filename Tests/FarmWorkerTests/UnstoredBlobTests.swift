import FarmAPI
import FarmArtifacts
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@testable import FarmServer

@Suite("A report that names a blob which nobody stored")
struct UnstoredBlobTests {
    private static let bytes = Data("a picture".utf8)

    /// Returns a pass with a new picture of `bytes`.
    static func report(_ test: TestID) -> TestReport {
        let capture = Capture(
            id: .unusable(cell: .host, key: Digest(of: bytes)),
            test: test,
            digest: Digest(of: bytes),
            objectID: ObjectID(ofBlob: bytes),
            bytes: bytes.count
        )
        let pictures = PictureReports(captures: [CaptureReport(capture: capture)])
        return TestReport(test: test, ending: .passed, seconds: 0.01, pictures: pictures)
    }

    /// Runs `body` with a lease of one test, from a coordinator without HTTP.
    private func withLease(
        _ name: String,
        _ body: (Coordinator, Lease) async throws -> Void
    ) async throws {
        try await RestartableFarm.withCoordinator(name) { farm, coordinator, ledger in
            try await farm.submit(tests: 1, to: coordinator)
            let claim = ClaimRequest(request: "1", warm: nil, waitSeconds: 0)
            let lease = try await coordinator.claim(WorkerID("w"), claim).lease
            try await body(coordinator, try #require(lease))
            #expect(try await ledger.audit().isClean)
        }
    }

    @Test("is refused as a whole, and kept once the blob is there")
    func report() async throws {
        try await withLease("unstored-report") { coordinator, lease in
            let report = Self.report(lease.shard.tests[0])
            let missing = report.pictures.blobs[0]
            await #expect(throws: CoordinatorError.noBlob(missing)) {
                _ = try await coordinator.report(lease.token, [report])
            }
            #expect(try await coordinator.progress(lease.shard.run).done == 0)
            _ = try await coordinator.blobs.put(Self.bytes)
            #expect(try await coordinator.report(lease.token, [report]) == [.accepted])
        }
    }

    @Test("or that a worker with patterns has not sent is refused, though others have stored it")
    func ofOthers() async throws {
        try await withLease("foreign-blob") { coordinator, lease in
            _ = try await coordinator.blobs.put(Self.bytes)
            let worker = AccessGrant(
                name: "theirs",
                scopes: [.work],
                reach: PipelineReach(patterns: ["a*"])
            )
            let report = Self.report(lease.shard.tests[0])
            let evidence = LeaseEvidence(
                job: lease.shard.job.name,
                cell: lease.shard.cell.id,
                log: Digest(of: Self.bytes)
            )
            await #expect(throws: CoordinatorError.noBlob(report.pictures.blobs[0])) {
                _ = try await coordinator.report(lease.token, [report], by: worker)
            }
            await #expect(throws: CoordinatorError.noBlob(evidence.blobs[0])) {
                _ = try await coordinator.complete(
                    lease.token,
                    reports: [],
                    evidence: evidence,
                    by: worker
                )
            }
            try await coordinator.noteUpload(of: Digest(of: Self.bytes), by: worker)
            #expect(
                try await coordinator.report(lease.token, [report], by: worker) == [.accepted]
            )
        }
    }

    @Test(
        "is refused as a whole where it calls a stored picture longer, shorter or empty",
        arguments: [-1, 1, -9]
    )
    func otherLength(_ more: Int) async throws {
        try await withLease("other-length") { coordinator, lease in
            _ = try await coordinator.blobs.put(Self.bytes)
            let report = Self.report(lease.shard.tests[0])
            var wrong = report
            wrong.pictures.captures[0].capture.bytes += more
            await #expect(throws: ReportFault.self) {
                _ = try await coordinator.report(lease.token, [report, wrong])
            }
            #expect(try await coordinator.progress(lease.shard.run).done == 0)
            #expect(try await coordinator.report(lease.token, [report]) == [.accepted])
        }
    }

    @Test("is refused with a completion too, like its log")
    func completion() async throws {
        try await withLease("unstored-completion") { coordinator, lease in
            let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
            var logged = evidence
            logged.log = Digest(of: Self.bytes)
            let report = Self.report(lease.shard.tests[0])
            for (reports, evidence) in [([report], evidence), ([], logged)] {
                await #expect(throws: CoordinatorError.self) {
                    _ = try await coordinator.complete(
                        lease.token,
                        reports: reports,
                        evidence: evidence
                    )
                }
            }
            #expect(try await coordinator.renew(lease.token, running: nil) == .accepted)
            _ = try await coordinator.blobs.put(Self.bytes)
            let reply = try await coordinator.complete(
                lease.token,
                reports: [report],
                evidence: logged
            )
            #expect(reply.answer == .accepted)
        }
    }

    @Test("what is its reference or alternate, or has no bytes, needs no blob; a diff needs one")
    func needed() {
        var capture = CaptureReport(capture: Self.report(TestID("t")).pictures.captures[0].capture)
        func blobs() -> [Digest] { PictureReports(captures: [capture]).blobs.map(\.digest) }
        #expect(blobs() == [capture.capture.digest])
        capture.reference = capture.capture.objectID
        #expect(blobs().isEmpty)
        capture.reference = ObjectID(ofBlob: Data())
        capture.alternate = capture.capture.objectID
        #expect(blobs().isEmpty)
        capture.alternate = nil
        capture.diff = Digest(of: Data())
        #expect(blobs() == [capture.capture.digest, Digest(of: Data())])
        capture.capture.bytes = 0
        #expect(blobs() == [Digest(of: Data())])
    }
}
