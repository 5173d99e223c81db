// Tests of a worker that leaves while the answer to its claim is on its way.
import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmWorker

@Suite("A claim whose answer nobody heard")
struct UnheardClaimTests {
    enum Leaving: CaseIterable { case drained, stopped }

    @Test(
        "is made again by a worker that leaves, which does not wait and gives the lease back",
        .timeLimit(.minutes(2)),
        arguments: Leaving.allCases
    )
    func givenBack(leaving: Leaving) async throws {
        let token = LeaseToken(id: LeaseID("L1"), epoch: 7)
        let listener = try Self.coordinator(granting: token)
        let farm = try RestartableFarm("unheard")
        let leaves = Door()
        async let worked: Void = farm.work(
            ScriptedDriver { _, _ in },
            at: listener.url,
            drains: leaving == .drained ? leaves : nil,
            until: leaving == .stopped ? leaves : Door()
        )
        while !listener.heard.contains(where: Self.isClaim) {
            try await Task.sleep(for: .milliseconds(5))
        }
        leaves.open()
        // The first claim is never answered: a worker that waits for the answer does not leave in
        // time.
        try await worked
        let heard = listener.heard
        let claims = try heard.filter(Self.isClaim).map(Self.claim)
        #expect(claims.count == 2)
        #expect(claims.first?.request == claims.last?.request)
        #expect(claims.last?.waitSeconds == 0)
        #expect(heard.dropLast().last?.contains("/leases/L1/release ") == true)
        #expect(heard.last?.contains("worker-left") == true)
    }

    private static func isClaim(_ request: String) -> Bool { request.contains("/claim ") }

    private static func claim(_ request: String) throws -> ClaimRequest {
        let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
        return try JSONDecoder().decode(ClaimRequest.self, from: Data(body.utf8))
    }

    /// Returns a coordinator that answers all calls except the first claim.
    private static func coordinator(granting token: LeaseToken) throws -> ScriptedListener {
        let cell = Cell(
            id: CellID("c"),
            device: Device(name: "d", width: 1, height: 1, scale: 1),
            variant: []
        )
        let shard = Shard(
            run: RunID("r"),
            mode: .verify,
            job: RestartableFarm.planned(tests: 1).job,
            cell: cell,
            tests: [TestID("t0")],
            prepared: [:],
            workTree: "/"
        )
        let lease = Lease(token: token, shard: shard)
        let granted = try text(ClaimReply(lease: lease, idle: false))
        let known = try text(HelloReply(kept: []))
        let accepted = try text(FencedReply(answer: .accepted))
        let claims = Mutex(0)
        return try ScriptedListener { request in
            if isClaim(request) {
                let number = claims.withLock { claims in
                    claims += 1
                    return claims
                }
                return number == 1 ? .silence : answer(granted)
            }
            return answer(request.contains("/release ") ? accepted : known)
        }
    }

    private static func answer(_ body: String) -> ScriptedListener.Answer {
        .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static func text(_ reply: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
    }
}
