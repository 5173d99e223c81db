// Tests of dialogs and other things that a page could leave in the browser for the next scene.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

extension WebDriverDriverTests {
    /// Returns a script that turns the page red if a condition holds.
    private static func red(_ condition: String) -> String {
        "if (\(condition)) document.body.style.background = 'red';"
    }

    private static let loaded = "addEventListener('load', () =>"
    private static let dialogs = [
        "atOnce": red("alert('a') === undefined && confirm('b') === false && prompt('c') === null"),
        "twice": "alert(1); alert(2); \(red("true"))",
        "atLoad": "\(loaded) { confirm('a'); \(red("true")) })",
        "late": "\(loaded) setTimeout(() => { prompt('a', 'b'); \(red("true")) }, 40))",
        "inFrame": """
        onmessage = (event) => { \(red("event.data === false")) };
        const frame = document.createElement("iframe");
        frame.hidden = true;
        frame.srcdoc = "<script>parent.postMessage(confirm('a'), '*')</" + "script>";
        document.body.append(frame);
        """,
        "inNewFrame": """
        const frame = document.createElement("iframe");
        frame.hidden = true;
        document.body.append(frame);
        \(red("frame.contentWindow.confirm('a') === false"))
        """,
    ]

    @Test("dialogs are closed at once whenever they open, and no other scene is the worse for them")
    func dialogs() async throws {
        var pages = Self.dialogs.mapValues { "<body><script>\($0)</script>" }
        pages["good"] = "<body style='background: red'>"
        pages["clicked"] = """
            <body><a id=a>a</a><script>
            a.onclick = () => { \(Self.red("!confirm('a')")) a.remove(); };
            </script>
            """
        pages["leaves"] = """
            <body><a id=a href=good.html>a</a><script>
            addEventListener("beforeunload", (event) => { event.preventDefault(); });
            onbeforeunload = () => "stay";
            </script>
            """
        let names = pages.keys.sorted()
        let waits = ["late": ", wait: {function: \"document.body.style.background\"}"]
        let steps = "steps: [{click: \"#a\"}]"
        let scenes = names.map { name in
            let more =
                ["clicked", "leaves"].contains(name)
                ? ", " + steps : waits[name] ?? waits["late"] ?? ""
            return "  - {suite: s, name: \(name), file: \(name).html\(more)}\n"
        }
        try await withStage(
            pages: Dictionary(uniqueKeysWithValues: pages.map { ("\($0).html", $1) }),
            scenes: scenes.joined()
        ) { stage in
            let order = names.flatMap { ["s/\($0)", "s/good"] }
            let results = try await stage.run(order, seconds: 30)
            let good = try results[names.firstIndex(of: "good").map { $0 * 2 } ?? 0].picture
            for (name, result) in zip(order, results) {
                #expect(try result.picture == good, "\(name)")
            }
        }
    }

    @Test(
        "no scene sees the window's name, the history or the stores of another, nor a failed one's"
    )
    func leftovers() async throws {
        let page = """
            <body><script>
            \(Self.red("!window.name && history.length === 2 && !localStorage.seen"))
            window.name = "seen";
            setInterval(() => { localStorage.seen = "seen" }, 1);
            </script>
            """
        let scenes = """
              - {suite: s, name: a, file: a.html}
              - {suite: s, name: b, file: b.html}
              - {suite: s, name: failed, file: a.html, element: "#none"}
              - {suite: s, name: hangs, file: hangs.html}
              - {suite: s, name: good, file: good.html}

            """
        try await withStage(
            pages: [
                "a.html": page, "b.html": page, "good.html": "<body style='background: red'>",
                "hangs.html": """
                <body style='background: red'>
                <script>addEventListener("pagehide", () => { while (true) {} })</script>
                """,
            ],
            scenes: scenes
        ) { stage in
            let order = ["a", "a", "b", "failed", "a", "hangs", "a", "good"].map { "s/\($0)" }
            let results = try await stage.run(order)
            #expect(results[3].problem?.code == "element-missing")
            let good = try results[7].picture
            for place in [0, 1, 2, 4, 5, 6] {
                #expect(try results[place].picture == good, "\(place), \(order[place])")
            }
        }
    }

    /// A PNG without alpha.
    private static let blue =
        "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEElEQVR42mNgYPiPAw0pCQCpcD/B/MtF/AAAAABJRU5E"
        + "rkJggg=="

    // Chromium skips the red frame behind an opaque picture, but only if the picture was decoded
    // before painting. For a picture that is shown while it loads, this happened only now and then.
    @Test("what is behind a picture shows at its round corners, whenever the picture was decoded")
    func roundCorners() async throws {
        let style = """
            <style>div { width: 60px; height: 60px; border-radius: 20px; overflow: hidden;
              background: red } img { width: 100%; height: 100%; object-fit: cover }</style>
            """
        let image = "<div><img src=blue.png></div>"
        let again = """
            <body>\(image)<script>
            addEventListener("load", async () => {
              await document.images[0].decode();
              document.body.innerHTML = document.body.innerHTML;
              await new Promise((done) => setTimeout(done, 50));
              document.body.id = "ready";
            });
            </script>
            """
        try await withStage(
            pages: ["once.html": style + "<body>" + image, "again.html": style + again],
            scenes: """
                  - {suite: s, name: once, file: once.html}
                  - {suite: s, name: again, file: again.html, wait: {selector: "#ready"}}

                """
        ) { stage in
            let blue = try #require(Data(base64Encoded: Self.blue))
            try blue.write(to: URL(fileURLWithPath: stage.folder.file("blue.png")))
            let results = try await stage.run(["s/once", "s/again"])
            #expect(try results[0].picture == results[1].picture)
        }
    }
}
