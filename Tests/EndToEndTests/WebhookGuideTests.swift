// Tests of the instructions in docs/fleet.md for receivers of events.
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Webhooks of a coordinator", .serialized)
    struct WebhookGuideTests {
        /// The guide's check in a Python server, which writes verified events to a file.
        private static let server = """

            import http.server, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers['Content-Length']))
                    good = verified(self.headers, body)
                    with open(sys.argv[2], 'ab') as out:
                        out.write((b'good ' if good else b'bad ') + body + b'\\n')
                    self.send_response(204 if good else 403)
                    self.end_headers()
                def log_message(self, *words): pass
            http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()

            """

        @Test("the guide's check takes the events of a run, and nobody else's")
        func guide() throws {
            let check = try #require(
                try Guide("fleet.md").blocks.first { $0.language == "python" }
            )
            let folder = try TemporaryFolder("hook")
            let script = try folder.write("receiver.py", check.text + Self.server)
            let port = try TestPort.reserved()
            let secret = "s3cret-\(UUID().uuidString)"
            let receiver = try TestProcess(
                ["python3", script, "\(port)", folder.file("events")],
                environment: ProcessInfo.processInfo.environment
                    .merging(["HOOK_SECRET": secret]) { $1 }
            )
            defer { receiver.kill() }
            try TestPort.awaitListener(on: port)

            let fleet = try Fleet(try Project(devices: ["A"]))
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            fleet.configuration +=
                "\nwebhooks: [{url: \"http://127.0.0.1:\(port)/hook\", secret: HOOK_SECRET}]"
            try fleet.place.write("farm.yaml", fleet.configuration)
            let unset = try fleet.program.run(["serve", "--config", "farm.yaml"])
            #expect(unset.status != 0 && unset.errors.contains("HOOK_SECRET"), "\(unset.said)")
            fleet.environment["HOOK_SECRET"] = secret
            try fleet.serve()
            _ = try fleet.startWorker("far")
            #expect(try fleet.run().status == 0)
            func events() -> String {
                (try? String(contentsOfFile: folder.file("events"), encoding: .utf8)) ?? ""
            }
            #expect(receiver.wait(seconds: 30) { events().contains("run.closed") }, "\(fleet.log)")
            #expect(events().hasPrefix("good "), "\(events())")
            #expect(events().contains("\"state\":\"passed\""), "\(events())")
            // The secret is in no environment block except the receiver's.
            let block = FileManager.default.contents(atPath: "/proc/\(fleet.pid)/environ")
            if let block { #expect(!String(decoding: block, as: UTF8.self).contains(secret)) }

            let forged = try TestProcess.run([
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                "Snapfarm-Signature: t=\(Int(Date().timeIntervalSince1970)),v1=00", "-d", "{}",
                "http://127.0.0.1:\(port)/hook",
            ])
            #expect(forged.output == "403")
        }
    }
}
