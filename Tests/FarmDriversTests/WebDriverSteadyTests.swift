// Tests of late pictures, clocks, and moving content in a real browser.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    private static let red = "document.body.style.background = 'red'"

    /// A server that delays answers to `/slow` by `ms` milliseconds, and never answers `/never`.
    private static let server = """
        import http.server, sys, time, urllib.parse
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *given): super().__init__(*given, directory="site")
            def log_message(self, *given): pass
            def do_GET(self):
                url = urllib.parse.urlparse(self.path)
                if url.path == "/never": time.sleep(1000)
                if url.path != "/slow": return super().do_GET()
                time.sleep(int(urllib.parse.parse_qs(url.query).get("ms", ["200"])[0]) / 1000)
                body = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="green"/></svg>'
                self.send_response(200)
                self.send_header("Content-Type", "image/svg+xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    private func withServer(
        pages: [String: String],
        scenes: String,
        _ body: (Stage) async throws -> Void
    ) async throws {
        try await withStage(
            pages: Dictionary(uniqueKeysWithValues: pages.map { ("site/\($0.key)", $0.value) }),
            scenes: scenes,
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(command: "python3 -u server.py {port}")
            )
        ) { stage in
            try stage.folder.write("server.py", Self.server)
            try await body(stage)
        }
    }

    /// Pages with a picture of 40 points at their beginning and another one below the screen.
    private static let late: [(name: String, page: String)] = [
        ("lazy", "<img loading=lazy src='/slow?ms=200'><hr><img loading=lazy src='/slow?2'>"),
        (
            "shadow",
            "<span id=a></span><hr><span id=b></span><script>for (const host of [a, b]) host.attachShadow("
                + "{mode: 'open'}).innerHTML = '<img loading=lazy style=\"vertical-align: top\" "
                + "src=/slow?s>'</script>"
        ),
        (
            "background",
            "<b id=a></b><hr><b id=b></b><style>b { width: 40px; height: 40px; display: block }"
                + ".late::before { content: ''; display: block; height: 40px; background: "
                + "url(/slow?ms=300) }</style><script>addEventListener('load', () => setTimeout(() => "
                + "{ a.className = b.className = 'late' }))</script>"
        ),
        (
            "fetched",
            "<b id=a></b><hr><b id=b></b><style>b { width: 40px; height: 40px; display: block }"
                + "</style><script>addEventListener('load', () => { const see = new "
                + "IntersectionObserver((seen) => { for (const {target, isIntersecting} of seen) if "
                + "(isIntersecting) { see.unobserve(target); fetch('/slow?f').then((answer) => "
                + "answer.text()).then(() => { target.innerHTML = '<img src=/slow?' + target.id + '>' })"
                + "} }); see.observe(a); see.observe(b) })</script>"
        ),
    ]

    @Test("pictures in and above a capture are there, whatever brings them; what is not is named")
    func latePictures() async throws {
        let style =
            "<style>body { margin: 0 } hr { height: 200px; margin: 0; border: 0 } "
            + "img { display: block }</style><body>"
        let there =
            "<div style='width: 40px; height: 40px; background: green'></div><hr>"
            + "<div style='width: 40px; height: 40px; background: green'></div>"
        var pages = Dictionary(
            uniqueKeysWithValues: Self.late.map {
                ("\($0.name).html", style + $0.page)
            }
        )
        pages["there.html"] = style + there
        pages["never.html"] =
            style + "<img width=40 height=40 loading=lazy src='/never?x=1'>"
        let names = ["there"] + Self.late.map(\.name)
        var scenes = "  - {suite: s, name: never, url: /never.html}\n"
        for name in names {
            scenes += "  - {suite: s, name: \(name), url: /\(name).html, fullPage: false}\n"
            scenes += "  - {suite: s, name: \(name)-whole, url: /\(name).html, fullPage: true}\n"
        }
        try await withServer(pages: pages, scenes: scenes) { stage in
            for ending in ["", "-whole"] {
                let results = try await stage.run(names.map { "s/\($0)\(ending)" })
                let expected = try results[0].picture
                for (name, result) in zip(names, results) {
                    #expect(try result.picture == expected, "\(name)\(ending)")
                    #expect(result.captures.first?.note == nil, "\(name)\(ending)")
                }
            }
            let never = try await stage.run(["s/never"], seconds: 3)
            #expect(
                never.first?.captures.first?.note
                    == "it was captured before this had come: /never?x=1."
            )
        }
    }

    /// Expressions that must all give the job's day; the last ones run in workers and frames.
    private static let days = [
        "new Date().toISOString()", "new Intl.DateTimeFormat('en-CA').format()",
        "new Intl.DateTimeFormat('en-CA').formatToParts().map((part) => part.value).join('')",
        "new Date().toLocaleDateString('en-CA')",
        "[undefined].map(new Intl.DateTimeFormat('en-CA').format)[0]",
        "Temporal.Now.plainDateISO().toString()", "Temporal.Now.instant().toString()",
        "Temporal.Now.zonedDateTimeISO('Asia/Tokyo').toString()",
        "new Date(new File(['x'], 'x').lastModified).toISOString()",
        "document.lastModified.replace(/(..).(..).(....).*/, '$3-$1-$2')",
        "new Date(performance.timeOrigin).toISOString()",
        "new Date(performance.timing.navigationStart).toISOString()",
        "new (document.body.appendChild(document.createElement('iframe')).contentWindow.Date)()"
            + ".toISOString()",
        "new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => "
            + "done(f.contentDocument.body.textContent); f.src = 'frame.html'; document.body.append(f) })",
        "heard(new Worker(URL.createObjectURL(new Blob([\"postMessage(new Date().toISOString())\"]))))",
        "heard(new Worker('worker.js'))", "heard(new Worker('module.js', {type: 'module'}))",
        "heard(new SharedWorker('shared.js').port)",
    ]

    @Test("no date of a page is today's: of formats, files, frames and workers")
    func clocks() async throws {
        let day = "new Date().toISOString()"
        let page = """
            <body>x<script>
            const heard = (worker) => new Promise((done, fail) => {
              worker.onmessage = (event) => done(event.data);
              worker.onerror = () => fail("a worker failed");
            });
            const days = {
            \(Self.days.enumerated().map { "\($0): async () => \($1)," }.joined(separator: "\n"))
            };
            (async () => {
              const wrong = [];
              for (const [name, day] of Object.entries(days)) {
                const text = String(await Promise.resolve().then(day).catch((error) => error));
                if (!text.startsWith("2026-01-01")) wrong.push(name + " " + text);
              }
              document.querySelectorAll("iframe").forEach((frame) => frame.remove());
              if (wrong.length > 0) { document.body.id = "wrong"; throw new Error(wrong.join("; ")); }
              document.body.id = "right";
            })();
            </script>
            """
        let pages = [
            "dates.html": page,
            "frame.html": "<body><script>document.body.textContent = \(day)</script>",
            "worker.js": "importScripts('part.js'); fetch('part.js').then((answer) => "
                + "postMessage(answer.ok && location.pathname === '/worker.js' ? day() : 'lost'))",
            "part.js": "self.day = () => \(day)",
            "module.js": "import {day} from './inner.js'; postMessage(day())",
            "inner.js": "export const day = () => \(day)",
            "shared.js": "onconnect = (event) => event.ports[0].postMessage(\(day))",
        ]
        try await withServer(
            pages: pages.filter { $0.key.hasSuffix("html") },
            scenes: "  - {suite: s, name: a, url: /dates.html, element: \"#right\", "
                + "wait: {selector: \"#right, #wrong\"}}\n"
        ) { stage in
            for (name, text) in pages where name.hasSuffix("js") {
                try stage.folder.write("site/\(name)", text)
            }
            let result = try #require(try await stage.run(["s/a"], seconds: 8).first)
            #expect(result.problem?.message == nil)
        }
    }

    /// Parts of a page that move by themselves.
    private static let movers: [String] = [
        "<div class=m></div>", "<span id=o></span>", "<span id=c></span>",
        "<span><template shadowrootmode=open><style>\(moving)</style><div class=m></div></template></span>",
        "<iframe srcdoc='<style>\(moving)</style><div class=m></div>' width=90 height=12></iframe>",
        "<svg width=90 height=10><circle r=4 cy=5><animate attributeName=cx values='5;80;5' dur=1.1s "
            + "repeatCount=indefinite /></circle></svg>",
        "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='90' height='10'>"
            + "<circle r='4' cy='5'><animate attributeName='cx' values='5;80;5' dur='1.1s' "
            + "repeatCount='indefinite'/></circle></svg>\">",
        "<marquee>moves</marquee>",
        "<img width=10 height=10 src='data:image/gif;base64,\(gif)'>",
        "<dialog id=d></dialog>",
    ]
    private static let moving =
        "@keyframes m { from { margin-left: 0 } to { margin-left: 60px } } .m { width: 9px; "
        + "height: 9px; background: teal; animation: m 1.3s linear infinite }"
    /// A GIF with two frames of one pixel, red and blue, for 0.2 s each.
    private static let gif =
        "R0lGODlhAQABAIAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQAFAAAACwAAAAAAQABAAACAkQB"
        + "ACH5BAAUAAAALAAAAAABAAEAAAICTAEAOw=="

    @Test("what moves shows the same at two moments: roots, frames, drawings, pictures, marquees")
    func movers() async throws {
        let page =
            "<style>\(Self.moving) body { margin: 0 } dialog::backdrop { animation: b 1.3s linear "
            + "infinite } @keyframes b { from { background: #f003 } to { background: #00f3 } }</style>"
            + "<body>" + Self.movers.joined()
            + "<script>for (const [host, mode] of [[o, 'open'], [c, 'closed']]) host.attachShadow("
            + "{mode}).innerHTML = '<style>\(Self.moving)</style><div class=m></div>'; d.showModal()"
            + "</script>"
        try await withStage(
            pages: ["a.html": page],
            scenes: """
                  - {suite: s, name: soon, file: a.html}
                  - {suite: s, name: late, file: a.html, wait: {milliseconds: 350}}

                """
        ) { stage in
            let device = Device(name: "Desk", width: 120, height: 160, scale: 1)
            let results = try await stage.run(["s/soon", "s/late"], on: Stage.cell(device))
            #expect(try results[0].picture == results[1].picture)
        }
    }

    @Test(
        "transitions and animations end at once, and the page hears of it; a key leaves them alone"
    )
    func endings() async throws {
        let style =
            "<style>@keyframes a { to { opacity: 0.9 } } .t { transition: left 60s 5s; left: 0; position: relative } .t.on "
            + "{ left: 50px } .a.on { animation: a 60s 5s both }</style>"
        let parts = "<b class=t>t</b><b class=a>a</b>"
        let page = """
            \(style)<body><button id=go>x</button><div id=d>\(parts)</div><span id=h></span>
            <iframe id=f srcdoc="\(style)\(parts)" width=30 height=20></iframe><script>
            const shadow = h.attachShadow({mode: "closed"});
            shadow.innerHTML = `\(style)\(parts)`;
            const left = new Set();
            const end = (item) => { left.delete(item); if (left.size === 0) f.id = "done"; };
            go.onclick = () => {
              for (const root of [d, shadow, f.contentDocument]) {
                for (const item of root.querySelectorAll("b")) {
                  left.add(item);
                  item.addEventListener("transitionend", () => end(item));
                  item.addEventListener("animationend", () => end(item));
                  item.classList.add("on");
                }
              }
              const item = go.animate([{opacity: 0.5}, {opacity: 1}], 60000);
              left.add(item);
              item.finished.then(() => end(item));
            };
            </script>
            """
        try await withStage(
            pages: ["a.html": page],
            scenes: """
                  - {suite: s, name: finish, file: a.html,
                     steps: [{click: "#go"}, {wait: {selector: "#done"}}]}
                  - {suite: s, name: run, file: a.html, animations: run,
                     steps: [{click: "#go"}, {wait: {selector: "#done"}}]}

                """
        ) { stage in
            let results = try await stage.run(["s/finish", "s/run"], seconds: 3)
            #expect(results[0].problem == nil)
            #expect(results[1].problem?.code == "step-failed")
        }
    }

    @Test(
        "a record run finds what moves all the same, and says where; what scrolls inside is noted"
    )
    func foundMotion() async throws {
        let clock =
            "<body style='margin: 0'><div id=a class=clock style='width: 20px; height: 10px'></div>"
            + "<script>let n = 0; const step = () => { n += 1; a.style.background = n % 90 < 45 ? "
            + "'red' : 'blue'; requestAnimationFrame(step) }; step()</script>"
        let inner =
            "<body style='margin: 0'><main id=app style='height: 80px; overflow-y: auto'>"
            + "<div style='height: 500px'>x</div></main>"
        try await withStage(
            pages: ["clock.html": clock, "inner.html": inner],
            scenes: """
                  - {suite: s, name: clock, file: clock.html}
                  - {suite: s, name: inner, file: inner.html, fullPage: true}

                """
        ) { stage in
            let results = try await stage.run(["s/clock", "s/inner"], mode: .record)
            #expect(
                results[0].problem?.message
                    == "the page moves by itself: 40×20 pixels at 0,0, in <div id=\"a\" "
                    + "class=\"clock\">, changed without being touched."
            )
            #expect(
                results[1].captures.first?.note
                    == "<main id=\"app\"> scrolls by itself, and goes on for 420 points below the "
                    + "picture."
            )
        }
    }
}
