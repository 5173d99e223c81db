// Tests of the server for agents by its messages alone, without a process.
import FarmCore
import FarmRun
import FarmTesting
import Foundation
import Testing

@Suite("The server for agents")
struct AgentServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("agents") }

    private func server(_ permissions: AgentTools.Permissions = []) -> AgentServer {
        let question = RunQuestion(
            file: folder.file("app.yaml"),
            data: folder.file("data"),
            coordinator: nil,
            environment: [:]
        )
        return AgentServer(AgentTools(question, permissions: permissions))
    }

    private func answer(_ text: String, _ server: inout AgentServer) async throws -> [String: Any]?
    {
        switch await server.take(.message(Data(text.utf8))) {
        case .silence: return nil
        case .answer(let bytes):
            return try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        case .later(let work):
            return try JSONSerialization.jsonObject(with: await work()) as? [String: Any]
        }
    }

    private static let hello = #"""
        {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        """#

    /// The members of a call without a handshake.
    private static let meta = #"""
        "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}
        """#

    private func code(_ answer: [String: Any]?) -> Int? {
        (answer?["error"] as? [String: Any])?["code"] as? Int
    }

    @Test("shakes hands in the client's revision, or offers the newest that it speaks")
    func handshake() async throws {
        for (wanted, given) in [
            ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"),
            ("2099-01-01", "2025-11-25"),
        ] {
            var server = server()
            let hello = Self.hello.replacing("2025-06-18", with: wanted)
            let result = try await answer(hello, &server)?["result"] as? [String: Any]
            #expect(result?["protocolVersion"] as? String == given)
            #expect((result?["serverInfo"] as? [String: Any])?["name"] as? String == "snapfarm")
            #expect(result?["resultType"] == nil)
        }
    }

    @Test("speaks the revision without a handshake, and names the revisions for any other")
    func stateless() async throws {
        var server = server()
        let discover =
            #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(Self.meta)}}"#
        let found = try await answer(discover, &server)?["result"] as? [String: Any]
        #expect((found?["supportedVersions"] as? [String])?.first == "2026-07-28")
        let tools = #"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{\#(Self.meta)}}"#
        let listed = try await answer(tools, &server)
        let result = listed?["result"] as? [String: Any]
        #expect(listed?["id"] as? String == "a")
        #expect(result?["resultType"] as? String == "complete" && result?["ttlMs"] as? Int == 0)
        let other = try await answer(tools.replacing("2026-07-28", with: "2027-01-01"), &server)
        #expect(code(other) == -32022)
        #expect(!"\(try #require(other))".contains("tools"))
    }

    @Test(
        "answers what is wrong with an error of JSON-RPC, and never runs a tool before a handshake",
        arguments: [
            ("{", -32700), ("nul", -32700), ("[]", -32600), ("1", -32600), ("{}", -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
        ]
    )
    func mistakes(text: String, code: Int) async throws {
        var server = server()
        #expect(self.code(try await answer(text, &server)) == code)
    }

    @Test(
        "answers a wrong call after the handshake, and goes on",
        arguments: [
            (#""method":"nothing""#, -32601),
            (#""method":"tools/call","params":{"name":"rm"}"#, -32602),
            (#""method":"tools/call","params":{"name":"doctor","arguments":[]}"#, -32602),
            (#""method":"resources/read","params":{"uri":"file:///etc/passwd"}"#, -32602),
            (
                #""method":"resources/read","params":{"uri":"snapfarm://run/a/file/../../x"}"#,
                -32602
            ),
        ]
    )
    func calls(members: String, code: Int) async throws {
        var server = server()
        #expect(try await answer(Self.hello, &server)?["result"] != nil)
        let call = #"{"jsonrpc":"2.0","id":5,\#(members)}"#
        #expect(self.code(try await answer(call, &server)) == code)
        let ping = try await answer(#"{"jsonrpc":"2.0","id":6,"method":"ping"}"#, &server)
        #expect((ping?["result"] as? [String: Any])?.isEmpty == true)
    }

    @Test("answers no notification and no answer")
    func silence() async throws {
        var server = server()
        for text in [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            #"{"jsonrpc":"2.0","id":4,"result":{}}"#,
        ] { #expect(try await answer(text, &server) == nil) }
        #expect(code(try await answer("x", &server)) == -32700)
    }

    @Test("lists approve and run only where they are allowed, and refuses them with a command")
    func permissions() async throws {
        for permissions: AgentTools.Permissions in [[], .approve, .run, [.approve, .run]] {
            var server = server(permissions)
            _ = try await answer(Self.hello, &server)
            let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
            let result = try await answer(list, &server)?["result"] as? [String: Any]
            let names = (result?["tools"] as? [[String: Any]] ?? []).map { $0["name"] as? String }
            #expect(names.contains("approve") == permissions.contains(.approve))
            #expect(names.contains("run") == permissions.contains(.run))
            #expect(names.contains("reject") && names.contains("show_run"))
        }
        var server = server()
        _ = try await answer(Self.hello, &server)
        let call = #"""
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"select":["job=a; rm"]}}}
            """#
        let result = try await answer(call, &server)?["result"] as? [String: Any]
        #expect(result?["isError"] as? Bool == true)
        let content = result?["content"] as? [[String: Any]]
        let words = content?.first?["text"] as? String ?? ""
        #expect(words.contains("'--select=job=a; rm'"), "\(words)")
    }

    @Test("survives random messages: each line gets one answer or none, and every answer is JSON")
    func random() async throws {
        var random = SeededGenerator.announced()
        let names = [
            "list_runs", "show_run", "show_change", "show_baseline", "comment", "reject", "approve",
            "run",
        ]
        let seeds =
            names.map { name in
                #"""
                {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(name)","arguments":{"run":"r-1","change":"abcd","reason":"x","text":"y","cursor":"3","pictures":"whole","select":["a=b"]}}}
                """#
            } + [
                Self.hello,
                #"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"x"}}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"snapfarm://run/r/change/x"}}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(Self.meta)}}"#,
            ]
        let trees = try seeds.map { try JSONTree(parsing: Data($0.utf8)) }
        var server = server()
        _ = try await answer(Self.hello, &server)
        var answers = 0
        for _ in 0..<2_000 {
            let tree = try #require(trees.randomElement(using: &random))
            var bytes = tree.mutated(changes: .random(in: 0...4, using: &random), using: &random)
                .bytes
            if Int.random(in: 0..<5, using: &random) == 0, !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let said: Data
            switch await server.take(.message(bytes)) {
            case .silence: continue
            case .answer(let bytes): said = bytes
            case .later(let work): said = await work()
            }
            let answer = try JSONSerialization.jsonObject(with: said) as? [String: Any]
            answers += 1
            #expect(answer?["jsonrpc"] as? String == "2.0", "\(text)")
            #expect((answer?["result"] == nil) != (answer?["error"] == nil), "\(text)")
            #expect(!said.contains(UInt8(ascii: "\n")))
        }
        #expect(answers > 500)
        #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
    }

    @Test("reads whole lines, skips empty ones, and only one line over the limit")
    func lines() async throws {
        let long = String(repeating: "x", count: 2_000)
        let path = try folder.write("lines", "one\n\n \r\n\(long)\ntwo\n\(long)\(long)\nthree")
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let lines = AgentLines(descriptor: descriptor, bytesMax: 1_000)
        var read: [AgentLine] = []
        while let line = await lines.next() { read.append(line) }
        let whole = ["one", "two", "three"].map { AgentLine.message(Data($0.utf8)) }
        #expect(read == [whole[0], .tooLong, whole[1], .tooLong, whole[2]])
    }
}
