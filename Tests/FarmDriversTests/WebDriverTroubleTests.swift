// Tests of misbehaving pages and browsers, and of the isolation of scenes.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    func withStage(
        pages: [String: String] = [:],
        scenes: String,
        settings: WebDriverSettings = WebDriverSettings(scenes: "scenes.yaml"),
        _ body: (Stage) async throws -> Void
    ) async throws {
        let stage = try Stage(pages: pages, scenes: scenes, settings: settings)
        do {
            try await body(stage)
        } catch {
            await stage.driver.shutDown()
            throw error
        }
        await stage.driver.shutDown()
    }

    @Test("what a page stores is not seen by the next scene, nor an old file by a warm browser")
    func isolation() async throws {
        let page = """
            <link rel=stylesheet href=a.css><body><script>
            document.body.append(localStorage.seen ?? 'first'); localStorage.seen = 'again';
            </script>
            """
        try await withStage(
            pages: ["a.html": page],
            scenes: "  - {suite: s, name: a, file: a.html}\n"
        ) { stage in
            try stage.folder.write("a.css", "body { background: white }")
            let twice = try await stage.run(["s/a", "s/a"])
            #expect(try twice[0].picture == twice[1].picture)
            try stage.folder.write("a.css", "body { background: gold }")
            let changed = try await stage.run(["s/a"])
            #expect(try changed[0].picture != twice[0].picture)
        }
    }

    @Test("missing pages are errored as such: a file, a status of 404, a server that is not there")
    func missingPages() async throws {
        let site = try TemporaryFolder("site")
        try site.write("index.html", "<p>here")
        let server = ChildProcess(
            executable: "python3",
            arguments: ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
            folder: site.path
        )
        let (ports, found) = AsyncStream<String>.makeStream()
        try await server.withRunning(
            onOutput: { _, bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                if let port = text.firstMatch(of: /port ([0-9]+)/) { found.yield(String(port.1)) }
            },
            body: { _ in
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                let scenes = """
                      - {suite: s, name: here, url: "http://127.0.0.1:\(port)/index.html"}
                      - {suite: s, name: status, url: "http://127.0.0.1:\(port)/nothing.html"}
                      - {suite: s, name: file, file: nothing.html}
                      - {suite: s, name: closed, url: "http://user:s3cret@127.0.0.1:1/"}

                    """
                try await withStage(scenes: scenes) { stage in
                    let results = try await stage.run(["s/here", "s/status", "s/file", "s/closed"])
                    #expect(
                        results.map { $0.problem?.code } == [
                            nil, "page-not-found", "page-not-found", "page-error",
                        ]
                    )
                    #expect(results[1].problem?.message.contains("404") == true)
                    #expect(
                        results[3].problem?.message
                            == "http://***@127.0.0.1:1/ (scenes.yaml:5) could not be shown: "
                            + "net::ERR_UNSAFE_PORT."
                    )
                }
            }
        )
    }

    @Test("a page that hangs is ended at its limit, and the next scene is captured")
    func hanging() async throws {
        let scenes = """
              - {suite: s, name: loop, file: loop.html}
              - {suite: s, name: later, file: later.html}
              - {suite: s, name: good, file: good.html}

            """
        try await withStage(
            pages: [
                "loop.html": "<body><script>while (true) {}</script>",
                "later.html": "<body><script>setTimeout(() => { while (true) {} }, 1)</script>",
                "good.html": "<body>good",
            ],
            scenes: scenes
        ) { stage in
            let hung = try await stage.run(["s/loop", "s/later"], seconds: 1.5)
            #expect(hung.map { $0.problem?.code } == ["test-timed-out", "test-timed-out"])
            let good = try await stage.run(["s/good"])
            #expect(good.first?.ending == .passed)
        }
    }

    @Test("what a page's script threw stands beside what is missing on the page")
    func thrown() async throws {
        let pages = [
            "thrown.html": "<body><script>const user = undefined; user.name</script>",
            "rejected.html": "<body><script>Promise.reject('no\\nnetwork')</script>",
            "odd.html": "<body><script>throw {toString() { throw 1 }}</script>",
        ]
        try await withStage(
            pages: pages,
            scenes: """
                  - {suite: s, name: thrown, file: thrown.html, wait: {selector: "#a"}}
                  - {suite: s, name: rejected, file: rejected.html, element: "#a"}
                  - {suite: s, name: odd, file: odd.html, element: "#a"}

                """
        ) { stage in
            let results = try await stage.run(["s/thrown", "s/rejected", "s/odd"], seconds: 4)
            #expect(
                results.map { $0.problem?.message } == [
                    "the page had no element \"#a\" within 3.2 s after it had loaded. A script "
                        + "of the page threw: TypeError: Cannot read properties of undefined "
                        + "(reading 'name').",
                    "the page has no visible element \"#a\". A script of the page threw: no.",
                    "the page has no visible element \"#a\".",
                ]
            )
        }
    }

    @Test("a page that lies about the size of an element errs its scene, and the next is captured")
    func liar() async throws {
        for size in [
            "width: 1e300, height: 1e-300", "width: -1e300, height: 1", "width: 1e9, height: 1e9",
        ] {
            let page = """
                <body><p id=a>a<script>
                Element.prototype.getBoundingClientRect = () =>
                  ({left: 0, top: 0, right: 0, bottom: 0, \(size),
                    get right() { return this.width }, get bottom() { return this.height }});
                </script>
                """
            try await withStage(
                pages: ["liar.html": page, "good.html": "<body>good"],
                scenes: """
                      - {suite: s, name: liar, file: liar.html, element: "#a"}
                      - {suite: s, name: good, file: good.html}

                    """
            ) { stage in
                let results = try await stage.run(["s/liar", "s/good"])
                #expect(results.first?.problem?.code == "element-too-large", "\(size)")
                #expect(results.last?.ending == .passed)
            }
        }
    }

    @Test("a shard whose time is over begins no other scene")
    func shardTime() async throws {
        try await withStage(
            pages: ["a.html": "<body>a"],
            scenes: "  - {suite: s, name: a, file: a.html}\n"
        ) { stage in
            let late = try await stage.run(["s/a"], shardSeconds: 0)
            #expect(late.isEmpty)
            let inTime = try await stage.run(["s/a"])
            #expect(inTime.count == 1)
        }
    }

    @Test(
        "a browser that was killed is replaced without a word of the scene",
        arguments: ["chromedriver", "headless"]
    )
    func killed(program: String) async throws {
        try await withStage(
            pages: ["a.html": "<body>a"],
            scenes: "  - {suite: s, name: a, file: a.html}\n"
        ) { stage in
            let before = try await stage.run(["s/a"])
            try await stage.kill(program)
            let after = try await stage.run(["s/a"])
            #expect(try before.first?.picture == after.first?.picture)
        }
    }

    @Test("a cancelled shard leaves no browser behind")
    func cancelled() async throws {
        try await withStage(
            pages: ["a.html": "<body>a", "loop.html": "<body><script>while (true) {}</script>"],
            scenes: """
                  - {suite: s, name: a, file: a.html}
                  - {suite: s, name: loop, file: loop.html}

                """
        ) { stage in
            _ = try await stage.run(["s/a"])
            #expect(try await stage.browsers() > 0)
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await stage.run(["s/loop"]) }
                try? await Task.sleep(for: .milliseconds(100))
                group.cancelAll()
            }
            #expect(try await stage.browsers() == 0)
        }
    }

    // Scripts at the end of the body add texts and icons to the demo's pages, sometimes before
    // their first paint and sometimes after it. Without `--disable-partial-raster` the pictures
    // differ.
    @Test("two browsers draw the same bytes, whenever a page changed after its first paint")
    func determinism() async throws {
        let phone = Device(name: "iPhone 8", os: "13.1", width: 375, height: 667, scale: 2)
        let demo = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../pipelines/wallet/app").standardizedFileURL
        var pictures: [[Data]] = []
        for _ in 0..<2 {
            try await withStage(
                scenes: """
                      - {suite: s, name: home, file: app/home.html}
                      - {suite: s, name: scan, file: app/scan.html}

                    """
            ) { stage in
                let copy = URL(fileURLWithPath: stage.folder.file("app"))
                try FileManager.default.copyItem(at: demo, to: copy)
                for _ in 0..<5 {
                    let cell = Stage.cell(phone, ["appearance": "dark"])
                    let results = try await stage.run(["s/home", "s/scan"], on: cell)
                    pictures.append(try results.map { try $0.picture })
                }
            }
        }
        #expect(pictures.count == 10)
        #expect(Set(pictures).count == 1)
    }

    @Test("the renderer is told the same way twice, with browser, flags and fonts")
    func renderer() async throws {
        let environment = ProcessInfo.processInfo.environment
        let first = await WebDriverDriver(environment: environment).renderer()
        let second = await WebDriverDriver(environment: environment).renderer()
        #expect(first == second)
        #expect(first.keys.sorted() == ["architecture", "browser", "flags", "fonts", "os"])
        #expect(first["browser"]?.contains("headless-shell") == true)
        #expect(first["fonts"] != "unknown")
    }
}
