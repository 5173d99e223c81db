import FarmAPI
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

@Suite("A caller that knows the number of another's lease")
struct ForeignLeaseTests {
    /// Runs `body` with an honest worker's lease of one test, and with that lease's token as
    /// another worker would forge it: without its seal, or with another one.
    private func withForeignLease(
        _ name: String,
        seal: Digest?,
        _ body: @escaping @Sendable (CoordinatorClient, Lease, LeaseToken) async throws -> Void
    ) async throws {
        let farm = try RestartableFarm(name)
        try await farm.serve { coordinator, _ in
            try await farm.submit(tests: 1, to: coordinator)
            let client = CoordinatorClient(
                url: "http://127.0.0.1:\(farm.port)",
                token: "token",
                patience: .once
            )
            let result: Result<Void, any Error>
            do {
                let claim = ClaimRequest(request: "1", warm: nil, waitSeconds: 0)
                let lease = try await client.claim(WorkerID("honest"), claim).lease
                let own = try #require(lease)
                let token = LeaseToken(id: own.token.id, epoch: own.token.epoch, seal: seal)
                result = .success(try await body(client, own, token))
            } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        }
    }

    private static let seals: [Digest?] = [nil, Digest(of: Data("a guess".utf8))]

    @Test("cannot report under it: the verdict of the worker that has it counts", arguments: seals)
    func report(seal: Digest?) async throws {
        try await withForeignLease("foreign-report", seal: seal) { client, lease, foreign in
            let test = try #require(lease.shard.tests.first)
            let invented = [TestReport(test: test, ending: .passed, seconds: 0.01)]
            let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
            await #expect(throws: APIError.self) { _ = try await client.report(foreign, invented) }
            await #expect(throws: APIError.self) {
                _ = try await client.complete(foreign, reports: invented, evidence: evidence)
            }
            #expect(try await client.progress(lease.shard.run).done == 0)
            let failed = TestReport(test: test, ending: .failed("no"), seconds: 0.01)
            #expect(try await client.report(lease.token, [failed]) == [.accepted])
        }
    }

    @Test("cannot end it, give it back or keep it: it is stale for all but its worker")
    func end() async throws {
        for seal in Self.seals {
            try await withForeignLease("foreign-end", seal: seal) { client, lease, foreign in
                let evidence = LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
                let ended = try await client.complete(foreign, reports: [], evidence: evidence)
                #expect(ended.answer == .stale)
                #expect(try await client.release(foreign) == .stale)
                #expect(try await client.renew(foreign, running: nil) == .stale)
                func kept(_ token: LeaseToken) async throws -> [LeaseToken] {
                    let running = [RunningLease(token: token, test: nil)]
                    let worker = WorkerID("honest")
                    let hello = HelloRequest(worker: worker, beginsAnew: false, running: running)
                    return try await client.hello(hello).kept
                }
                #expect(try await kept(foreign).isEmpty)
                #expect(try await kept(lease.token) == [lease.token])
                #expect(try await client.renew(lease.token, running: nil) == .accepted)
            }
        }
    }
}
