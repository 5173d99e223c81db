// Scenes in a real browser: sizes, languages, readiness, and pages that misbehave.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

@Suite(
    "scenes in Chromium",
    .serialized,
    .enabled(if: Chromium.isInstalled, Chromium.absence)
)
struct WebDriverDriverTests {
    private func withStage(
        pages: [String: String] = [:],
        scenes: String,
        _ body: (Stage) async throws -> Void
    ) async throws {
        let stage = try Stage(pages: pages, scenes: scenes)
        do {
            try await body(stage)
        } catch {
            await stage.driver.shutDown()
            throw error
        }
        await stage.driver.shutDown()
    }

    @Test("discovery lists the scenes as suite/name")
    func discovery() async throws {
        let stage = try Stage(
            scenes: """
                  - {suite: Home, name: b, file: b.html}
                  - {suite: Home, name: a, file: a.html}
                """
        )
        let found = try await stage.driver.discover(
            job: stage.job(Stage.cell()),
            workTree: stage.folder.path,
            scratch: stage.folder.path
        )
        #expect(found.tests == [TestID("Home/b"), TestID("Home/a")])
        await #expect(throws: WebDriverError.deviceMissing(job: "pictures")) {
            try await stage.driver.discover(
                job: stage.job(.host),
                workTree: stage.folder.path,
                scratch: stage.folder.path
            )
        }
    }

    @Test("a capture has exactly points × scale pixels, at any scale and orientation")
    func sizes() async throws {
        try await withStage(
            pages: ["a.html": "<p>size"],
            scenes: "  - {suite: s, name: a, file: a.html}\n"
        ) { stage in
            let phone = Device(name: "iPhone 8", os: "13.1", width: 375, height: 667, scale: 2)
            let kiosk = Device(name: "Kiosk", width: 800, height: 1_280, scale: 1.5)
            for cell in [
                Stage.cell(phone), Stage.cell(phone, ["orientation": "landscape"]),
                Stage.cell(kiosk),
            ] {
                let result = try #require(try await stage.run(["s/a"], on: cell).first)
                #expect(result.ending == .passed)
                #expect(header(try result.picture) == cell.pixels)
            }
        }
    }

    private func header(_ png: Data) -> PixelSize? {
        let bytes = [UInt8](png.prefix(24))
        guard bytes.count == 24 else { return nil }
        let numbers = [16, 20].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        return PixelSize(width: numbers[0], height: numbers[1])
    }

    /// Captures two pages on two cells and expects all equal but the first page on the second.
    private func expectSeen(
        _ script: String,
        plain: [String: String],
        other: [String: String],
        timeZone: String = "UTC"
    ) async throws {
        try await withStage(
            pages: [
                "a.html":
                    "<body><script>if (\(script)) document.body.style.background = 'red'</script>"
            ],
            scenes: "  - {suite: s, name: a, file: a.html}\n"
        ) { stage in
            let first = try await stage.run(["s/a"], on: Stage.cell(Stage.phone, plain))
            let second = try await stage.run(
                ["s/a"],
                on: Stage.cell(Stage.phone, other),
                timeZone: timeZone
            )
            #expect(try first.first?.picture != second.first?.picture)
        }
    }

    @Test("a page sees the appearance of its cell")
    func appearance() async throws {
        try await expectSeen(
            "matchMedia('(prefers-color-scheme: dark)').matches",
            plain: ["appearance": "light"],
            other: ["appearance": "dark"]
        )
    }

    @Test("a page sees the language of its cell in navigator and in Intl")
    func language() async throws {
        try await expectSeen(
            """
            navigator.language === 'ja-JP' && navigator.languages[1] === 'ja'
              && Intl.DateTimeFormat().resolvedOptions().locale === 'ja-JP'
            """,
            plain: ["locale": "en"],
            other: ["locale": "ja"]
        )
        try await expectSeen(
            "navigator.language === 'pt-PT' && Intl.NumberFormat().resolvedOptions().locale === 'pt-PT'",
            plain: ["locale": "pt"],
            other: ["locale": "pt_PT"]
        )
    }

    @Test("a page sees the time zone of its job")
    func timeZone() async throws {
        try await expectSeen(
            "new Date(0).getHours() === 9",
            plain: [:],
            other: [:],
            timeZone: "Asia/Tokyo"
        )
    }

    @Test("a page is captured when its condition holds, and errored when it never does")
    func wait() async throws {
        let late =
            "<body><script>setTimeout(() => { const p = document.createElement('p'); "
            + "p.id = 'ready'; p.textContent = 'ready'; document.body.append(p) }, 300)</script>"
        let scenes = """
              - {suite: s, name: never, file: late.html, wait: {selector: "#no"}}
              - {suite: s, name: soon, file: late.html, wait: {selector: "#ready"}}
              - {suite: s, name: function, file: late.html, wait: {function: "() => document.querySelector('p')"}}
              - {suite: s, name: value, file: late.html, wait: {function: "document.querySelector('p')"}}
              - {suite: s, name: time, file: late.html, wait: {milliseconds: 600}}
              - {suite: s, name: static, file: static.html}
              - {suite: s, name: wrong, file: late.html, wait: {function: "() => {"}}

            """
        try await withStage(
            pages: ["late.html": late, "static.html": "<body><p id=ready>ready"],
            scenes: scenes
        ) { stage in
            let names = ["soon", "function", "value", "time", "static"].map { "s/\($0)" }
            let pictures = try await stage.run(names).map { try $0.picture }
            #expect(pictures.count == 5)
            #expect(Set(pictures).count == 1)
            let never = try await stage.run(["s/never", "s/wrong"], seconds: 2)
            #expect(never.map { $0.problem?.code } == ["wait-timed-out", "page-error"])
        }
    }

    @Test("animations, carets and focus leave no trace")
    func stillness() async throws {
        let pages = [
            "moving.html": """
            <style>@keyframes spin { from { rotate: 0deg } to { rotate: 360deg } }
            @keyframes show { from { opacity: 0 } to { opacity: 1 } }
            #a { animation: spin 0.7s linear infinite } #b { animation: show 9s forwards; opacity: 0 }
            div { width: 20px; height: 20px; background: teal }</style>
            <body><div id=a></div><div id=b></div><input autofocus value=x>
            """,
            "still.html": """
            <style>div { width: 20px; height: 20px; background: teal }</style>
            <body><div></div><div></div><input value=x>
            """,
        ]
        let scenes = """
              - {suite: s, name: moving, file: moving.html}
              - {suite: s, name: still, file: still.html}

            """
        try await withStage(pages: pages, scenes: scenes) { stage in
            let pictures = try await stage.run(["s/moving", "s/still"]).map { try $0.picture }
            #expect(pictures.count == 2)
            #expect(Set(pictures).count == 1)
        }
    }

    @Test("a mask paints over what differs, and nothing else")
    func mask() async throws {
        func page(_ text: String) -> String {
            "<body><p class=clock style='width: 60px; height: 20px; overflow: hidden'>\(text)</p>rest"
        }
        let scenes = """
              - {suite: s, name: a, file: a.html, mask: [.clock]}
              - {suite: s, name: b, file: b.html, mask: [.clock]}
              - {suite: s, name: plain, file: a.html}
              - {suite: s, name: wrong, file: a.html, mask: ["]"]}

            """
        try await withStage(
            pages: ["a.html": page("12:30"), "b.html": page("18:59")],
            scenes: scenes
        ) { stage in
            let results = try await stage.run(["s/a", "s/b", "s/plain", "s/wrong"])
            #expect(try results[0].picture == results[1].picture)
            #expect(try results[0].picture != results[2].picture)
            #expect(results[3].problem?.code == "page-error")
        }
    }

    @Test("an element is captured alone, wherever it is on the page")
    func element() async throws {
        let box = "<div id=box style='width: 50px; height: 30px; background: navy'></div>"
        let scenes = """
              - {suite: s, name: top, file: top.html, element: "#box"}
              - {suite: s, name: deep, file: deep.html, element: "#box"}
              - {suite: s, name: none, file: top.html, element: "#nothing"}

            """
        try await withStage(
            pages: [
                "top.html": "<body>" + box,
                "deep.html": "<body><div style='height: 900px'></div>" + box,
            ],
            scenes: scenes
        ) { stage in
            let results = try await stage.run(["s/top", "s/deep", "s/none"])
            #expect(header(try results[0].picture) == PixelSize(width: 100, height: 60))
            #expect(try results[0].picture == results[1].picture)
            #expect(results[2].problem?.code == "element-missing")
        }
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
                      - {suite: s, name: closed, url: "http://127.0.0.1:1/"}

                    """
                try await withStage(scenes: scenes) { stage in
                    let results = try await stage.run(["s/here", "s/status", "s/file", "s/closed"])
                    #expect(
                        results.map { $0.problem?.code } == [
                            nil, "page-not-found", "page-not-found", "page-error",
                        ]
                    )
                    #expect(results[1].problem?.message.contains("404") == true)
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
            let results = try await stage.run(["s/loop", "s/later", "s/good"], seconds: 3)
            #expect(results.map { $0.problem?.code } == ["test-timed-out", "test-timed-out", nil])
        }
    }

    @Test("a browser that was killed is replaced without a word of the scene")
    func killed() async throws {
        try await withStage(
            pages: ["a.html": "<body>a"],
            scenes: "  - {suite: s, name: a, file: a.html}\n"
        ) { stage in
            let before = try await stage.run(["s/a"])
            try await stage.killBrowsers()
            let after = try await stage.run(["s/a"])
            #expect(try before.first?.picture == after.first?.picture)
        }
    }

    @Test("two browsers draw the same bytes")
    func determinism() async throws {
        let page = """
            <body style="font: 15px 'Noto Sans CJK JP', sans-serif"><b>残高 ¥128,450</b>
            <p style="background: linear-gradient(135deg, navy, teal)">Wallet</p>
            <canvas id=c width=60 height=30></canvas><script>
            const pen = c.getContext('2d'); pen.font = '13px sans-serif'; pen.fillText('canvas', 3, 20);
            </script>
            """
        var pictures: [Data] = []
        for _ in 0..<2 {
            try await withStage(
                pages: ["a.html": page],
                scenes: "  - {suite: s, name: a, file: a.html}\n"
            ) { stage in
                let tests = Array(repeating: "s/a", count: 10)
                pictures += try await stage.run(tests).map { try $0.picture }
            }
        }
        #expect(pictures.count == 20)
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

@Suite("a machine without Chromium")
struct WebDriverAbsenceTests {
    @Test("is told the one command that installs it")
    func missing() async throws {
        let folder = try TemporaryFolder()
        let driver = WebDriverDriver(environment: ["SNAPFARM_CHROMIUM": folder.file("none")])
        let job = Job(
            name: JobName("j"),
            kind: .snapshot,
            driver: .webdriver(WebDriverSettings(scenes: "scenes.yaml"))
        )
        let error = await #expect(throws: WebDriverError.self) {
            try await driver.discover(job: job, workTree: folder.path, scratch: folder.path)
        }
        #expect(error?.exit == .configuration)
        #expect(
            error?.remedy.contains(
                "apt-get install -y chromium-driver chromium-headless-shell fonts-noto-cjk"
            ) == true
        )
        #expect(await driver.renderer().isEmpty)
    }
}
