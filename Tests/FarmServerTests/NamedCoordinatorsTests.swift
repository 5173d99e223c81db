// Tests of clients that know several coordinators and wait for one to lead.
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmAPI

@Suite("A client of several coordinators")
struct NamedCoordinatorsTests {
    private static let runs = "{\"runs\":[]}"

    private static func answer(_ status: String, _ body: String, _ headers: String = "") -> String {
        "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let noLeader: String = {
        let body =
            #"{"problem":{"code":"no-leader","message":"m","remedy":"r"},"exit":69}"#
        return answer("503 Service Unavailable", body, "Retry-After: 1\r\n")
    }()

    private func listing(
        _ urls: [String],
        patience: RetryPolicy = .once
    ) async -> Result<Int, any Error> {
        let client = CoordinatorClient(
            url: urls.joined(separator: ","),
            token: "secret",
            patience: patience
        )
        let result: Result<Int, any Error>
        do { result = .success(try await client.runs(limit: 1).count) } catch {
            result = .failure(error)
        }
        await client.close()
        return result
    }

    @Test("goes on to the next where one is gone or knows no leader, and stays with who answered")
    func next() async throws {
        let gone = "http://127.0.0.1:\(try TestPort.reserved())"
        let leaderless = try ScriptedListener { _ in .bytes(Self.noLeader) }
        let well = try ScriptedListener { _ in .bytes(Self.answer("200 OK", Self.runs)) }
        let stranger = try ScriptedListener { _ in .bytes(Self.answer("200 OK", Self.runs)) }
        let client = CoordinatorClient(
            url: "\(gone), \(leaderless.url)/,\(well.url)",
            token: "secret",
            patience: .once
        )
        for _ in 0..<3 { #expect(try await client.runs(limit: 1).isEmpty) }
        #expect(client.places.current == well.url)
        await client.close()
        #expect(leaderless.heard.count == 1)
        #expect(well.heard.count == 3)
        #expect(well.heard.allSatisfy { $0.contains("Bearer secret") })
        #expect(stranger.connections == 0)
    }

    @Test("does not ask another one what the first has refused")
    func refused() async throws {
        let body = #"{"problem":{"code":"run-unknown","message":"m","remedy":"r"},"exit":64}"#
        let first = try ScriptedListener { _ in .bytes(Self.answer("404 Not Found", body)) }
        let second = try ScriptedListener { _ in .bytes(Self.answer("200 OK", Self.runs)) }
        await #expect(throws: APIError.self) {
            try await listing([first.url, second.url]).get()
        }
        #expect(second.heard.isEmpty)
    }

    @Test("waits for a leader as it is told, and longer than a takeover takes")
    func waits() async throws {
        let calls = Mutex(0)
        let one = try ScriptedListener { _ in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return .bytes(call < 3 ? Self.noLeader : Self.answer("200 OK", Self.runs))
        }
        let began = ContinuousClock.now
        // A command's patience with an absent coordinator is a second.
        let patience = RetryPolicy(attemptsMin: 2, seconds: 0)
        #expect(try await listing([one.url], patience: patience).get() == 0)
        #expect(calls.withLock { $0 } == 3)
        #expect(ContinuousClock.now - began >= .seconds(1))
    }

    @Test("says of each what was wrong with it, where none answers")
    func words() async throws {
        let gone = "http://127.0.0.1:\(try TestPort.reserved())"
        let leaderless = try ScriptedListener { _ in .bytes(Self.noLeader) }
        let result = await listing([gone, leaderless.url])
        guard case .failure(let failure) = result else { return #expect(Bool(false)) }
        let error = failure as? APIError
        #expect(error?.isUnreachable == true)
        #expect(error?.code == "no-leader")
        #expect(
            error?.message
                == "no coordinator leads now (asked 2: \(gone): refused, \(leaderless.url): no leader)."
        )
        #expect(error?.exit == .unavailable)
    }

    @Test("says why none leads, where a coordinator knows that its database is away")
    func reason() async throws {
        let leadership = SetLeadership(.none, obstacle: "the database does not answer.")
        try await TwoCoordinators.standby(of: leadership) { port in
            let url = "http://127.0.0.1:\(port)"
            let client = CoordinatorClient(url: url, token: "token", patience: .once)
            let error = await #expect(throws: APIError.self) {
                try await client.progress(RunID("r"))
            }
            #expect(
                error?.message == "no coordinator leads now (asked 1: \(url): "
                    + "the shared ledger cannot be used: the database does not answer)."
            )
            await client.close()
        }
    }

    @Test(
        "takes a list of URLs as people write it",
        arguments: [
            ("http://a:1", ["http://a:1"]), ("http://a:1/", ["http://a:1"]),
            (" http://a:1 , https://b,", ["http://a:1", "https://b"]),
            ("http://a,http://a/", ["http://a"]), ("", [""]), (",", [","]),
        ]
    )
    func lists(text: String, urls: [String]) { #expect(CoordinatorPlaces(text).all == urls) }
}
