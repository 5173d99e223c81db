// Tests of pages from the job's own server, and of stories, in a real browser. Storybook's stand-in
// consists of pages that follow the protocol of its iframe.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    private static let red = "document.body.style.background = 'red'"
    private static let done = "<body style='background: red'>"

    private static func command(_ text: String) -> WebDriverSettings {
        WebDriverSettings(scenes: "scenes.yaml", serve: WebServerSettings(command: text))
    }

    private static let python = "python3 -u -m http.server {port} --bind 127.0.0.1 --directory site"

    @Test("a server is started once, and ends with the driver, whatever it has started")
    func serve() async throws {
        let scenes = """
              - {suite: s, name: done, url: /done.html}
              - {suite: s, name: stored, url: "/stored.html?x={theme}",
                 cookies: {who: "{theme}"}, localStorage: {tour: "{theme}"}}

            """
        let stored =
            "<body><script>if (document.cookie === 'who=dim' && localStorage.tour === 'dim' && "
            + "location.search === '?x=dim') \(Self.red)</script>"
        try await withStage(
            pages: ["site/done.html": Self.done, "site/stored.html": stored],
            scenes: scenes,
            settings: Self.command("echo started >> starts; sleep 1000 & \(Self.python)")
        ) { stage in
            let cell = Stage.cell(Stage.phone, ["theme": "dim"])
            _ = try await stage.driver.discover(
                job: stage.job(cell),
                workTree: stage.folder.path,
                scratch: stage.folder.path
            )
            for _ in 1...2 {
                let results = try await stage.run(["s/done", "s/stored"], on: cell)
                #expect(try results[0].picture == results[1].picture)
            }
            func starts() throws -> String {
                try String(contentsOfFile: stage.folder.file("starts"), encoding: .utf8)
            }
            #expect(try starts() == "started\n")
            #expect(try await stage.processes() > 0)
            // Replaces the folder, as when a bundle is unpacked again at its path.
            let (path, files) = (stage.folder.path, FileManager.default)
            try files.copyItem(atPath: path, toPath: path + ".new")
            try files.removeItem(atPath: path)
            try files.moveItem(atPath: path + ".new", toPath: path)
            _ = try await stage.run(["s/done"], on: cell)
            #expect(try starts() == "started\nstarted\n")
            await stage.driver.shutDown()
            #expect(try await stage.processes() == 0)
        }
    }

    @Test(
        "a server that does not start is told by its own words, and by the same in each lease",
        arguments: [
            ("echo cannot find the config; exit 3", "left with status 3: cannot find the config"),
            (
                "echo 'Error: port {port} is taken'; echo '    at listen'; echo v18; exit 1",
                "left with status 1: Error: port PORT is taken"
            ),
            ("exit 4", "left with status 4 and printed nothing."),
        ]
    )
    func failingServer(command: String, words: String) async throws {
        try await withStage(
            scenes: "  - {suite: s, name: a, url: /a.html}\n",
            settings: Self.command(command)
        ) { stage in
            for _ in 1...2 {
                let error = await #expect(throws: WebDriverError.self) {
                    try await stage.run(["s/a"])
                }
                #expect(error?.code == "server-failed")
                let lines = error?.message.split(separator: "\n").map(String.init) ?? []
                #expect(lines.first == "the server \(words)")
                // The message contains the command with its real port.
                #expect(error?.message.contains("{port}") == false)
                let parts = command.components(separatedBy: "{port}")
                #expect(parts.allSatisfy { lines.dropFirst().joined().contains($0) })
            }
        }
    }

    @Test(
        "a server that never answers is waited for once, and told with its own port",
        arguments: [
            ("exec sleep 1000", "in its variable PORT, or write `{port}`"),
            ("exec sleep 1000 {port}", "on the port that it is given"),
        ]
    )
    func silentServer(end: String, remedy: String) async throws {
        let command = "echo started >> starts; echo ready at port 1; \(end)"
        let stage = try Stage(
            scenes: "  - {suite: s, name: a, url: /a.html}\n",
            settings: Self.command(command),
            serverSeconds: 3
        )
        var messages: Set<String> = []
        for worker in [stage, stage, stage.withNewDriver(serverSeconds: 3)] {
            let error = await #expect(throws: WebDriverError.self) { try await worker.run(["s/a"]) }
            #expect(error?.code == "server-failed")
            messages.insert(error?.message ?? "")
            #expect(error?.remedy.contains(remedy) == true)
        }
        let message = try #require(messages.first)
        #expect(messages.count == 1 && !message.contains("{port}"), "\(message)")
        let lines = message.split(separator: "\n")
        // The message is the same for parallel workers in programs of their own.
        #expect(
            lines.first == "the server did not answer on its port within 3 s: ready at port 1"
        )
        let place = /It was expected at http:\/\/localhost:\d+\/\./
        #expect(lines.dropFirst().first?.wholeMatch(of: place) != nil, "\(message)")
        let starts = try String(contentsOfFile: stage.folder.file("starts"), encoding: .utf8)
        #expect(starts == "started\n")
        #expect(try await stage.processes() == 0)
        await stage.driver.shutDown()
    }

    @Test("a server that does not answer for a page, or for one behind a step, is named as a cause")
    func slowPage() async throws {
        let server = """
            import http.server, sys, time
            class Handler(http.server.SimpleHTTPRequestHandler):
                def do_GET(self):
                    time.sleep(1000 if self.path == "/slow" else 0)
                    super().do_GET()
            http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
            """
        try await withStage(
            pages: ["done.html": Self.done, "link.html": "<body><a href=/slow>slow</a>"],
            scenes: """
                  - {suite: s, name: slow, url: /slow}
                  - {suite: s, name: step, url: /link.html, steps: [{click: a}]}
                  - {suite: s, name: done, url: /done.html}

                """,
            settings: Self.command("exec python3 server.py {port}")
        ) { stage in
            try stage.folder.write("server.py", server)
            _ = try await stage.run(["s/done"])
            let slow = try await stage.run(["s/slow", "s/step"], seconds: 1.5)
            #expect(slow[0].problem?.message == "/slow did not load within 1.2 s.")
            let remedies = slow.compactMap(\.problem?.remedy)
            #expect(remedies.count == 2)
            #expect(remedies.allSatisfy { $0.hasPrefix("See whether its server is slow") })
            #expect(try await stage.run(["s/done"])[0].ending == .passed)
        }
    }

    @Test("a server that dies errs the scene that it was needed for, and is started again")
    func dyingServer() async throws {
        try await withStage(
            pages: ["site/done.html": Self.done, "site/gone.html": "<p>gone"],
            scenes: """
                  - {suite: s, name: a, url: /done.html}
                  - {suite: s, name: gone, url: /gone.html, wait: {selector: "#never"}}

                """,
            settings: Self.command(
                "\(Self.python) 2>&1 | while read line; do echo \"$line\"; "
                    + "case $line in *gone.html*) echo out of memory; kill 0;; esac; done"
            )
        ) { stage in
            let results = try await stage.run(["s/a", "s/gone", "s/a"], seconds: 8)
            #expect(results[0].ending == .passed)
            #expect(results[1].problem?.code == "server-died")
            #expect(results[2].ending == .passed)
        }
    }

    @Test("a folder is served with absolute paths, and nothing from outside of it")
    func folder() async throws {
        let page = "<body><script type=module src=/js/a.mjs></script>"
        try await withStage(
            pages: [
                "dist/index.html": page, "dist/done.html": Self.done, "secret.html": Self.done,
            ],
            scenes: """
                  - {suite: s, name: done, url: /done.html}
                  - {suite: s, name: root, url: /}
                  - {suite: s, name: route, url: /cart/42}
                  - {suite: s, name: out, url: /%2e%2e/secret.html}
                  - {suite: s, name: link, url: /link.html}
                  - {suite: s, name: pipe, url: /pipe.html}
                  - {suite: s, name: absent, url: /absent.html}

                """,
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: "dist")
            )
        ) { stage in
            try stage.folder.write("dist/js/a.mjs", Self.red)
            try FileManager.default.createSymbolicLink(
                atPath: stage.folder.file("dist/link.html"),
                withDestinationPath: stage.folder.file("secret.html")
            )
            #expect(mkfifo(stage.folder.file("dist/pipe.html"), 0o600) == 0)
            let names = ["done", "root", "route", "out", "link", "pipe", "absent"].map { "s/\($0)" }
            let results = try await stage.run(names)
            #expect(try results[0].picture == results[1].picture)
            #expect(results[2...].allSatisfy { $0.problem?.code == "page-not-found" })
            // The message leaves out the port, which differs between workers.
            #expect(
                results[6].problem?.message
                    == "/absent.html (scenes.yaml:8) was not found (status 404)."
            )
            var routed = stage
            routed.settings.serve?.fallback = "index.html"
            #expect(try await routed.run(["s/route"])[0].picture == results[0].picture)
        }
    }

    @Test("a page waits until the network is silent, requests of its scripts among it")
    func network() async throws {
        let page =
            "<body><script>setTimeout(async () => { await fetch('/a.txt'); "
            + "setTimeout(async () => { await fetch('/a.txt'); \(Self.red) }, 200) }, 100)</script>"
        try await withStage(
            pages: ["site/done.html": Self.done, "site/a.html": page, "site/a.txt": "x"],
            scenes: """
                  - {suite: s, name: done, url: /done.html}
                  - {suite: s, name: a, url: /a.html, wait: {network: 600ms}}

                """,
            settings: Self.command(Self.python)
        ) { stage in
            let results = try await stage.run(["s/done", "s/a"])
            #expect(try results[0].picture == results[1].picture)
        }
    }

    @Test("a page that is never silent is not captured, and the error says what it waited for")
    func neverSilent() async throws {
        let page = "<body><script>setInterval(() => fetch('/a.txt?' + Math.random()), 50)</script>"
        try await withStage(
            pages: ["site/a.html": page, "site/a.txt": "x", "site/done.html": Self.done],
            scenes: """
                  - {suite: s, name: a, url: /a.html, wait: {network: 300ms}}
                  - {suite: s, name: done, url: /done.html, wait: {network: 300ms}}

                """,
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: "site")
            )
        ) { stage in
            let results = try await stage.run(["s/a", "s/done"], seconds: 5)
            #expect(results[0].problem?.code == "wait-timed-out")
            let message = results[0].problem?.message ?? ""
            #expect(message.contains("the network was never silent for 300 ms"), "\(message)")
            #expect(results[0].captures.isEmpty && results[1].ending == .passed)
        }
    }

    @Test("a download is refused, and its scene errs or goes on")
    func downloads() async throws {
        let linked =
            "<body><a id=get href=/file.zip download>get</a><script>"
            + "get.onclick = () => \(Self.red)</script>"
        try await withStage(
            pages: [
                "site/a.html": linked,
                "site/done.html": "<body style='background: red'><a>get</a>",
            ],
            scenes: """
                  - {suite: s, name: clicked, url: /a.html, mask: [a], steps: [{click: "#get"}]}
                  - {suite: s, name: opened, url: /file.zip}
                  - {suite: s, name: done, url: /done.html, mask: [a]}

                """,
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: "site")
            )
        ) { stage in
            try stage.folder.write("site/file.zip", "PK")
            let results = try await stage.run(["s/clicked", "s/opened", "s/done"], seconds: 8)
            #expect(try results[0].picture == results[2].picture)
            #expect(results[1].problem?.code == "page-error", "\(results[1].ending)")
            let files = FileManager.default.enumerator(atPath: stage.folder.path)
            let zips = files?.compactMap { $0 as? String }.filter { $0.hasSuffix(".zip") }
            #expect(zips == ["site/file.zip"])
        }
    }
}

@Suite("the axes of web pages")
struct WebDriverAxesTests {
    private func check(
        _ variant: [String: String],
        _ scenes: String,
        others: [[String: String]] = [],
        stories: Bool = false
    ) async throws -> WebDriverError? {
        let settings = WebDriverSettings(
            scenes: "scenes.yaml",
            storybook: stories ? "static" : nil
        )
        let stage = try Stage(pages: ["a.html": ""], scenes: scenes, settings: settings)
        try stage.folder.write("static/index.json", #"{"entries": {}}"#)
        do {
            var job = stage.job(Stage.cell(Stage.phone, variant))
            job.cells += others.map { Stage.cell(Stage.phone, $0) }
            _ = try await stage.driver.discover(
                job: job,
                workTree: stage.folder.path,
                scratch: stage.folder.path
            )
            return nil
        } catch let error as WebDriverError {
            return error
        }
    }

    private let plain = "  - {suite: s, name: a, file: a.html}\n"

    @Test(
        "what no page can see is an error with a suggestion",
        .enabled(if: Chromium.isInstalled, Chromium.absence),
        arguments: [
            (["apearance": "dark"], "unknown-axis", "Did you mean appearance?"),
            (["appearance": "drak"], "unknown-value", "Did you mean dark?"),
            (["orientation": "sideways"], "unknown-value", "Known: portrait, landscape."),
            (["locale": "<script>"], "unknown-value", "Known: languages such as"),
            (["theme": "dim"], "unknown-axis", "write `{theme}` into"),
        ]
    )
    func unknown(variant: [String: String], code: String, remedy: String) async throws {
        let others = [variant.mapValues { $0 + "2" }]
        let error = try await check(variant, plain, others: others)
        #expect(error?.code == code)
        #expect(error?.remedy.contains(remedy) == true, "\(error?.remedy ?? "none")")
    }

    @Test(
        "an axis of one's own is taken where pages are told of it",
        .enabled(if: Chromium.isInstalled, Chromium.absence)
    )
    func own() async throws {
        let used = "  - {suite: s, name: a, file: \"a.html?t={theme}\"}\n"
        let others = [["theme": "bright"]]
        #expect(try await check(["theme": "dim"], used, others: others) == nil)
        #expect(try await check(["theme": "dim"], plain, others: others, stories: true) == nil)
        // The axis exists for other jobs of the pipeline, and this run is narrowed to one of its
        // values.
        #expect(try await check(["theme": "dim"], plain) == nil)
        let near = try await check(["apearance": "dark"], plain, stories: true)
        #expect(near?.code == "unknown-axis")
        let all = ["appearance": "dark", "locale": "pt_BR", "orientation": "landscape"]
        #expect(try await check(all, plain) == nil)
    }
}
