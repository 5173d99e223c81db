// Tests of events as a receiver gets them, over real HTTP.
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmRun

/// A receiver that answers with these statuses, repeating the last one, and keeps the requests.
private final class Receiver {
    let port: Int
    private let folder: TemporaryFolder
    private let process: TestProcess

    struct Call: Decodable {
        let headers: [String: String]
        let body: String
    }

    init(_ statuses: [Int]) throws {
        folder = try TemporaryFolder("receiver")
        port = try TestPort.reserved()
        let script = try folder.write("receiver.py", Self.script)
        process = try TestProcess(
            ["python3", script, "\(port)", folder.file("calls")] + statuses.map(String.init)
        )
        try TestPort.awaitListener(on: port)
    }

    deinit { process.kill() }

    var file: String { folder.file("calls") }
    var calls: [Call] { Self.calls(in: file) }

    static func calls(in file: String) -> [Call] {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Call.self, from: Data($0.utf8))
        }
    }

    private static let script = """
        import http.server, json, sys
        statuses = [int(word) for word in sys.argv[3:]]
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length'])).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                with open(sys.argv[2], 'a') as out:
                    out.write(json.dumps({'headers': headers, 'body': body}) + '\\n')
                self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
                self.send_header('Location', '/elsewhere')
                self.send_header('Content-Length', '0')
                self.end_headers()
            def log_message(self, *words): pass
        http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
        """
}

/// The messages and pauses of a sender.
private final class Notes: Sendable {
    private let state = Mutex<(said: [String], pauses: [Double], ids: Int)>(([], [], 0))
    var said: [String] { state.withLock { $0.said } }
    var pauses: [Double] { state.withLock { $0.pauses } }

    func webhooks(_ urls: [String], events: Set<FarmEvent.Kind> = [.decided]) -> Webhooks {
        Webhooks(
            urls.map { WebhookReceiver(url: $0, secret: "s3cret", events: events) },
            now: { 1_700_000_000 },
            newID: {
                self.state.withLock { state in
                    state.ids += 1
                    return "id-\(state.ids)"
                }
            },
            pause: { seconds in self.state.withLock { $0.pauses.append(seconds) } },
            say: { words in self.state.withLock { $0.said.append(words) } }
        )
    }
}

@Suite("Events that are told to others")
struct WebhookTests {
    private static func decision(_ name: String, _ kind: Decision.Kind = .accepted) throws
        -> Decision
    {
        Decision(
            kind: kind,
            pipeline: "wallet",
            snapshot: try SnapshotID(cell: CellID("A"), suite: "S", name: name),
            capture: Digest(of: Data(name.utf8)),
            reference: nil,
            reason: "</script>\u{202E}\n\"blue\"",
            who: "ada",
            when: 1_700_000_000_123,
            run: "r-1"
        )
    }

    /// Runs the sender until `isDone` is true, or for 20 s.
    private func run(_ hooks: Webhooks, until isDone: @escaping @Sendable () -> Bool) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await hooks.run() }
            for _ in 0..<1_000 where !isDone() { try? await Task.sleep(for: .milliseconds(20)) }
            group.cancelAll()
        }
    }

    @Test("an event is signed over time and body, and says what was decided by whom")
    func signed() async throws {
        let receiver = try Receiver([204])
        let port = receiver.port
        let notes = Notes()
        let hooks = notes.webhooks(["http://127.0.0.1:\(port)/hook?key=x"])
        let decisions = try ["one", "two"].map { try Self.decision($0) }
        for event in FarmEvent.all(of: decisions) { hooks.enqueue(event) }
        let file = receiver.file
        await run(hooks) { !Receiver.calls(in: file).isEmpty }
        let call = try #require(receiver.calls.first)
        #expect(receiver.calls.count == 1 && notes.said == [])
        #expect(call.headers["snapfarm-event"] == "pictures.decided")
        #expect(call.headers["snapfarm-delivery"] == "id-1")
        let signature = WebhookSignature.header(
            Data(call.body.utf8),
            secret: "s3cret",
            seconds: 1_700_000_000
        )
        #expect(call.headers["snapfarm-signature"] == signature)
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(call.body.utf8)) as? [String: Any]
        )
        #expect(body["id"] as? String == "id-1" && body["version"] as? Int == 1)
        #expect(body["run"] as? String == "r-1" && body["person"] as? String == "ada")
        #expect(body["decision"] as? String == "accepted" && body["pictures"] as? Int == 2)
        #expect(body["snapshots"] as? [String] == ["A/S/one", "A/S/two"])
        #expect(body["reason"] as? String == decisions[0].reason)
    }

    @Test("a signature is the one that openssl makes, and another secret makes another")
    func signature() throws {
        // Computed by: printf '7.{}' | openssl dgst -sha256 -hmac key
        let made = WebhookSignature.header(Data("{}".utf8), secret: "key", seconds: 7)
        let folder = try TemporaryFolder("signature")
        let file = try folder.write("body", "7.{}")
        let openssl = try TestProcess.run(["openssl", "dgst", "-sha256", "-hmac", "key", file])
        let code = try #require(openssl.output.split(separator: " ").last)
        #expect(made == "t=7,v1=" + code.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(made != WebhookSignature.header(Data("{}".utf8), secret: "kez", seconds: 7))
    }

    @Test(
        "what may pass is tried again with the same id and body, what will not is given up",
        arguments: [
            ([500, 429, 204], 3, [1.0, 4], false),
            ([503], FarmLimits.webhookAttemptsMax, [1, 4, 16, 64, 256], true),
            ([404], 1, [], true),
            ([302], 1, [], true),
        ] as [([Int], Int, [Double], Bool)]
    )
    func again(statuses: [Int], calls: Int, pauses: [Double], hasTooManyProblems: Bool) async throws
    {
        let receiver = try Receiver(statuses)
        let notes = Notes()
        let hooks = notes.webhooks(["http://127.0.0.1:\(receiver.port)/secret-path"])
        for event in FarmEvent.all(of: [try Self.decision("one")]) { hooks.enqueue(event) }
        let file = receiver.file
        await run(hooks) {
            hasTooManyProblems ? !notes.said.isEmpty : Receiver.calls(in: file).count == calls
        }
        #expect(receiver.calls.count == calls)
        #expect(Set(receiver.calls.map(\.body)).count == 1)
        #expect(Set(receiver.calls.map { $0.headers["snapfarm-delivery"] }) == ["id-1"])
        #expect(notes.pauses == pauses)
        #expect(notes.said.isEmpty != hasTooManyProblems)
        #expect(!notes.said.joined().contains("secret-path"), "\(notes.said)")
    }

    @Test("a receiver that is gone keeps no other waiting, and a full queue drops and says so")
    func slow() async throws {
        let receiver = try Receiver([204])
        let notes = Notes()
        let gone = try TestPort.reserved()
        let hooks = notes.webhooks(
            ["http://127.0.0.1:\(gone)/", "http://127.0.0.1:\(receiver.port)/"]
        )
        let event = try #require(FarmEvent.all(of: [try Self.decision("one")]).first)
        for _ in 0..<FarmLimits.webhookQueueMax + 5 { hooks.enqueue(event) }
        let file = receiver.file
        await run(hooks) {
            Receiver.calls(in: file).count == FarmLimits.webhookQueueMax
                && notes.said.contains { $0.contains("5 events were dropped") }
        }
        #expect(receiver.calls.count == FarmLimits.webhookQueueMax)
        #expect(notes.said.contains { $0.contains(":\(gone)") }, "\(notes.said.prefix(3))")
        #expect(notes.said.contains { $0.contains("5 events were dropped") })
    }

    @Test(
        "decisions are told apart by kind, person and reason, and a publication is one of its own"
    )
    func events() throws {
        let decisions = [
            try Self.decision("one"), try Self.decision("two", .rejected),
            try Self.decision("three"), try Self.decision("four", .published),
        ]
        let events = FarmEvent.all(of: decisions)
        #expect(events.map(\.event) == [.decided, .decided, .published])
        #expect(events.map(\.pictures) == [2, 1, 1])
        let many = try (0..<FarmLimits.eventPicturesMax + 1).map { try Self.decision("n\($0)") }
        let one = try #require(FarmEvent.all(of: many).first)
        #expect(one.pictures == FarmLimits.eventPicturesMax + 1)
        #expect(one.snapshots?.count == FarmLimits.eventPicturesMax)
    }
}
