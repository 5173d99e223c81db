// Tests of the script of a page on a disk, in a real browser.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Script of the page", .enabled(if: ScriptedPage.isInstalled, ScriptedPage.needs))
struct PageScriptTests {
    @Test("what is ticked on a page on a disk ends in a command and a comment")
    func ticks() throws {
        let said = try ScriptedPage.run(
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

    @Test("in a narrow window every filter is in view")
    func narrow() throws {
        let said = try ScriptedPage.run(
            HTMLReport.render(ComparedPageTests.summary),
            width: 400,
            """
            const chips = [...document.querySelectorAll(".chip")];
            said.push(`${innerWidth}`, `${chips.length}`);
            const row = chips[0].parentElement;
            said.push(`${row.scrollWidth <= row.clientWidth}`);
            said.push(`${chips.every((chip) => chip.getBoundingClientRect().right <= innerWidth)}`);
            """
        )
        #expect(said.suffix(2) == ["true", "true"], "\(said)")
        #expect(said[0] == "400" && Int(said[1]).map { $0 > 4 } == true, "\(said)")
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
        let said = try ScriptedPage.run(
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

    @Test(
        "a picture that loads measures nothing, and numbers that would lie on each other move down"
    )
    func numbers() throws {
        var summary = ChangedRun.summary()
        for place in summary.snapshots.indices where summary.snapshots[place].verdict == .changed {
            summary.snapshots[place].clusters = [12, 10, 900].map {
                PixelBox(x: 10, y: $0, width: 4, height: 2)
            }
        }
        let said = try ScriptedPage.run(
            HTMLReport.render(summary),
            // Counts measurements: each lays out the whole page, which is slow for thousands of
            // pictures.
            before: Self.sizes(width: 1_000, height: 1_000) + """
                let measures = 0;
                for (const name of ["clientHeight", "clientWidth"]) {
                  const { get } = Object.getOwnPropertyDescriptor(Element.prototype, name);
                  Object.defineProperty(Element.prototype, name,
                    { get() { measures += 1; return get.call(this); } });
                }
                """,
            """
            const card = document.getElementById("c-\(ChangedRun.many)");
            measures = 0;
            for (const image of card.querySelectorAll("img")) fit(image);
            said.push(String(measures));
            main.classList.add("boxes");
            const tags = [...card.querySelectorAll(".current .tags b")];
            const tops = tags.map((tag) => tag.getBoundingClientRect().top);
            said.push(tags.map((tag) => tag.textContent).join());
            said.push(String(Math.round(tops[1] - tops[0])), String(tops[2] - tops[1] > 15));
            """
        )
        #expect(said == ["0", "2,1,3", "15", "true"], "\(said)")
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
        let said = try ScriptedPage.run(
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

    /// Returns a script that makes every picture seem loaded with this size.
    static func sizes(width: Int, height: Int) -> String {
        """
        for (const [name, value] of [["naturalWidth", \(width)], ["naturalHeight", \(height)]]) {
          Object.defineProperty(HTMLImageElement.prototype, name, { get: () => value });
        }
        CanvasRenderingContext2D.prototype.drawImage = () => {};
        """
    }

    @Test("filters show what fits, by verdict, cell and words, and keys walk only over that")
    func filters() throws {
        let said = try ScriptedPage.run(
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
        let said = try ScriptedPage.run(
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
