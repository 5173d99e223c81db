import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

extension ManyMachines {
    @Suite("What a worker's token can do to a coordinator", .serialized)
    struct FleetBorderTests {
        private struct Refusal: Decodable {
            var problem: Problem
        }

        /// A coordinator with one run of one test, and clients that call it.
        private struct Border {
            let fleet: Fleet
            let run: RunID

            init() throws {
                fleet = try Fleet()
                try fleet.serve()
                let bundle = Data("a bundle".utf8)
                let digest = Digest(of: bundle)
                let stored = try fleet.call(
                    "PUT",
                    "/api/v1/blobs/\(digest.hex)",
                    token: try fleet.token("submit"),
                    body: bundle
                )
                #expect(stored?.status == 200)
                var plan = BadCall.plan
                plan.jobs[0].prepared = [BundleRules.key: digest.hex]
                let request = SubmitRequest(key: "k", facts: .unknown(RunID("r")), plan: plan)
                let answer = try fleet.call(
                    "POST",
                    "/api/v1/runs",
                    token: try fleet.token("submit"),
                    body: try JSONEncoder().encode(request)
                )
                let body = try #require(answer?.body)
                run = try JSONDecoder().decode(SubmitReply.self, from: body).run
            }

            func ask(
                _ path: String,
                _ body: some Encodable,
                seal: Digest? = nil
            ) throws -> RawConnection.Response? {
                try fleet.call(
                    "POST",
                    Routes.prefix + path,
                    token: try fleet.token("work"),
                    headers: seal.map { ["\(Routes.sealHeader): \($0.hex)"] } ?? [],
                    body: try JSONEncoder().encode(body)
                )
            }

            func lease() throws -> Lease {
                let hello = HelloRequest(worker: WorkerID("w"), beginsAnew: true)
                #expect(try ask(Routes.workers, hello)?.status == 200)
                let claim = ClaimRequest(request: "1", warm: nil, waitSeconds: 0)
                let body = try #require(try ask(Routes.claim("w"), claim)?.body)
                return try #require(try JSONDecoder().decode(ClaimReply.self, from: body).lease)
            }
        }

        @Test("a report that no test can have is refused with its field, and the run goes on")
        func reports() throws {
            let border = try Border()
            let lease = try border.lease()
            let good = TestReport(test: TestID("t"), ending: .passed, seconds: 1, startedAt: 1)
            var foreign = good
            let id = try SnapshotID(cell: CellID(".."), suite: "S", name: "n")
            foreign.pictures.differences = [
                DifferenceReport(id: id, reference: nil, failed: nil, diff: nil, comparison: nil)
            ]
            var early = good
            early.startedAt = .min
            var late = good
            late.seconds = -1e300
            for (bad, word) in [(early, "startedAt"), (late, "seconds"), (foreign, "picture")] {
                let answer = try border.ask(
                    Routes.verdicts(lease.token.id.text),
                    VerdictsRequest(epoch: lease.token.epoch, reports: [bad]),
                    seal: lease.token.seal
                )
                #expect(answer?.status == 400, "\(word): \(answer?.text ?? "-")")
                let refusal = try JSONDecoder().decode(Refusal.self, from: answer?.body ?? Data())
                #expect(refusal.problem.code == "report-invalid")
                #expect(refusal.problem.message.contains(word), "\(refusal.problem.message)")
            }
            let last = try border.ask(
                Routes.complete(lease.token.id.text),
                CompleteRequest(
                    epoch: lease.token.epoch,
                    reports: [good],
                    evidence: LeaseEvidence(job: JobName("../../.."), cell: CellID("../.."))
                ),
                seal: lease.token.seal
            )
            #expect(last?.status == 200, "\(last?.text ?? "-")")
            // The report is judged after the answer.
            _ = try border.fleet.call(
                "GET",
                Routes.prefix + Routes.run(border.run.text) + "?\(Routes.waitQuery)=10",
                token: try border.fleet.token("read")
            )
            let result = try border.fleet.call(
                "GET",
                Routes.prefix + Routes.result(border.run.text),
                token: try border.fleet.token("read")
            )
            #expect(result?.text.contains("\"passed\"") == true, "\(result?.text ?? "-")")
            #expect(border.fleet.isServing)
        }
    }
}
