// Tests of the scripts of a host's pages, in a real browser with a simulated host.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Scripts of a host's pages", .enabled(if: ScriptedPage.isInstalled, ScriptedPage.needs))
struct HostedScriptTests {
    /// A run's page for decisions, with its style and script inline.
    private static let hosted = HTMLReport.render(
        PageRun(ChangedRun.summary()),
        review: ChangedRun.review(),
        language: .english
    )
    .replacing("<script src=\"/r/script\" defer></script>", with: "")
    .replacing("</head>", with: "<style>\(HTMLReport.style)</style></head>")
    .replacing("</body>", with: "<script>\(HTMLReport.script)</script></body>")

    @Test("keys decide on a host's page: accept, reject with a reason, a single cell, all shown")
    func decide() throws {
        // A host that accepts everything and stores the requests.
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
        let said = try ScriptedPage.run(
            Self.hosted,
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
              await soon();
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
                "\(many)&kind=accepted&reason=&comment=&run=r-1",
                "\(new)&reason=bad&kind=rejected&comment=&run=r-1",
                "\(new)&reason=&comment=Is+this+meant%3F&kind=commented&run=r-1",
                "snapshot=\(row)&token&back=c-\(ChangedRun.many)&kind=withdrawn&reason=&comment="
                    + "&run=r-1",
                "token&all=&shown&kind=accepted&run=r-1", "token&when=42&kind=withdrawn&run=r-1",
            ],
            "\(said)"
        )
    }

    @Test("words typed while an answer is on its way stay, and those of a refused decision return")
    func typedOn() throws {
        // A host that answers late and refuses the second decision.
        let host = """
            window.EventSource = class extends EventTarget {};
            let sent = 0;
            window.fetch = async (address, options) => {
              if (options?.body) sent += 1;
              const answer = !options?.body ? { state: "incomplete", progress: "", changes: [] }
                : sent === 2 ? { message: "The run is gone." } : { notice: "done" };
              await new Promise((done) => setTimeout(done, 20));
              return { json: async () => answer };
            };
            """
        let said = try ScriptedPage.run(
            Self.hosted,
            before: host,
            """
            const reason = document.querySelector(".change .about textarea[name=reason]");
            const write = (words) => { press("x"); reason.focus(); reason.value += words; };
            const tell = () => said.push(reason.value, String(reason.closest("details").open));
            press("j");
            write("pale");
            press("Enter");
            write("dark");
            await soon(); await soon();
            tell();
            press("Enter");
            tell();
            await soon(); await soon();
            tell();
            """
        )
        #expect(said == ["dark", "true", "", "false", "dark", "true"], "\(said)")
    }

    @Test(
        "the key x leads to a field on every card, so that the words that follow are no keys",
        arguments: ["rejected": "reason", "published": "comment", "mixed": "reason"]
    )
    func field(decision: String, name: String) throws {
        let host = """
            window.EventSource = class extends EventTarget {};
            const change = { id: "\(ChangedRun.many)", decision: "\(decision)", html: "" };
            window.fetch = async () => ({ json: async () => ({ state: "incomplete", progress: "",
              changes: [change] }) });
            """
        let said = try ScriptedPage.run(
            Self.hosted,
            before: host,
            """
            press("j", "u");
            await soon();
            press("x");
            said.push(document.activeElement.name);
            """
        )
        #expect(said == [name], "\(said)")
    }

    @Test(
        "a card says who else decided what while it was looked at, and a publication what to commit"
    )
    func told() throws {
        // A host with decisions by others: `decided` is the state of the first change, or null.
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
        let said = try ScriptedPage.run(
            Self.hosted,
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
        // A host whose runs change twice while its first answer is on its way.
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
        let shown = try ScriptedPage.run(
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
}
