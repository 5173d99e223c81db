import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("The coordinator on the wire", .serialized)
    struct FleetWireTests {
        /// Returns a token for a kind of access; `expired` and `wrong` are invalid ones.
        private func token(_ kind: String?, _ fleet: Fleet) throws -> String? {
            switch kind {
            case nil: return nil
            case "wrong": return "snapfarm_" + String(repeating: "0", count: 64)
            case "expired":
                let token = try fleet.token("read", "review")
                let path = fleet.place.file("state/tokens.json")
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let digest = Digest(of: Data(token.utf8)).description
                var object = try #require(
                    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                )
                let tokens = try #require(object["tokens"] as? [[String: Any]])
                object["tokens"] = tokens.map { row in
                    row["sha256"] as? String == digest
                        ? row.merging(["expires": 1_000]) { _, new in new } : row
                }
                try fleet.place.write(
                    "state/tokens.json",
                    try JSONSerialization.data(withJSONObject: object)
                )
                return token
            case .some(let scope): return try fleet.token(scope)
            }
        }

        private struct Body: Decodable {
            var problem: Problem
        }

        @Test("every bad call gets its status and an explanation, and harms nothing")
        func table() throws {
            let fleet = try Fleet()
            try fleet.serve()
            for bad in BadCall.all + BadCall.submissions {
                let answer = try fleet.call(
                    bad.method,
                    bad.path,
                    token: try token(bad.scope, fleet),
                    version: bad.version,
                    headers: bad.headers,
                    body: bad.body.map { Data($0.utf8) }
                )
                #expect(
                    answer?.status == bad.status,
                    "\(bad.testDescription): \(answer?.text ?? "-")"
                )
                let body = try? JSONDecoder().decode(Body.self, from: answer?.body ?? Data())
                #expect(
                    body?.problem.code == bad.code,
                    "\(bad.testDescription): \(answer?.text ?? "-")"
                )
                #expect(body?.problem.remedy.isEmpty == false, "\(bad.testDescription)")
            }
            #expect(try fleet.call("GET", "/readyz")?.status == 200)
            #expect(fleet.isServing)
        }

        @Test("what is no HTTP, or far too much of it, is refused")
        func notHTTP() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let long = String(repeating: "a", count: 200_000)
            for text in [
                "nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\r\nX: \(long)\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
                "POST /api/v1/workers HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                "POST /api/v1/workers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            ] {
                let connection = try RawConnection(port: fleet.port)
                connection.send(text)
                let answer = connection.response(within: 5)
                let status = answer?.status ?? 400
                #expect((400..<500).contains(status), "\(text.prefix(40)): \(status)")
            }
            #expect(try fleet.call("GET", "/healthz")?.status == 200)
        }

        @Test("slow clients are cut off, and many of them leave room for others")
        func slow() throws {
            let fleet = try Fleet(limits: "limits: {idle: 2s, body: 1s}")
            try fleet.serve()
            let silent = try (0..<300).map { _ in try RawConnection(port: fleet.port) }
            let dripping = try RawConnection(port: fleet.port)
            dripping.send("GET /healthz HTTP/1.1\r\nX: ")
            let body = try RawConnection(port: fleet.port)
            body.send(
                "POST /api/v1/workers HTTP/1.1\r\nAuthorization: Bearer \(try fleet.token("work"))\r\n"
                    + "Snapfarm-Version: \(Routes.version)\r\nContent-Length: 1000\r\n\r\n"
            )
            for _ in 0..<6 {
                dripping.send("a")
                body.send(" ")
                usleep(300_000)
            }
            #expect(body.response(within: 5)?.status == 408)
            #expect(try fleet.call("GET", "/healthz")?.status == 200)
            #expect(dripping.isClosed(within: 10))
            for connection in silent { #expect(connection.isClosed(within: 10)) }
        }

        @Test("a blob comes back whole and in parts, and a worker gets none but bundles")
        func blobs() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let digest = Digest(of: bytes)
            let path = "/api/v1/blobs/\(digest.hex)"
            let submit = try fleet.token("submit")
            #expect(try fleet.call("HEAD", path, token: submit)?.status == 404)
            #expect(try fleet.call("PUT", path, token: submit, body: bytes)?.status == 200)
            #expect(try fleet.call("PUT", path, token: submit, body: bytes)?.status == 200)
            let head = try fleet.call("HEAD", path, token: submit)
            #expect(head?.status == 200 && head?.headers["snapfarm-bytes"] == "100000")
            #expect(try fleet.call("GET", path, token: submit)?.body == bytes)
            for (range, expected) in [
                ("bytes=0-9", 0..<10), ("bytes=99990-", 99_990..<100_000),
                ("bytes=-5", 99_995..<100_000), ("bytes=50-999999", 50..<100_000),
            ] {
                let part = try fleet.call("GET", path, token: submit, headers: ["Range: \(range)"])
                #expect(part?.status == 206 && part?.body == bytes[expected], "\(range)")
                #expect(
                    part?.headers["content-range"]
                        == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/100000"
                )
            }
            let beyond = try fleet.call(
                "GET",
                path,
                token: submit,
                headers: ["Range: bytes=100000-"]
            )
            #expect(beyond?.status == 416)
            let work = try fleet.token("work")
            #expect(try fleet.call("GET", path, token: work)?.status == 403)
            // A worker does not learn whether a blob exists by asking for its size.
            #expect(try fleet.call("HEAD", path, token: work)?.status == 403)
        }

        @Test("two spellings of a worker's name are one worker")
        func spellings() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let work = try fleet.token("work")
            for name in ["w\u{E9}", "we\u{301}"] {
                let hello = HelloRequest(worker: WorkerID(name), beginsAnew: true)
                let path = "/api/v1/workers"
                let body = try JSONEncoder().encode(hello)
                #expect(try fleet.call("POST", path, token: work, body: body)?.status == 200)
            }
            let answer = try fleet.call("GET", "/api/v1/workers", token: try fleet.token("read"))
            let reply = try JSONDecoder().decode(WorkersReply.self, from: answer?.body ?? Data())
            #expect(reply.workers.map { Array($0.worker.text.utf8) } == [Array("w\u{E9}".utf8)])
        }

        @Test("an answer to HEAD has no body, also where it is a refusal")
        func heads() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let path = "/api/v1/blobs/" + String(repeating: "0", count: 64)
            let connection = try RawConnection(port: fleet.port)
            let token = try fleet.token("submit")
            for _ in 0..<2 {
                connection.send(
                    "HEAD \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
                )
                let answer = connection.response(isHead: true)
                #expect(answer?.status == 404)
                #expect(answer?.body.isEmpty == true, "\(answer?.text ?? "-")")
            }
        }

        @Test("an upload that breaks off is the caller's fault, and stores nothing")
        func cut() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let digest = Digest(of: Data("whole".utf8))
            let connection = try RawConnection(port: fleet.port)
            connection.send(
                "PUT /api/v1/blobs/\(digest.hex) HTTP/1.1\r\nHost: a\r\n"
                    + "Authorization: Bearer \(try fleet.token("work"))\r\n"
                    + "Snapfarm-Version: \(Routes.version)\r\nContent-Length: 5\r\n\r\nwho"
            )
            connection.finishSending()
            let status = connection.response(within: 5)?.status ?? 400
            #expect((400..<500).contains(status), "\(status)")
            let submit = try fleet.token("submit")
            let path = "/api/v1/blobs/\(digest.hex)"
            #expect(try fleet.call("HEAD", path, token: submit)?.status == 404)
            let metrics = try fleet.call("GET", "/metrics", token: try fleet.token("read"))
            #expect(metrics?.text.contains("status=\"500\"") == false, "\(metrics?.text ?? "-")")
            #expect(!fleet.log.contains("call failed"), "\(fleet.log)")
        }
    }
}
