import FarmAPI
import FarmCore
import Foundation
import Testing

@testable import FarmWorker

@Suite("What a worker keeps for a coordinator that is away")
struct HeldLeasesTests {
    @Test("a worker whose leases are all refused ends; one that was accepted begins to count anew")
    func refusedOften() {
        let held = HeldLeases(claims: ClaimNumbers(worker: WorkerID("w"), staysIdle: true))
        #expect(held.endRefused() && held.endRefused())
        held.end()
        #expect(held.endRefused() && held.endRefused())
        #expect(!held.endRefused())
    }

    @Test("a lease whose results are refused is given back: its tests run again at once")
    func refused() async throws {
        let farm = try RestartableFarm("held-refused")
        try await farm.serve { coordinator, _ in
            try await farm.submit(tests: 1, to: coordinator)
            func claim(_ worker: String) async throws -> Lease? {
                let request = ClaimRequest(request: worker, warm: nil, waitSeconds: 0)
                return try await client.claim(WorkerID(worker), request).lease
            }
            let url = "http://127.0.0.1:\(farm.port)"
            let client = CoordinatorClient(url: url, token: "token", patience: .once)
            let result: Result<Void, any Error>
            do {
                let lease = try #require(try await claim("w"))
                #expect(try await claim("other") == nil)
                let held = HeldLeases(
                    claims: ClaimNumbers(worker: WorkerID("w"), staysIdle: true)
                )
                held.keep(
                    UnansweredLease(
                        token: lease.token,
                        reports: [UnstoredBlobTests.report(lease.shard.tests[0])],
                        evidence: nil
                    )
                )
                try await held.offer(to: client)
                #expect(try await claim("third")?.shard.tests == lease.shard.tests)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        }
    }
}
