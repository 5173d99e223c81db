import FarmAPI
import FarmCore
import Foundation
import Testing

@testable import FarmWorker

@Suite("What a worker keeps for a coordinator that is away")
struct HeldLeasesTests {
    private static func reports(_ count: Int) -> [TestReport] {
        (0..<count).map { TestReport(test: TestID("t\($0)"), ending: .passed, seconds: 0.01) }
    }

    private static func lease(_ epoch: Int64, reports count: Int) -> UnansweredLease {
        let token = LeaseToken(id: LeaseID("L\(epoch)"), epoch: epoch)
        return UnansweredLease(token: token, reports: reports(count), evidence: nil)
    }

    @Test("the oldest results go first where there are too many, and the newest never")
    func bounded() {
        var held = UnansweredLeases()
        let most = FarmLimits.reportsHeldMax
        held.append(Self.lease(1, reports: 10))
        held.append(Self.lease(2, reports: most - 10))
        #expect(held.first?.token.epoch == 1)
        held.append(Self.lease(3, reports: 1))
        #expect(held.first?.token.epoch == 2)
        held.append(Self.lease(4, reports: most + 1))
        #expect(held.first?.token.epoch == 4)
    }

    @Test("what has its answer is forgotten, and makes room")
    func answered() {
        var held = UnansweredLeases()
        let most = FarmLimits.reportsHeldMax
        let first = Self.lease(1, reports: most)
        held.append(first)
        held.append(Self.lease(2, reports: 0))
        held.remove(first: first)
        #expect(held.first == nil)
        held.append(Self.lease(3, reports: most / 2))
        held.remove(first: first)
        held.append(Self.lease(4, reports: most / 2))
        #expect(held.first?.token.epoch == 3)
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
                let held = HeldLeases()
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
