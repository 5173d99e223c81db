import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Scenes in a browser", .serialized)
    struct SceneErrorTests {
        @Test("a scene that answers 404 errs, with what to do; the others are judged")
        func notFound() throws {
            let project = try Project()
            try project.folder.write("site/here.html", "<!doctype html><p>here")
            let server = try #require(try FileServer(folder: project.folder.file("site")))
            defer { withExtendedLifetime(server) {} }
            try project.folder.write(
                "screens.yaml",
                """
                scenes:
                  - {suite: Site, name: here, url: "http://127.0.0.1:\(server.port)/here.html"}
                  - {suite: Site, name: gone, url: "http://127.0.0.1:\(server.port)/gone.html"}
                """
            )
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: site
                references: {store: store.git}
                devices: [{name: A, width: 80, height: 60, scale: 1}]
                jobs:
                  shots: {kind: snapshot, driver: webdriver, scenes: screens.yaml, new: accept, retries: 0}
                """
            )
            let result = try project.run(["--mode", "record"])
            #expect(result.status == 1, "\(result.said)")
            let summary = try project.summary()
            #expect(summary.counts.errored == 1 && summary.counts.passed == 1)
            let gone = try #require(summary.tests.first { $0.verdict == .errored })
            #expect(gone.test == "Site/gone")
            #expect(gone.message.contains("404"))
        }
    }
}

/// Python's file server on a free port, as a stand-in for a team's own web server.
struct FileServer {
    let port: Int
    private let process: TestProcess

    /// Returns `nil` if the server did not print its port.
    init?(folder: String) throws {
        let server = try TestProcess([
            "python3", "-u", "-c",
            """
            import http.server,functools
            h=functools.partial(http.server.SimpleHTTPRequestHandler,directory=\(folder.debugDescription))
            s=http.server.ThreadingHTTPServer(("127.0.0.1",0),h)
            print(s.server_port,flush=True)
            s.serve_forever()
            """,
        ])
        let spoke = server.wait(seconds: 20) { server.output.hasSuffix("\n") }
        guard spoke, let port = Int(server.output.dropLast()) else { return nil }
        process = server
        self.port = port
    }
}
