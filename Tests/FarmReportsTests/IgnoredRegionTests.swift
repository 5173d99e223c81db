// Tests of the page's control that ignores a region of a changed picture.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("A region to ignore on the page")
struct IgnoredRegionTests {
    /// Returns a run with a changed picture of this name.
    private func summary(_ name: String = "it's new") -> RunSummary {
        var summary = ChangedRun.summary()
        for place in summary.snapshots.indices where summary.snapshots[place].verdict == .changed {
            let picture = summary.snapshots[place]
            summary.snapshots[place].name = name
            summary.snapshots[place].id = "\(picture.cell)/\(picture.suite)/\(name)"
            summary.snapshots[place].clusters = [PixelBox(x: 10, y: 20, width: 4, height: 6)]
            let ids = summary.changes?[0].snapshots.map {
                $0 == picture.id ? summary.snapshots[place].id : $0
            }
            summary.changes?[0].snapshots = ids ?? []
        }
        return summary
    }

    @Test("the page names the job where there are several, and a name that its title lacks")
    func named() throws {
        for language in PageLanguage.allCases {
            let page = HTMLReport.render(
                PageRun(summary()),
                review: ChangedRun.review(),
                language: language
            )
            #expect(!page.contains("data-ignore=") && !page.contains("data-job="))
        }
        var summary = summary("a\u{202E}\"b")
        let mark = "data-ignore=\"Login/a\u{202E}&quot;b\""
        #expect(HTMLReport.render(summary).ranges(of: mark + ">").count == 1)
        let new = try #require(summary.snapshots.firstIndex { $0.verdict == .new })
        let job = summary.snapshots[new].job
        summary.snapshots[new].job = "other"
        #expect(HTMLReport.render(summary).contains("\(mark) data-job=\"\(job)\">"))
    }

    @Test(
        "only what snapfarm found to be changed in a run has the control",
        .enabled(if: ScriptedPage.isInstalled, ScriptedPage.needs)
    )
    func offered() throws {
        var framework = summary()
        for place in framework.snapshots.indices {
            framework.snapshots[place].judge = .framework
        }
        let steps = """
            for (const card of document.querySelectorAll(".change")) {
              for (const image of card.querySelectorAll("img")) fit(image);
              card.querySelector("img").click();
              const form = document.querySelector("dialog form.ignored");
              said.push(`${card.dataset.v} ${form !== null}`);
              document.querySelector("dialog").remove();
            }
            """
        for (page, isOffered) in [(summary(), true), (framework, false)] {
            let said = try ScriptedPage.run(
                HTMLReport.render(page),
                before: PageScriptTests.sizes(width: 20, height: 50),
                steps
            )
            #expect(
                said.sorted() == ["changed \(isOffered)", "flaky false", "new false"],
                "\(said)"
            )
        }
    }

    @Test(
        "a drag and four fields give the box and the command, and no key types into the view",
        .enabled(if: ScriptedPage.isInstalled, ScriptedPage.needs)
    )
    func drawn() throws {
        // The picture of another device has a name of its own, as some frameworks make it.
        var summary = summary()
        let dark = try #require(summary.snapshots.firstIndex { $0.cell == Fixture.dark })
        summary.snapshots[dark].name = "own"
        let said = try ScriptedPage.run(
            HTMLReport.render(summary),
            before: PageScriptTests.sizes(width: 2_000, height: 5_000),
            """
            const card = document.getElementById("c-\(ChangedRun.many)");
            for (const image of card.querySelectorAll("img")) fit(image);
            card.querySelector(".current img").click();
            const dialog = document.querySelector("dialog");
            const form = dialog.querySelector("form.ignored");
            const tell = () => said.push(form.querySelector("code").textContent);
            said.push(String(form.hidden));
            press("1", "n");
            [...dialog.querySelectorAll("button")]
              .find((button) => button.textContent === "Ignore a region").click();
            said.push(String(form.hidden), document.activeElement.name);
            tell();
            // Keys in a field neither zoom nor close.
            press("0", "z", "ArrowRight");
            const output = () => dialog.querySelector("output").textContent;
            said.push(output());
            const canvas = dialog.querySelector("figure:not([hidden]) canvas");
            const area = canvas.getBoundingClientRect();
            const point = (type, x, y) => {
              canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, buttons: 1,
                clientX: area.left + x, clientY: area.top + y }));
              return output().match(/[0-9]+/g).slice(1).map(Number);
            };
            const start = point("pointerdown", 60, 80), end = point("pointermove", 30, 40);
            said.push(`${start[0] - end[0]} ${start[1] - end[1]}`);
            said.push(String(form.querySelector("code").textContent
              .includes(` --box ${end.join()}-${start.join()} --write`)));
            const type = (name, value) => {
              const field = form.querySelector(`[name=${name}]`);
              field.value = value;
              field.dispatchEvent(new Event("input", { bubbles: true }));
            };
            for (const [name, value] of [["left", 1], ["top", 2], ["right", 30], ["bottom", 4]]) {
              type(name, value);
            }
            tell();
            type("right", 0);
            tell();
            said.push(String(form.querySelector("button").disabled));
            dialog.close();
            await soon();
            press("j", "o", "l");
            card.querySelector(".current img").click();
            const other = document.querySelector("dialog form.ignored");
            other.parentNode.querySelector("[aria-pressed=false]:not([data-pane])").click();
            said.push(other.querySelector("code").textContent);
            """
        )
        let command = "snapfarm ignore 'Login/it'\\''s new' --box"
        #expect(
            said == [
                "true", "false", "left", "\(command) 10,20-13,25 --write", "100 % · x 12, y 23",
                "30 40", "true", "\(command) 1,2-30,4 --write", "", "true",
                "snapfarm ignore Login/own --box 10,20-13,25 --write",
            ],
            "\(said)"
        )
    }
}
