// The page's script in a real browser: keys are pressed in a page on a disk, and what the page then
// shows is read back.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite(
    "Script of the page",
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: ExternalTool.browser),
        "needs: apt-get install -y chromium-headless-shell"
    )
)
struct PageScriptTests {
    /// What `steps` put into `said`, in a page of a run with pictures of one pixel.
    private func run(_ page: String, before: String = "", _ steps: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("snapfarm-script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // In a block: the page has names of its own.
        let frame = """
            {
            const said = [];
            const press = (...names) => {
              for (const key of names) (document.activeElement ?? document.body).dispatchEvent(
                new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            };
            const soon = () => new Promise((done) => setTimeout(done, 50));
            (async () => {
              try { \(steps) } catch (error) { said.push(`failed: ${error.stack}`); }
              document.title = JSON.stringify(said);
            })();
            }
            """
        let file = folder.appendingPathComponent("index.html")
        let text = page.replacing("<head>", with: "<head><script>\(before)</script>")
            .replacing("</body>", with: "<script>\(frame)</script></body>")
        try Data(text.utf8).write(to: file)
        let result = try ExternalTool.run([
            ExternalTool.browser, "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000",
            "--user-data-dir=\(folder.path)/profile", "--dump-dom", file.absoluteString,
        ])
        let title = try #require(
            result.output.firstMatch(of: #/<title>(.*?)</title>/#.dotMatchesNewlines()),
            "\(result.output.suffix(2_000))"
        )
        let json = String(title.1).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
        return try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String],
            "\(json)"
        )
    }

    @Test("what is ticked on a page on a disk ends in a command and a comment")
    func ticks() throws {
        let said = try run(
            HTMLReport.render(ChangedRun.summary()),
            """
            press("j", "t");
            const text = (id) => document.getElementById(id).value;
            said.push(text("command"), text("comment"));
            press("t", "o", "l", "t");
            said.push(text("command"), text("comment"));
            document.querySelector("#verb").value = "reject";
            document.querySelector("#reason").value = "it's wrong";
            press("t", "o", "j", "t");
            said.push(text("command"), text("comment"));
            """
        )
        let words = "changed in one line of words ."
        #expect(
            said == [
                "snapfarm approve --run r-1 --change \(ChangedRun.many)",
                "/snapfarm accept r-1\n\(ChangedRun.many) login: \(words)",
                "snapfarm approve --run r-1 --select snapshot=\(Fixture.dark)/Login/login_en", "",
                "snapfarm reject --run r-1 --change \(ChangedRun.new) --reason 'it'\\''s wrong'",
                """
                /snapfarm reject r-1: it's wrong
                \(ChangedRun.new) \(Fixture.japanese): new in one line of words .
                """,
            ],
            "\(said)"
        )
    }

    @Test("tall pictures are shown in parts, all of them the same, beginning where they differ")
    func parts() throws {
        var summary = ChangedRun.summary()
        for place in summary.snapshots.indices where summary.snapshots[place].verdict == .changed {
            summary.snapshots[place].width = 750
            summary.snapshots[place].height = 61_280
            summary.snapshots[place].clusters = [
                PixelBox(x: 24, y: 13_620, width: 702, height: 60),
                PixelBox(x: 24, y: 40_820, width: 702, height: 60),
            ]
        }
        let said = try run(
            HTMLReport.render(summary),
            before: Self.sizes(width: 750, height: 61_280),
            """
            const card = document.getElementById("c-\(ChangedRun.many)");
            const stage = card.querySelector(".stage");
            for (const image of stage.querySelectorAll("img")) fit(image);
            const tell = () => said.push(stage.querySelector(".part output").textContent,
              stage.style.getPropertyValue("--top"),
              [...stage.querySelectorAll(".current .tags b")].filter((tag) => !tag.hidden)
                .map((tag) => tag.textContent).join());
            tell();
            press("j", "n");
            tell();
            press("n");
            stage.querySelector("[aria-label='The part above']").click();
            tell();
            const tops = [...stage.querySelectorAll("img")]
              .map((image) => getComputedStyle(image).marginTop);
            said.push(String(new Set(tops).size === 1 && parseInt(tops[0]) < 0));
            said.push(String(stage.querySelector(".frame .tags")));
            """
        )
        #expect(
            said == [
                "Part 13 of 55", "13500", "1", "Part 37 of 55", "40500", "2", "Part 12 of 55",
                "12375", "", "true", "null",
            ],
            "\(said)"
        )
    }

    @Test("a click opens a picture fitted to the window; keys lead to 100 % and to differences")
    func enlarged() throws {
        var summary = ChangedRun.summary()
        for place in summary.snapshots.indices where summary.snapshots[place].verdict == .changed {
            summary.snapshots[place].clusters = [
                PixelBox(x: 10, y: 20, width: 4, height: 6),
                PixelBox(x: 1_000, y: 4_000, width: 10, height: 10),
            ]
        }
        let said = try run(
            HTMLReport.render(summary),
            before: Self.sizes(width: 2_000, height: 5_000),
            """
            const card = document.getElementById("c-\(ChangedRun.many)");
            for (const image of card.querySelectorAll("img")) fit(image);
            card.querySelector(".reference img").click();
            const tell = () => said.push(document.querySelector("dialog output").textContent);
            const shown = () => [...document.querySelectorAll(".panes figure:not([hidden])")].length;
            said.push(document.querySelector("dialog [aria-pressed=true]").textContent, `${shown()}`);
            const scale = parseInt(document.querySelector("dialog output").textContent);
            said.push(String(scale > 0 && scale < 100));
            press("n");
            press("1");
            tell();
            press("n");
            tell();
            press("+", "+", "+", "+", "+", "ArrowRight");
            tell();
            document.querySelector("[data-pane=all]").click();
            said.push(String(shown() > 1));
            press("z");
            await soon();
            said.push(String(document.querySelector("dialog")));
            """
        )
        #expect(
            said == [
                "Reference", "1", "true", "100 % · x 12, y 23", "100 % · x 1005, y 4005",
                "1200 % · x 1006, y 4005", "true", "null",
            ],
            "\(said)"
        )
    }

    /// Every picture is there and has this size.
    private static func sizes(width: Int, height: Int) -> String {
        """
        for (const [name, value] of [["naturalWidth", \(width)], ["naturalHeight", \(height)]]) {
          Object.defineProperty(HTMLImageElement.prototype, name, { get: () => value });
        }
        CanvasRenderingContext2D.prototype.drawImage = () => {};
        """
    }

    @Test("filters show what fits, by verdict, cell and words, and keys walk only over that")
    func filters() throws {
        let said = try run(
            HTMLReport.render(ChangedRun.summary()),
            """
            const shown = () => [...document.querySelectorAll(".change:not([hidden])")].length;
            said.push(`${shown()}`);
            document.querySelector("[data-filter=new]").click();
            await soon();
            press("j", "j", "j");
            said.push(`${shown()} ${document.activeElement.id}`);
            press("Escape");
            document.querySelector("#cell").value = "1";
            document.querySelector("#cell").dispatchEvent(new Event("input", { bubbles: true }));
            await soon();
            said.push(`${shown()}`);
            document.querySelector("#text").value = "nothing is called so";
            document.querySelector("#text").dispatchEvent(new Event("input", { bubbles: true }));
            await soon();
            said.push(`${shown()} ${document.querySelector("#nothing").hidden}`);
            """
        )
        #expect(said == ["3", "1 c-\(ChangedRun.new)", "1", "0 false"], "\(said)")
    }

    @Test("keys decide on a host's page: accept, reject with a reason, a single cell, all shown")
    func decide() throws {
        let hosted = HTMLReport.render(
            PageRun(ChangedRun.summary()),
            review: ChangedRun.review(),
            language: .english
        )
        .replacing("<script src=\"/r/script\" defer></script>", with: "")
        .replacing("</body>", with: "<script>\(HTMLReport.script)</script></body>")
        // A host that agrees to everything and remembers what it was sent.
        let host = """
            const sent = [];
            window.EventSource = class extends EventTarget {};
            window.fetch = async (address, options) => {
              if (options?.body) sent.push(String(options.body));
              const html = "<p>Accepted</p>";
              const answer = options?.body ? { notice: "done" } : { state: "incomplete",
                progress: "1 of 2 decided", publish: "Publish 2 pictures", why: null, acceptAll: "All", open: true,
                counts: { accepted: 7 }, undo: { when: "42", words: "Undo both" },
                changes: [{ id: "\(ChangedRun.many)", decision: "accepted", html }] };
              return { json: async () => answer };
            };
            """
        let said = try run(
            hosted,
            before: host,
            """
            const enter = () => press("Enter");
            press("j", "a");
            await soon();
            said.push(document.activeElement.id);
            const card = document.getElementById("c-\(ChangedRun.many)");
            said.push(card.dataset.d, card.querySelector(".decided").textContent,
              document.querySelector("#publish button").textContent,
              document.querySelector("#notice").textContent);
            press("x");
            enter();
            await soon();
            said.push(`${sent.length} without a reason`);
            document.activeElement.value = "bad";
            enter();
            await soon();
            press("c");
            document.activeElement.value = "Is this meant?";
            enter();
            await soon();
            press("k", "o", "l", "t", "u");
            await soon();
            said.push(document.querySelector("#accept-all button").textContent);
            for (const answer of [1, 0]) {
              document.querySelector("#accept-all button").click();
              await soon();
              document.querySelectorAll("dialog.ask[open] button")[answer].click();
              await soon(); await soon();
              said.push(`${sent.length} sent`);
            }
            const undo = document.querySelector("#undo-all");
            said.push(String(undo.hidden), undo.textContent);
            document.querySelector("#undo-all button").click();
            await soon();
            said.push(...sent.map((body) => body.replace(/(token|shown)=[^&]*/g, "$1")));
            """
        )
        let many = "change=\(ChangedRun.many)&token&back=c-\(ChangedRun.many)"
        let new = "change=\(ChangedRun.new)&token&back=c-\(ChangedRun.new)"
        let row = "\(Fixture.dark)/Login/login_en".replacing("/", with: "%2F")
        #expect(
            said == [
                "c-\(ChangedRun.new)", "accepted", "Accepted", "Publish 2 pictures", "done",
                "1 without a reason", "All", "4 sent", "5 sent", "false", "Undo both",
                "\(many)&kind=accepted&reason=&comment=",
                "\(new)&reason=bad&kind=rejected&comment=",
                "\(new)&reason=&comment=Is+this+meant%3F&kind=commented",
                "snapshot=\(row)&token&back=c-\(ChangedRun.many)&kind=withdrawn&reason=&comment=",
                "token&all=&shown&kind=accepted", "token&when=42&kind=withdrawn",
            ],
            "\(said)"
        )
    }

    @Test(
        "a card says who else decided what while it was looked at, and a publication what to commit"
    )
    func told() throws {
        let hosted = HTMLReport.render(
            PageRun(ChangedRun.summary()),
            review: ChangedRun.review(),
            language: .english
        )
        .replacing("<script src=\"/r/script\" defer></script>", with: "")
        .replacing("</body>", with: "<script>\(HTMLReport.script)</script></body>")
        // A host at which others decide: `decided` is the state of the first change, nil of none.
        let host = """
            let stream, decided = null, isOwn = false;
            window.EventSource = class extends EventTarget {
              constructor() { super(); stream = this; }
            };
            window.fetch = async (address, options) => ({ json: async () => options?.body
              ? { notice: "Published. Commit it:", command: "git commit -m it" }
              : { state: "incomplete", progress: "", publish: "Publish", why: null, acceptAll: "All",
                open: true, counts: { open: 3, accepted: 4 }, undo: null,
                changes: decided ? [{ id: "\(ChangedRun.many)", decision: decided, who: "Bob", isOwn,
                  html: `<p><b class="mark">${decided}</b></p>` }] : [] } });
            """
        let said = try run(
            hosted,
            before: host,
            """
            const card = document.getElementById("c-\(ChangedRun.many)");
            const turn = async (to, own) => {
              [decided, isOwn] = [to, own];
              stream.dispatchEvent(new Event("changed"));
              await soon();
              said.push(card.querySelector(".turned")?.textContent ?? "nothing");
            };
            await turn("rejected", false);
            await turn("rejected", false);
            await turn(null, false);
            await turn("accepted", true);
            said.push(document.querySelector(".chip[name=d][value=accepted] b").textContent);
            document.querySelector("#publish button").click();
            await soon();
            said.push(document.activeElement.className,
              document.querySelector("#notice code").textContent);
            """
        )
        #expect(
            said == [
                "Bob changed this while you looked: rejected.",
                "Bob changed this while you looked: rejected.",
                "Somebody took the decision back while you looked.", "nothing", "4", "copy",
                "git commit -m it",
            ],
            "\(said)"
        )
    }

    @Test("what changes while the list of runs fetches itself is fetched once more, and no oftener")
    func renewed() throws {
        let page = RunsPage(rows: [], filter: [], next: nil, isNewest: true)
            .render(in: RunsFrame(language: .english), events: "/runs/events")
            .replacing("<script src=\"\(RunsFrame.scriptPath)\" defer></script>", with: "")
            .replacing("</body>", with: "<script>\(RunsFrame.script)</script></body>")
        // A host whose first answer is on its way while its runs change twice.
        let host = """
            let stream, runs = 3, fetched = 0;
            window.EventSource = class extends EventTarget {
              constructor() { super(); stream = this; }
            };
            window.fetch = async () => {
              const text = `<main data-events="/runs/events">${runs} of 7</main>`;
              await new Promise((done) => setTimeout(done, 20));
              fetched += 1;
              return { ok: true, text: async () => text };
            };
            """
        let shown = try run(
            page,
            before: host,
            """
            const changed = () => stream.dispatchEvent(new Event("changed"));
            changed();
            runs = 4;
            changed();
            runs = 5;
            changed();
            await soon(); await soon();
            said.push(document.querySelector("main").textContent, `fetched ${fetched} times`);
            """
        )
        #expect(shown == ["5 of 7", "fetched 2 times"], "\(shown)")
    }

    @Test("names and sizes that attack a page harm nothing: it filters, walks and compares")
    func hostile() throws {
        var summary = Fixture.summary()
        for place in summary.snapshots.indices {
            summary.snapshots[place].name += String(repeating: "\u{202E}x<script>", count: 300)
            summary.snapshots[place].width = place.isMultiple(of: 2) ? 1 : 1_125
            summary.snapshots[place].height = place.isMultiple(of: 2) ? 1 : 20_000
        }
        summary.changes = [
            ChangeSummary(
                id: "\"><script>said.push('attacked')</script>",
                words: "</textarea>@team `x` <script>",
                cells: "\u{202E}",
                snapshots: summary.snapshots.map(\.id)
            )
        ]
        let said = try run(
            HTMLReport.render(summary),
            """
            press("j", "t", "o", "l", "l", "z", "2", "3", "4", "1", "r", "?");
            await soon();
            const wide = document.documentElement.scrollWidth > innerWidth;
            const comment = document.querySelector("#comment").value;
            said.push(`${wide} ${comment.includes("@") || comment.includes("<")}`);
            """
        )
        #expect(said == ["false false"], "\(said)")
    }
}
