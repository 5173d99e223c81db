// Tests of a call that waits while the coordinator answers but its bucket does not.
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmAPI

@Suite("A coordinator whose bucket is away")
struct BucketAwayTests {
    @Test("is called again, and each wait is said")
    func told() async throws {
        let problem = Problem(code: Routes.bucketAwayCode, message: "m", remedy: "r")
        let refusal = try text(ErrorBody(problem: problem, exit: .unavailable))
        let accepted = try text(FencedReply(answer: .accepted))
        let (calls, told) = (Counter(), Counter())
        let coordinator = try ScriptedListener { _ in
            let isAway = calls.next() < 3
            let body = isAway ? refusal : accepted
            let status = isAway ? "503 Service Unavailable" : "200 OK"
            let length = "Content-Length: \(body.utf8.count)"
            return .bytes("HTTP/1.1 \(status)\r\n\(length)\r\n\r\n\(body)")
        }
        let client = CoordinatorClient(
            url: coordinator.url,
            token: "t",
            patience: RetryPolicy(attemptsMin: 3, seconds: 60).onBucketAway { _ = told.next() }
        )
        let token = LeaseToken(id: LeaseID("L1"), epoch: 1)
        let answer = try? await client.renew(token, running: nil)
        await client.close()
        #expect(answer == .accepted)
        #expect(told.count == 2 && calls.count == 3)
    }

    private func text(_ reply: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
    }
}

private final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }

    func next() -> Int {
        state.withLock { state in
            state += 1
            return state
        }
    }
}
