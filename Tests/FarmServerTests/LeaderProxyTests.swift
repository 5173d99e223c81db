// Tests of a coordinator that does not lead and gets calls meant for the leader.
import FarmAPI
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("A coordinator that does not lead")
struct LeaderProxyTests {
    @Test("lets a worker and a caller that know only it do a whole run")
    func wholeRun() async throws {
        try await TwoCoordinators.serving { farm in
            let client = farm.client()
            let result: Result<Void, any Error>
            do { result = .success(try await Self.wholeRun(client, farm)) } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        }
    }

    private static let submission = SubmitRequest(
        key: "k",
        facts: EndingBench.facts("k"),
        plan: EndingBench.plan("p")
    )

    private static func wholeRun(
        _ client: CoordinatorClient,
        _ farm: TwoCoordinators
    ) async throws {
        // The submission lacks the bundle that remote workers need; the refusal comes from the
        // leader.
        let refused = await #expect(throws: APIError.self) {
            try await client.submit(submission)
        }
        #expect(refused?.code == "bundle-missing")
        let run = try await farm.leader.submit(submission)
        let worker = WorkerID("w")
        try await client.hello(HelloRequest(worker: worker, beginsAnew: true))
        let claim = ClaimRequest(request: "w-1", warm: nil, waitSeconds: 0)
        let lease = try #require(try await client.claim(worker, claim).lease)
        #expect(try await client.claim(worker, claim).lease?.token == lease.token)
        _ = try await client.references(run, lease.shard.cell.id)
        #expect(try await client.renew(lease.token, running: nil) == .accepted)
        let log = Data("what it said".utf8)
        try await client.put(log, as: Digest(of: log))
        #expect(try await client.has(Digest(of: log)))
        #expect(try await client.blob(Digest(of: log), of: RunID("r")) == log)
        let ended = try await client.complete(
            lease.token,
            reports: lease.shard.tests.map {
                TestReport(test: $0, ending: .passed, seconds: 1, startedAt: 5)
            },
            evidence: LeaseEvidence(job: lease.shard.job.name, cell: lease.shard.cell.id)
        )
        #expect(ended.answer == .accepted)
        // The leader signals the end of the run, and this call waits at the leader.
        let began = ContinuousClock.now
        #expect(try await client.progress(run, waitSeconds: 20).state != .running)
        #expect(ContinuousClock.now - began < .seconds(15))
        #expect(try await client.result(run) != nil)
        #expect(try await client.runs(limit: 10).map(\.run) == [run])
    }

    @Test("reads its copy, and asks the leader for what is not there yet")
    func copy() async throws {
        try await TwoCoordinators.serving(.empty) { farm in
            let client = farm.client()
            let result: Result<Void, any Error>
            do {
                let run = try await farm.leader.submit(Self.submission)
                #expect(try await client.runs(limit: 10).isEmpty)
                _ = try await client.references(run, CellID("c"))
                #expect(try await client.progress(run).planned == 1)
                farm.leadership.set(.none)
                #expect(try await client.runs(limit: 10).isEmpty)
                await #expect(throws: APIError.self) { try await client.progress(run) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        }
    }

    @Test("answers what monitors ask without any leader, and all else with a code that says so")
    func nobodyLeads() async throws {
        try await TwoCoordinators.standby(of: SetLeadership(.none)) { port in
            for path in ["/healthz", "/readyz", "/metrics", "/api/v1/token", "/api/v1/runs"] {
                let answer = try await TwoCoordinators.ask(
                    port,
                    TwoCoordinators.call("GET \(path)")
                )
                #expect(answer?.status == 200, "\(path)")
            }
            let body = "{}"
            for line in [
                "POST /api/v1/workers", "POST /api/v1/runs", "GET /api/v1/runs/r",
                "GET /api/v1/references/r/c", "GET /api/v1/runs/r/decisions",
                "PUT /api/v1/blobs/\(Digest(of: Data()).hex)", "POST /api/v1/leases/l/complete",
            ] {
                let answer = try await TwoCoordinators.ask(
                    port,
                    TwoCoordinators.call(line, body: line.hasPrefix("GET") ? "" : body)
                )
                #expect(answer?.status == 503, "\(line)")
                #expect(answer?.headers["retry-after"] == "1", "\(line)")
                #expect(TwoCoordinators.code(answer) == "no-leader", "\(line)")
            }
        }
    }

    @Test("refuses a token before it asks the leader anything")
    func token() async throws {
        let leader = try ScriptedListener { _ in .hangUp }
        try await TwoCoordinators.standby(of: SetLeadership(.other(url: leader.url))) { port in
            let call = TwoCoordinators.call("POST /api/v1/workers", body: "{}")
                .replacing("Bearer token", with: "Bearer another")
            let answer = try await TwoCoordinators.ask(port, call)
            #expect(answer?.status == 401)
            #expect(leader.connections == 0)
        }
    }

    @Test("does not send on what another one sent it, so that two that point at each other end it")
    func loop() async throws {
        let first = SetLeadership(.none)
        try await TwoCoordinators.standby(of: first) { firstPort in
            let second = SetLeadership(.other(url: "http://127.0.0.1:\(firstPort)"))
            try await TwoCoordinators.standby(of: second) { secondPort in
                first.set(.other(url: "http://127.0.0.1:\(secondPort)"))
                for port in [firstPort, secondPort] {
                    for line in ["POST /api/v1/workers", "GET /api/v1/references/r/c"] {
                        let answer = try await TwoCoordinators.ask(
                            port,
                            TwoCoordinators.call(line, body: line.hasPrefix("P") ? "{}" : "")
                        )
                        #expect(answer?.status == 503)
                        #expect(TwoCoordinators.code(answer) == "no-leader")
                    }
                }
                // A forged mark of a forwarded call is refused like a real one.
                let forged = TwoCoordinators.call("GET /api/v1/runs/r", ["Snapfarm-Proxied: x~y"])
                #expect(try await TwoCoordinators.ask(firstPort, forged)?.status == 503)
            }
        }
    }

    @Test("answers at once when a leader goes away, hangs up or is replaced while a call is parked")
    func parked() async throws {
        let dies = try ScriptedListener { _ in .silence }
        let hangsUp = try ScriptedListener { _ in .hangUp }
        let hangs = try ScriptedListener { _ in .silence }
        let leadership = SetLeadership(.none)
        try await TwoCoordinators.standby(of: leadership) { port in
            func answered(by leader: String, _ end: () -> Void) async throws {
                leadership.set(.other(url: leader))
                let call = TwoCoordinators.call("POST /api/v1/workers/w/claim", body: "{}")
                async let answer = TwoCoordinators.ask(port, call)
                try await Task.sleep(for: .milliseconds(200))
                end()
                let came = try await answer
                #expect(came?.status == 503)
                #expect(TwoCoordinators.code(came) == "no-leader")
            }
            // Each answer arrives long before a leader's time limit; otherwise `ask` returns `nil`.
            try await answered(by: dies.url) { dies.stop() }
            try await answered(by: hangsUp.url) {}
            try await answered(by: hangs.url) { leadership.set(.none) }
            try await answered(by: "http://127.0.0.1:\(try TestPort.reserved())") {}
        }
    }

    // MARK: bodies

    @Test("passes 50 MB on as they come, and reads no more than a leader takes")
    func pressure() async throws {
        let leader = try ScriptedListener(nil)
        let leadership = SetLeadership(.other(url: leader.url))
        try await TwoCoordinators.standby(of: leadership) { port in
            let sent = Mutex(0)
            let bytes = 50 << 20
            async let upload: Void = offPool {
                let connection = try RawConnection(port: port)
                let digest = Digest(of: Data("x".utf8)).hex
                connection.send(
                    TwoCoordinators.call("PUT /api/v1/blobs/\(digest)")
                        .replacing("Content-Length: 0", with: "Content-Length: \(bytes)")
                )
                let piece = Data(count: 64 << 10)
                while sent.withLock({ $0 }) < bytes, connection.send(piece) {
                    sent.withLock { $0 += piece.count }
                }
            }
            // Waits until no more bytes are taken.
            var before = -1
            while before != sent.withLock({ $0 }) || before == 0 {
                before = sent.withLock { $0 }
                try await Task.sleep(for: .milliseconds(400))
            }
            // The capacity of two pairs of sockets.
            #expect(before < 30 << 20, "\(before) bytes of \(bytes)")
            leadership.set(.none)
            leader.stop()
            try? await upload
        }
    }

    @Test("carries 50 MB to the leader and back, whole")
    func large() async throws {
        try await TwoCoordinators.serving { farm in
            let client = farm.client()
            let result: Result<Void, any Error>
            do {
                var bytes = Data(count: 50 << 20)
                bytes.withUnsafeMutableBytes { bytes in
                    for at in stride(from: 0, to: bytes.count, by: 4_096) {
                        bytes[at] = UInt8(truncatingIfNeeded: at >> 12)
                    }
                }
                let digest = Digest(of: bytes)
                let file = try farm.folder.write("large", bytes)
                try await client.put(fileAt: file, bytes: bytes.count, as: digest)
                // The same file again: the leader answers before it has read any of it.
                try await client.put(fileAt: file, bytes: bytes.count, as: digest)
                let back = farm.folder.file("back")
                try await client.download(
                    digest,
                    of: RunID("r"),
                    toFileAt: back,
                    bytesMax: bytes.count
                )
                // Continues a download that was cut off.
                try bytes.prefix(10_000_000).write(to: URL(fileURLWithPath: back))
                try await client.download(
                    digest,
                    of: RunID("r"),
                    toFileAt: back,
                    bytesMax: bytes.count
                )
                // The leader refuses bytes under a wrong digest.
                await #expect(throws: APIError.self) {
                    try await client.put(Data("y".utf8), as: Digest(of: Data("x".utf8)))
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        }
    }

    @Test(
        "lets a caller that breaks off take the leader's call with it, and a chunked body through"
    )
    func brokenOff() async throws {
        try await TwoCoordinators.serving { farm in
            let hello = #"{"worker":"w","beginsAnew":true,"running":[]}"#
            let head = TwoCoordinators.call("POST /api/v1/workers")
                .replacing("Content-Length: 0", with: "Transfer-Encoding: chunked")
            let chunk = String(hello.utf8.count, radix: 16) + "\r\n\(hello)\r\n"
            let whole = try await TwoCoordinators.ask(farm.standbyPort, head + chunk + "0\r\n\r\n")
            #expect(whole?.status == 200, "\(whole?.text ?? "")")
            let announced = TwoCoordinators.call("POST /api/v1/workers")
                .replacing("Content-Length: 0", with: "Content-Length: 1000")
            try await offPool {
                let connection = try RawConnection(port: farm.standbyPort)
                connection.send(announced + hello)
                connection.finishSending()
                _ = connection.response(within: 5)
            }
            let tooLarge = TwoCoordinators.call("POST /api/v1/workers")
                .replacing("Content-Length: 0", with: "Content-Length: 99999999999")
            #expect(try await TwoCoordinators.ask(farm.standbyPort, tooLarge)?.status == 413)
            let after = try await TwoCoordinators.ask(farm.standbyPort, head + chunk + "0\r\n\r\n")
            #expect(after?.status == 200)
        }
    }
}
