// Tests of the statuses after which a worker tries again.
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

@Suite("Answers that are waited out")
struct RetriedStatusTests {
    /// A coordinator that answers twice with the status in its second argument, then with an empty
    /// list.
    private static let coordinator = """
        import http.server, sys
        refusal = b'{"problem": {"code": "any", "message": "any", "remedy": "any"}, "exit": 74}'
        count = 0
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                global count
                count += 1
                body = b'{"workers":[]}' if count > 2 else refusal
                self.send_response(200 if count > 2 else int(sys.argv[2]))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *words):
                pass
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    @Test(
        "a coordinator that is being stopped or whose disk is full is waited for, another error not",
        arguments: [(503, true), (507, true), (500, false), (409, false)]
    )
    func status(status: Int, isWaitedFor: Bool) async throws {
        let folder = try TemporaryFolder("coordinator")
        let program = try folder.write("coordinator.py", Self.coordinator)
        let port = try TestPort.reserved()
        let server = try TestProcess(["python3", program, "\(port)", "\(status)"])
        let listens = server.wait(seconds: 20) { (try? RawConnection(port: port)) != nil }
        #expect(listens, "\(server.errors)")
        let client = CoordinatorClient(
            url: "http://127.0.0.1:\(port)",
            token: "any",
            // Long enough that a busy machine does not decide the test.
            patience: RetryPolicy(attemptsMin: 1, seconds: 600)
        )
        let answer = try? await client.workers(limit: 1)
        #expect((answer != nil) == isWaitedFor)
        await client.close()
        server.kill()
    }
}
