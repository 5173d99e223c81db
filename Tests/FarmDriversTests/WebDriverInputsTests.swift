// Tests of the files that a page read, as the driver records them, in a real browser; and of the
// random numbers that pages see.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    @Test("every file that a page asks for is recorded, also those that are not there")
    func recordedFiles() async throws {
        let head = "<link rel=stylesheet href='a%20b.css?v=2'><script src=/none.js></script>"
        let pages = [
            "site/one.html": head + "<img src=x.svg><img src='data:image/svg+xml,<svg/>'>",
            "site/two.html": "<body>two",
            "site/deep/index.html": "<script type=module src=../m.js></script>",
        ]
        try await withStage(
            pages: pages,
            scenes: """
                  - {suite: s, name: one, file: site/one.html}
                  - {suite: s, name: two, file: site/two.html}
                  - {suite: s, name: served, url: "/one.html?q=1"}
                  - {suite: s, name: folder, url: /deep/}
                  - {suite: s, name: broken, file: site/deep/index.html, element: "#none"}

                """,
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: "site", fallback: "two.html")
            )
        ) { stage in
            try stage.folder.write("site/a b.css", "@import 'b.css'; img { opacity: .5 }")
            try stage.folder.write("site/b.css", "body { background: url(back.png) }")
            try stage.folder.write("site/x.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
            try stage.folder.write("site/m.js", "fetch('/data.json')")
            try stage.folder.write("site/data.json", "{}")
            var recording = stage
            recording.records = true
            let names = ["one", "two", "served", "folder"].map { "s/\($0)" }
            let inputs = try await recording.run(names).map { try #require($0.inputs) }
            #expect(inputs.allSatisfy { $0.unknown == nil }, "\(inputs)")
            let common = ["a b.css", "b.css", "back.png", "one.html", "x.svg"].map { "site/" + $0 }
            #expect(inputs[0].files == ["/none.js"] + common)
            #expect(inputs[1].files == ["site/two.html"])
            let missing = ["back.png", "none.js"].flatMap {
                ["site/\($0)", "site/\($0)/index.html"]
            }
            #expect(inputs[2].files == Set(common + missing + ["site/two.html"]).sorted())
            let module = ["data.json", "deep", "deep/index.html", "m.js"]
            #expect(inputs[3].files == module.map { "site/" + $0 })
            let after = try await recording.run(["s/broken", "s/two"])
            #expect(after[0].problem != nil && after[1].inputs == inputs[1])
            let plain = try await stage.run(["s/one"])
            #expect(plain[0].inputs == nil && plain[0].ending == .passed)
        }
    }

    /// The scripts of pages that read something that is no file, with the words about it.
    private static let unknown = [
        ("socket", "new WebSocket('ws://127.0.0.1:9/')", "a WebSocket"),
        ("events", "new EventSource('/none')", "events of a server"),
        ("worker", "new Worker(URL.createObjectURL(new Blob([''])))", "a worker"),
        ("frame", "document.body.append(document.createElement('iframe'))", "a frame"),
        ("post", "fetch('/none', {method: 'POST'}).catch(() => 0)", "an answer to POST"),
        ("other", "new Image().src = 'http://localhost:9/x.png'", "answers of localhost"),
        ("second", "if (!location.search) location.search = '?2'", "several pages"),
        ("nothing", "Math.random(); crypto.randomUUID()", nil),
    ]

    @Test("what a page reads that is no file is named, and so is the machine's clock")
    func unknownInputs() async throws {
        let pages = Self.unknown.map { name, script, _ in
            ("site/\(name).html", "<body><p>x<script>\(script)</script>")
        }
        let scenes = Self.unknown.map { "  - {suite: s, name: \($0.0), url: /\($0.0).html}\n" }
        try await withStage(
            pages: Dictionary(uniqueKeysWithValues: pages),
            scenes: scenes.joined(),
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: "site")
            )
        ) { stage in
            var stage = stage
            stage.records = true
            let results = try await stage.run(Self.unknown.map { "s/\($0.0)" })
            for (result, (name, _, words)) in zip(results, Self.unknown) {
                #expect(result.inputs != nil && result.inputs?.unknown == words, "\(name)")
            }
            stage.settings.time = "now"
            let now = try await stage.run(["s/nothing"])
            #expect(now[0].inputs?.unknown == "the machine's clock")
        }
    }

    @Test("the answers of a job's own server are known if the job names its inputs")
    func declaredServer() async throws {
        let script = """
            new WebSocket("ws://" + location.host + "/live");
            fetch("/data.json");
            if (location.search) new Image().src = "http://localhost:9/x.png";
            """
        try await withStage(
            pages: ["site/a.html": "<body>x<script>\(script)</script>"],
            scenes: """
                  - {suite: s, name: a, url: /a.html}
                  - {suite: s, name: b, url: "/a.html?other"}

                """,
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(
                    command: "python3 -u -m http.server {port} --bind 127.0.0.1 --directory site"
                )
            )
        ) { stage in
            var stage = stage
            stage.records = true
            let unknown = try await stage.run(["s/a"])[0].inputs?.unknown
            #expect(unknown?.hasPrefix("answers of ") == true, "\(unknown ?? "")")
            stage.inputs = ["site/**"]
            let results = try await stage.run(["s/a", "s/b"])
            #expect(results[0].inputs == RecordedInputs(files: []))
            #expect(results[1].inputs?.unknown == "answers of localhost", "\(results)")
        }
    }

    @Test("random numbers are the same in every capture, unless the page has the machine's clock")
    func random() async throws {
        let script = """
            const list = [Math.random(), Math.random(), crypto.randomUUID(), crypto.randomUUID(),
              ...crypto.getRandomValues(new Uint32Array(2))];
            let refused = "";
            try { crypto.getRandomValues(new Float32Array(2)); } catch (error) { refused = error.name; }
            if (new Set(list).size !== 6 || refused !== "TypeMismatchError"
              || !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(list[2]))
              document.body.style.background = "red";
            document.body.append(list.join(" "));
            """
        try await withStage(
            pages: ["site/a.html": "<body style='font-size: 6px'><script>\(script)</script>"],
            scenes: "  - {suite: s, name: a, url: /a.html}\n",
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: "site")
            )
        ) { stage in
            var stage = stage
            let first = try await stage.run(["s/a"])[0].picture
            #expect(try await stage.run(["s/a"])[0].picture == first)
            let fresh = stage.withNewDriver(serverSeconds: 20)
            #expect(try await fresh.run(["s/a"])[0].picture == first)
            await fresh.driver.shutDown()
            stage.settings.time = "now"
            let other = try await stage.run(["s/a"])[0].picture
            #expect(try await stage.run(["s/a"])[0].picture != other)
        }
    }

    @Test("a scene's entry has another digest if anything of it is another, in each process")
    func entries() throws {
        func digest(_ scene: String) throws -> Digest {
            let file = try ScenesFile.decode("scenes:\n  - {\(scene)}\n", file: "s.yaml")
            return try #require(file.scenes.first).digest
        }
        let text = "suite: s, name: a, url: /a"
        let scenes = [
            text, text + ", fullPage: true", text + ", mask: [b]", text + ", element: b",
            text + ", cookies: {a: b, c: d}", text + ", localStorage: {a: b, c: d}",
            text + ", steps: [{click: b}]", "suite: s, name: a, url: /b",
        ]
        #expect(Set(try scenes.map(digest)).count == scenes.count)
        #expect(
            try digest(text + ", cookies: {a: b, c: d}")
                == digest(text + ", cookies: {c: d, a: b}")
        )
    }
}
