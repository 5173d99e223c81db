// Tests of scenes in a real browser: sizes, languages, readiness, and pages that misbehave.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite(
    "scenes in Chromium",
    .serialized,
    .enabled(if: Chromium.isInstalled, Chromium.absence)
)
struct WebDriverDriverTests {
    @Test("discovery lists the scenes as suite/name")
    func discovery() async throws {
        let stage = try Stage(
            pages: ["a.html": "", "b.html": ""],
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

    @Test("scenes whose pages are not there, and no scenes, are said before anything is captured")
    func absentPages() async throws {
        let stage = try Stage(
            pages: ["a.html": ""],
            scenes: """
                  - {suite: Home, name: a, file: a.html}
                  - {suite: Home, name: b, file: b.html?x=1}
                  - {suite: Home, name: c, file: b.html?x=2}
                """
        )
        func discover() async throws {
            _ = try await stage.driver.discover(
                job: stage.job(Stage.cell()),
                workTree: stage.folder.path,
                scratch: stage.folder.path
            )
        }
        await #expect(throws: WebDriverError.pagesMissing(["b.html (scenes.yaml:3)"])) {
            try await discover()
        }
        try stage.folder.write("scenes.yaml", "")
        await #expect(throws: DocumentErrors.self) { try await discover() }
        try FileManager.default.removeItem(atPath: stage.folder.file("scenes.yaml"))
        try stage.folder.write("scenes.yaml/a.html", "")
        await #expect(
            throws: WebDriverError.scenesUnreadable(path: stage.folder.file("scenes.yaml"))
        ) { try await discover() }
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

    @Test("a page sees the appearance, language and time zone of its cell")
    func environment() async throws {
        let conditions = [
            "dark": "matchMedia('(prefers-color-scheme: dark)').matches",
            "light": "matchMedia('(prefers-color-scheme: light)').matches",
            "japanese": """
            navigator.language === 'ja-JP' && navigator.languages[1] === 'ja' &&
            Intl.DateTimeFormat().resolvedOptions().locale === 'ja-JP'
            """,
            "portuguese": """
            navigator.language === 'pt-PT' &&
            Intl.NumberFormat().resolvedOptions().locale === 'pt-PT'
            """,
            "tokyo": "new Date(0).getHours() === 9",
            "touch": "matchMedia('(pointer: coarse)').matches && innerWidth === 120",
        ]
        var pages = ["no.html": "<body>", "yes.html": "<body style='background: red'>"]
        var scenes =
            "  - {suite: s, name: no, file: no.html}\n  - {suite: s, name: yes, file: yes.html}\n"
        for (name, condition) in conditions {
            pages["\(name).html"] =
                "<body><script>if (\(condition)) document.body.style.background = 'red'</script>"
            scenes += "  - {suite: s, name: \(name), file: \(name).html}\n"
        }
        try await withStage(pages: pages, scenes: scenes) { stage in
            func seen(_ variant: [String: String], timeZone: String) async throws -> [String] {
                let names = ["no", "yes"] + conditions.keys.sorted()
                let pictures = try await stage.run(
                    names.map { "s/\($0)" },
                    on: Stage.cell(Stage.phone, variant),
                    timeZone: timeZone
                ).map { try $0.picture }
                #expect(pictures.allSatisfy(pictures.prefix(2).contains))
                return zip(names, pictures).filter { $0.1 == pictures[1] }.map(\.0)
            }
            let plain = try await seen([:], timeZone: "UTC")
            #expect(plain == ["yes", "light", "touch"])
            let dark = try await seen(
                ["appearance": "dark", "locale": "ja"],
                timeZone: "Asia/Tokyo"
            )
            #expect(dark == ["yes", "dark", "japanese", "tokyo", "touch"])
            let full = try await seen(["locale": "pt_PT"], timeZone: "UTC")
            #expect(full == ["yes", "light", "portuguese", "touch"])
        }
    }

    @Test("a page is captured when its condition holds, and errored when it never does")
    func wait() async throws {
        let late =
            "<body><script>setTimeout(() => { const p = document.createElement('p'); "
            + "p.id = 'ready'; p.textContent = 'ready'; document.body.append(p) }, 300)</script>"
        let scenes = """
              - {suite: s, name: never, file: late.html, wait: {selector: "#no"}}
              - {suite: s, name: soon, file: late.html, wait: {selector: "#ready"}}
              - {suite: s, name: function, file: late.html,
                 wait: {function: "() => document.querySelector('p')"}}
              - {suite: s, name: value, file: late.html,
                 wait: {function: "document.querySelector('p')"}}
              - {suite: s, name: time, file: late.html, wait: {milliseconds: 600}}
              - {suite: s, name: static, file: static.html}
              - {suite: s, name: wrong, file: late.html, wait: {function: "() => {"}}
              - {suite: s, name: throws, file: late.html, wait: {function: "window.app.ready"}}

            """
        try await withStage(
            pages: ["late.html": late, "static.html": "<body><p id=ready>ready"],
            scenes: scenes
        ) { stage in
            let names = ["soon", "function", "value", "time", "static"].map { "s/\($0)" }
            let pictures = try await stage.run(names).map { try $0.picture }
            #expect(pictures.count == 5)
            #expect(Set(pictures).count == 1)
            let never = try await stage.run(["s/wrong", "s/throws", "s/never"], seconds: 4)
            #expect(
                never.map { $0.problem?.code } == ["page-error", "page-error", "wait-timed-out"]
            )
            #expect(
                never.map { $0.problem?.message } == [
                    "what the scene asks of the page failed: SyntaxError: Unexpected token ')'.",
                    "the function of `wait` threw TypeError: Cannot read properties of undefined "
                        + "(reading 'ready').",
                    "the page had no element \"#no\" within 3.2 s after it had loaded.",
                ]
            )
        }
    }

    @Test("animations, carets and focus leave no trace")
    func stillness() async throws {
        let pages = [
            "moving.html": """
            <style>@keyframes spin { from { rotate: 0deg } to { rotate: 360deg } }
            @keyframes show { from { opacity: 0 } to { opacity: 1 } }
            #a { animation: spin 0.7s linear infinite }
            #b { animation: show 9s forwards; opacity: 0 }
            div { width: 20px; height: 20px; background: teal }</style>
            <body><input autofocus value=x><div id=a></div><div id=b></div>
            """,
            "still.html": """
            <style>div { width: 20px; height: 20px; background: teal }</style>
            <body><input value=x><div></div><div></div>
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

    @Test("no pointer is over the first scene of a fresh browser")
    func pointer() async throws {
        let hover = ":is(html, body):hover { background: red }"
        let script =
            "addEventListener('pointermove', () => document.body.style.background = 'blue')"
        func page(_ style: String) -> String {
            "<style>\(style) html, body { margin: 0; height: 100% }</style><body>"
                + "<script>\(script)</script>"
        }
        let scenes = """
              - {suite: s, name: hover, file: hover.html}
              - {suite: s, name: plain, file: plain.html}

            """
        for _ in 1...3 {
            try await withStage(
                pages: ["hover.html": page(hover), "plain.html": page("")],
                scenes: scenes
            ) { stage in
                let tests = ["s/hover", "s/plain"]
                let pictures = try await stage.run(tests).map { try $0.picture }
                #expect(pictures.count == tests.count)
                #expect(Set(pictures).count == 1)
            }
        }
    }

    @Test("a mask paints over what differs, and nothing else")
    func mask() async throws {
        func page(_ text: String) -> String {
            """
            <style>p { width: 60px; height: 20px; overflow: hidden }</style>
            <body><p class=clock>\(text)</p>rest
            """
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
