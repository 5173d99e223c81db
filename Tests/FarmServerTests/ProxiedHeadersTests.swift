// Tests of the headers that a coordinator forwards to the leader and back, and of the hosts it
// accepts.
import FarmAPI
import FarmCore
import FarmServer
import FarmTesting
import Foundation
import Testing

@Suite("A call that is sent on to the leader")
struct ProxiedHeadersTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"

    @Test("keeps the caller's headers, and leaves those of its connection behind")
    func hopByHop() async throws {
        let leader = try ScriptedListener { _ in
            .bytes(
                Self.ok + "Connection: X-Theirs\r\nX-Theirs: 1\r\nX-Kept: a\r\nX-Kept: b\r\n"
                    + "Keep-Alive: timeout=5\r\n\r\n{}"
            )
        }
        try await TwoCoordinators.standby(of: SetLeadership(.other(url: leader.url))) { port in
            let call = TwoCoordinators.call(
                "GET /api/v1/runs/a%2Fb%20c?wait=1.5&x=%00",
                [
                    "Connection: keep-alive, X-Own", "X-Own: secret", "TE: trailers",
                    "Keep-Alive: 3", "Proxy-Authorization: Basic x", "Upgrade: h2c",
                    "Snapfarm-Seal: abc", "X-Twice: 1", "X-Twice: 2",
                    "Snapfarm-Proxied-By: me",
                ]
            )
            let answer = try await TwoCoordinators.ask(port, call)
            #expect(answer?.status == 200)
            #expect(answer?.text == "{}")
            #expect(answer?.headers["x-theirs"] == nil)
            #expect(answer?.headers["keep-alive"] == nil)
            #expect(answer?.headers["x-kept"] != nil)
            let heard = try #require(leader.heard.first)
            let lines = heard.lowercased().components(separatedBy: "\r\n")
            #expect(lines[0] == "get /api/v1/runs/a%2fb%20c?wait=1.5&x=%00 http/1.1")
            for kept in [
                "host: 127.0.0.1:\(leader.port)", "authorization: bearer token",
                "snapfarm-seal: abc", "x-twice: 1", "x-twice: 2", "snapfarm-proxied-by: me",
            ] {
                #expect(lines.contains(kept), "\(kept) in \(heard)")
            }
            for left in ["x-own", "te", "keep-alive", "proxy-authorization", "upgrade"] {
                #expect(!lines.contains { $0.hasPrefix(left + ":") }, "\(left) in \(heard)")
            }
            #expect(lines.filter { $0.hasPrefix("snapfarm-proxied:") }.count == 1)
        }
    }

    @Test("reaches the leader alone, whatever its target, its headers or the leader's answer name")
    func otherHosts() async throws {
        let other = try ScriptedListener { _ in .bytes(Self.ok + "\r\n{}") }
        let leader = try ScriptedListener { [port = other.port] _ in
            .bytes(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:\(port)/x\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        }
        try await TwoCoordinators.standby(of: SetLeadership(.other(url: leader.url))) { port in
            let place = "127.0.0.1:\(other.port)"
            for target in [
                "/api/v1/runs/r", "http://\(place)/api/v1/runs/r", "//\(place)/api/v1/runs/r",
                "@\(place)/api/v1/runs/r", "/api/v1/runs/@\(place)", "/api/v1/runs/..%2f..%2f",
                "/api/v1/runs/r?x=http://\(place)/#@\(place)",
            ] {
                let call = TwoCoordinators.call("GET \(target)", ["X-Forwarded-Host: \(place)"])
                    .replacing("Host: farm.example.org", with: "Host: \(place)")
                let answer = try await TwoCoordinators.ask(port, call)
                #expect(answer != nil && answer?.status != 200, "\(target)")
            }
            #expect(other.connections == 0)
            #expect(!leader.heard.isEmpty)
        }
    }

    @Test(
        "goes nowhere where the leader's URL is none",
        arguments: [
            "", "127.0.0.1:1", "ftp://127.0.0.1", "http://", "http://a@127.0.0.1:1",
            "http://127.0.0.1:1/path", "http://127.0.0.1:1?x", "http://127.0.0.1:1 http://x",
        ]
    )
    func badURL(url: String) async throws {
        try await TwoCoordinators.standby(of: SetLeadership(.other(url: url))) { port in
            let answer = try await TwoCoordinators.ask(
                port,
                TwoCoordinators.call("GET /api/v1/runs/r")
            )
            #expect(answer?.status == 503)
            #expect(TwoCoordinators.code(answer) == "no-leader")
        }
    }

    @Test("with hostile headers harms nothing: each is refused or passed on as it is")
    func hostile() async throws {
        let leader = try ScriptedListener { _ in .bytes(Self.ok + "\r\n{}") }
        try await TwoCoordinators.standby(of: SetLeadership(.other(url: leader.url))) { port in
            let values: [[UInt8]] = [
                Array("a\u{0}b".utf8), Array("a\rSnapfarm-Proxied: x".utf8), [0xFF, 0xFE, 0x80],
                Array("\u{202E}<script>".utf8), Array(repeating: 0x61, count: 60_000),
                Array("a\nAuthorization: Bearer other".utf8), [0x7F], Array("\t x \t".utf8), [],
            ]
            for value in values {
                let call = TwoCoordinators.call("GET /api/v1/runs/r", ["X-Odd: @"])
                var bytes = Data(call.utf8)
                let place = try #require(bytes.range(of: Data("@".utf8)))
                bytes.replaceSubrange(place, with: value)
                _ = try await TwoCoordinators.ask(port, bytes)
            }
            for heard in leader.heard {
                let lines = heard.lowercased().components(separatedBy: "\r\n")
                #expect(lines.filter { $0.hasPrefix("authorization:") }.count == 1, "\(heard)")
                #expect(lines.filter { $0.hasPrefix("snapfarm-proxied:") }.count == 1, "\(heard)")
            }
            let after = try await TwoCoordinators.ask(
                port,
                TwoCoordinators.call("GET /api/v1/runs/r")
            )
            #expect(after?.status == 200)
        }
    }
}
