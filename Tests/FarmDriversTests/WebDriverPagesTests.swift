// Tests of whole pages, steps, stored data of pages, and their clock, in a real browser.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    /// A script that turns the page red after an event; `done.html` is red from the start.
    private static let red = "document.body.style.background = 'red'"
    private static let done = "<body style='background: red'>"

    private func size(_ result: TestResult) throws -> PixelSize {
        let bytes = [UInt8](try result.picture.prefix(24))
        let numbers = [16, 20].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        return PixelSize(width: numbers[0], height: numbers[1])
    }

    @Test("a whole page is captured to its end, with what is loaded when it comes into view")
    func fullPage() async throws {
        let tall = "<body style='margin: 0'><div style='height: 300px'></div>"
        let lazy =
            tall + "<div id=end style='height: 50px'></div><script>"
            + "new IntersectionObserver((seen) => { if (seen[0].isIntersecting) "
            + "document.getElementById('end').style.background = 'red' })"
            + ".observe(document.getElementById('end'))</script>"
        let scenes = """
              - {suite: s, name: lazy, file: lazy.html, fullPage: true}
              - {suite: s, name: drawn, file: drawn.html, fullPage: true}
              - {suite: s, name: short, file: short.html, fullPage: true}
              - {suite: s, name: screen, file: drawn.html}
              - {suite: s, name: part, file: drawn.html, element: "#end"}

            """
        let pages = [
            "lazy.html": lazy, "short.html": "<body>short",
            "drawn.html": tall + "<div id=end style='height: 50px; background: red'></div>",
        ]
        try await withStage(pages: pages, scenes: scenes) { stage in
            let names = ["lazy", "drawn", "short", "screen", "part"].map { "s/\($0)" }
            let results = try await stage.run(names)
            #expect(
                try results.map(size) == [
                    PixelSize(width: 240, height: 700), PixelSize(width: 240, height: 700),
                    PixelSize(width: 240, height: 160), PixelSize(width: 240, height: 160),
                    PixelSize(width: 240, height: 100),
                ]
            )
            #expect(try results[0].picture == results[1].picture)
            // Only the picture of the screen cuts something off unasked.
            #expect(
                results.map { $0.captures.first?.pixelsBelow } == [nil, nil, nil, 540, nil]
            )
        }
    }

    @Test("the job says what counts for scenes that do not say whether the whole page is captured")
    func fullPageOfJob() async throws {
        try await withStage(
            pages: ["a.html": "<body style='margin: 0'><div style='height: 300px' id=x></div>"],
            scenes: """
                  - {suite: s, name: whole, file: a.html}
                  - {suite: s, name: screen, file: a.html, fullPage: false}
                  - {suite: s, name: element, file: a.html, element: "#x"}

                """,
            settings: WebDriverSettings(scenes: "scenes.yaml", fullPage: true)
        ) { stage in
            let results = try await stage.run(["s/whole", "s/screen", "s/element"])
            #expect(try results.map(size).map(\.height) == [600, 160, 600])
        }
    }

    @Test(
        "a page that is too long for one picture is cut after whole screens, and a note says where"
    )
    func cut() async throws {
        let endless =
            "<body><script>addEventListener('scroll', () => { const more = "
            + "document.createElement('div'); more.style.height = '30000px'; "
            + "document.body.append(more) })</script><div style='height: 300px'></div>"
        let stage = try Stage(
            pages: [
                "tall.html": "<body style='margin: 0'><div style='height: 3000px'></div>",
                "endless.html": endless, "fits.html": "<body style='margin: 0; height: 800px'>",
            ],
            scenes: """
                  - {suite: s, name: tall, file: tall.html, fullPage: true}
                  - {suite: s, name: endless, file: endless.html, fullPage: true}
                  - {suite: s, name: fits, file: fits.html, fullPage: true}

                """,
            // Ten and a half screens.
            pixelsMax: 240 * 1680
        )
        let results = try await stage.run(["s/tall", "s/endless", "s/fits"])
        await stage.driver.shutDown()
        #expect(try results.map(size).map(\.height) == [1600, 1600, 1600])
        let captures = results.compactMap(\.captures.first)
        #expect(captures[0].pixelsBelow == 4400)
        #expect(
            captures[0].note
                == "the page is cut at 1600 of its 6000 pixels of height: capture the rest by scenes "
                + "with an `element`."
        )
        #expect(captures[1].pixelsBelow ?? 0 > 50_000)
        #expect(captures[1].note?.hasPrefix("the page is cut at 1600 of its ") == true)
        #expect(captures[2].pixelsBelow == nil && captures[2].note == nil)
    }

    /// Pages that turn red after each step has taken effect.
    private static let steps: [(name: String, page: String, steps: String)] = [
        (
            "click",
            "<button id=a>x</button><script>a.onclick = () => { \(red); a.remove() }</script>",
            "[{click: \"#a\"}]"
        ),
        (
            "late",
            "<script>setTimeout(() => { const a = document.createElement('button'); a.id = 'a';"
                + "a.textContent = 'x'; a.onclick = () => { \(red); a.remove() }; "
                + "document.body.append(a) }, 300)</script>", "[{click: \"#a\"}]"
        ),
        (
            "far",
            "<div style='height: 900px' id=d></div><button id=a>x</button>"
                + "<script>a.onclick = () => { \(red); a.remove(); d.remove() }</script>",
            "[{click: \"#a\"}]"
        ),
        (
            "hover",
            "<style>body:has(#a:hover) { background: red } #a:hover { opacity: 0 }</style>"
                + "<button id=a>x</button>", "[{hover: \"#a\"}]"
        ),
        (
            "type",
            "<input id=a><script>a.oninput = () => { if (a.value === 'Ann é日') "
                + "{ \(red); a.remove() } }</script>", "[{type: {into: \"#a\", text: \"Ann é日\"}}]"
        ),
        (
            "key",
            "<input id=a><script>a.onkeydown = (e) => { if (e.key === 'Enter') "
                + "{ \(red); a.remove() } }</script>", "[{click: \"#a\"}, {key: Enter}]"
        ),
        (
            "scroll",
            "<div id=d style='height: 500px'></div><p id=a>x"
                + "<script>onscroll = () => { \(red); d.remove(); a.remove() }</script>",
            "[{scroll: \"#a\"}]"
        ),
        (
            "points",
            "<div id=d style='height: 500px'></div>"
                + "<script>onscroll = () => { if (scrollY === 200) { \(red); d.remove() } }</script>",
            "[{scroll: 200}]"
        ),
        (
            "wait", "<script>setTimeout(() => { \(red) }, 400)</script>",
            "[{wait: {function: \"document.body.style.background\"}}]"
        ),
        (
            "dialog",
            "<button id=a>x</button><script>a.onclick = () => { "
                + "if (!confirm('sure?')) { \(red); a.remove() } }</script>", "[{click: \"#a\"}]"
        ),
        ("away", "<a id=a href=done.html>x</a>", "[{click: \"#a\"}, {wait: {milliseconds: 300}}]"),
        (
            "window",
            "<button id=a>x</button><script>a.onclick = () => { "
                + "if (!open('done.html')) { \(red); a.remove() } }</script>", "[{click: \"#a\"}]"
        ),
        (
            "label",
            "<label for=a id=l>x</label><input type=checkbox id=a hidden>"
                + "<script>a.onchange = () => { \(red); l.remove() }</script>", "[{click: \"#l\"}]"
        ),
    ]

    @Test("each step does what a person would do")
    func steps() async throws {
        var pages = ["done.html": Self.done]
        var scenes = "  - {suite: s, name: done, file: done.html}\n"
        for step in Self.steps {
            pages["\(step.name).html"] = "<body>" + step.page
            scenes +=
                "  - {suite: s, name: \(step.name), file: \(step.name).html, steps: \(step.steps)}\n"
        }
        try await withStage(pages: pages, scenes: scenes) { stage in
            let names = ["done"] + Self.steps.map(\.name)
            let results = try await stage.run(names.map { "s/\($0)" })
            let expected = try results[0].picture
            for (name, result) in zip(names, results) {
                #expect(result.problem == nil, "\(name)")
                #expect(try result.picture == expected, "\(name)")
            }
        }
    }

    @Test("after its steps no pointer is on the page, and the next scene hears of none")
    func pointerAfterSteps() async throws {
        let style = "<style>body { margin: 0 } #a { width: 90px; height: 60px; background: gray }"
        let hovered = style + "#a:hover { background: red }</style><body><div id=a></div>"
        let plain = style + "</style><body><div id=a></div>"
        try await withStage(
            pages: ["a.html": hovered, "b.html": plain],
            scenes: """
                  - {suite: s, name: plain, file: b.html}
                  - {suite: s, name: click, file: a.html, steps: [{click: "#a"}]}
                  - {suite: s, name: hover, file: a.html, steps: [{hover: "#a"}]}
                  - {suite: s, name: next, file: a.html}

                """
        ) { stage in
            let results = try await stage.run(["s/plain", "s/click", "s/hover", "s/next"])
            let pictures = try results.map { try $0.picture }
            #expect(pictures[1] == pictures[0])
            #expect(pictures[2] != pictures[0])
            #expect(pictures[3] == pictures[0])
        }
    }

    @Test("a step that cannot be done errs its scene, and says which one and why")
    func stepsInVain() async throws {
        let cover = "<div id=cover style='position: fixed; inset: 0'></div>"
        try await withStage(
            pages: [
                "a.html": "<button id=a>x</button><i id=hidden hidden>x</i>",
                "covered.html": "<button id=a>x</button>" + cover,
            ],
            scenes: """
                  - {suite: s, name: absent, file: a.html, steps: [{hover: "#a"}, {click: "#b"}]}
                  - {suite: s, name: hidden, file: a.html, steps: [{click: "#hidden"}]}
                  - {suite: s, name: wrong, file: a.html, steps: [{click: "#["}]}
                  - {suite: s, name: covered, file: covered.html, steps: [{click: "#a"}]}
                  - {suite: s, name: after, file: a.html}

                """
        ) { stage in
            let names = ["absent", "hidden", "wrong", "covered", "after"].map { "s/\($0)" }
            let results = try await stage.run(names, seconds: 6)
            #expect(
                results.map { $0.problem?.message } == [
                    "step 2, click \"#b\": the page has no such element.",
                    "step 1, click \"#hidden\": the element is not visible.",
                    "step 1, click \"#[\": the selector is not valid.",
                    "step 1, click \"#a\": the element is covered by <div id=\"cover\">.",
                    nil,
                ]
            )
        }
    }

    @Test("pages see the time that the job says, and their clock goes on")
    func time() async throws {
        let page =
            "<body><script>const now = new Date(); const then = Date.parse('2030-05-06T07:08:00Z');"
            + "if (Math.abs(now - then) < 60000 && Math.abs(Date.now() - then) < 60000 && "
            + "Date().includes('2030') && new Date(0).getTime() === 0 && now instanceof Date) "
            + "setTimeout(() => { if (Date.now() > now) \(Self.red) }, 20)</script>"
        let scenes = """
              - {suite: s, name: done, file: done.html}
              - {suite: s, name: a, file: a.html, wait: {milliseconds: 100}}

            """
        let pages = ["done.html": Self.done, "a.html": page]
        for (time, isRed) in [("2030-05-06T07:08:00Z", true), ("now", false)] {
            let settings = WebDriverSettings(scenes: "scenes.yaml", time: time)
            try await withStage(pages: pages, scenes: scenes, settings: settings) { stage in
                let results = try await stage.run(["s/done", "s/a"])
                #expect(try (results[0].picture == results[1].picture) == isRed, "\(time)")
            }
        }
    }

    @Test("a job's fonts must be there, and what brings them is told")
    func fonts() async throws {
        func stage(_ fonts: [String]) throws -> Stage {
            try Stage(
                pages: ["a.html": "<p>x"],
                scenes: "  - {suite: s, name: a, file: a.html}\n",
                settings: WebDriverSettings(scenes: "scenes.yaml", fonts: fonts)
            )
        }
        let good = try stage(["DejaVu Sans"])
        #expect(try await good.run(["s/a"]).first?.ending == .passed)
        await good.driver.shutDown()
        let bad = try stage(["DejaVu Sans", "No Such Sans", "Noto Sans Nowhere"])
        let error = await #expect(throws: WebDriverError.self) { try await bad.run(["s/a"]) }
        #expect(error == .fontsMissing(["No Such Sans", "Noto Sans Nowhere"]))
        #expect(error?.remedy.contains("apt-get install -y fonts-noto-core") == true)
        await bad.driver.shutDown()
    }
}
