// The day of a designer with new findings of axe-core: they are seen on the page of the run, accepted
// there, and the next run is green.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("New findings on a page", .serialized)
    struct FoundElementsTests {
        @Test(
            "of three elements that lost their names are boxed, accepted on the page, and then quiet",
            .enabled(if: TestBrowser.isInstalled)
        )
        func designersDay() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices:
                  - {name: A, width: 160, height: 120, scale: 2}
                  - {name: B, width: 160, height: 120, scale: 1}
                jobs:
                  shots: {kind: snapshot, driver: webdriver, scenes: scenes.yaml, axe: axe.js}
                """
            )
            let scenes = """
                scenes:
                  - {suite: S, name: part, file: shop.html, element: "#part"}

                """
            try project.folder.write("scenes.yaml", scenes)
            try project.folder.write("axe.js", TextReferenceTests.axe)
            func shop(_ names: String...) -> String {
                """
                <html lang="en"><title>Shop</title><style>
                  * { margin: 0; padding: 0; border: 0 }
                  #part { position: absolute; left: 20px; top: 40px; width: 100px; height: 60px }
                  .price { color: #bbb }
                  .buy, .shoe, .more { position: absolute; width: 30px; height: 10px; background: teal }
                  .buy { left: 25px; top: 10px } .shoe { left: 50px; top: 5px } .more { left: 5px; top: 30px }
                  nav { height: 0; overflow: hidden } .gone { display: block; height: 10px }
                </style><p class="price">12 EUR</p><button class="buy"\(names[0])></button>
                <nav><a class="gone" href="#"\(names[2])></a></nav>
                <div id="part"><img class="shoe" src="\(TextReferenceTests.clear)"\(names[1])>\
                <a class="more" href="#"\(names[2])></a></div>
                """
            }
            try project.folder.write(
                "shop.html",
                shop(" aria-label='Buy'", " alt='A shoe'", " aria-label='More'")
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            // A new scene has boxes for all its findings.
            let more = "  - {suite: S, name: shop, file: shop.html}\n"
            try project.folder.write("scenes.yaml", scenes + more)
            #expect(try project.run().status == 1)
            let new = try project.summary().snapshots.first { $0.id == "A/S/shop.axe.yaml" }
            let old = "- color-contrast (serious): .price: Text must have enough contrast"
            #expect(new?.verdict == .new && new?.boxes?[old]?.first?.width == 320)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("shop.html", shop("", "", ""))
            let red = try project.run()
            #expect(red.status == 1, "\(red.said)")
            let lines = [
                "- button-name (critical): .buy: Buttons must have a name",
                "- image-alt (critical): .shoe: Images must have alternative text",
                "- link-name (serious): .more: Links must have a name",
                "- link-name (serious): .gone: Links must have a name",
            ]
            let rows = try project.summary().snapshots.filter { $0.verdict == .changed }
            let ids = ["A/S/part", "A/S/shop", "B/S/part", "B/S/shop"].map { $0 + ".axe.yaml" }
            #expect(rows.map(\.id) == ids)
            for row in rows {
                let hunks = row.hunks ?? ""
                for line in lines { #expect(hunks.contains("+\(line)\n"), "\(hunks)") }
                #expect(!hunks.contains("+- color-contrast"))
            }
            #expect(
                rows[1].boxes == [
                    lines[0]: [PixelBox(x: 50, y: 20, width: 60, height: 20)],
                    lines[1]: [PixelBox(x: 140, y: 90, width: 60, height: 20)],
                    lines[2]: [PixelBox(x: 50, y: 140, width: 60, height: 20)],
                ]
            )
            // The button is outside of this picture.
            #expect(
                rows[0].boxes == [
                    lines[1]: [PixelBox(x: 100, y: 10, width: 60, height: 20)],
                    lines[2]: [PixelBox(x: 10, y: 60, width: 60, height: 20)],
                ]
            )

            let review = try RunningReview(project, ["--no-open"])
            let browser = try TestBrowser()
            try browser.open(review.address)
            try browser.press("j")
            func shown(_ numbers: String, _ box: Int, _ place: String) throws -> Bool {
                try browser.waits(
                    for: """
                        (() => {
                          const card = document.querySelector(".change");
                          const image = card?.querySelector(".stage img");
                          const box = card?.querySelectorAll(".stage .frame i")[\(box)];
                          if (!box || !image) return false;
                          const [outer, inner] = [image, box].map((item) => item.getBoundingClientRect());
                          const scale = image.naturalWidth / outer.width;
                          const place = [(inner.x - outer.x) * scale, (inner.y - outer.y) * scale,
                            inner.width * scale, inner.height * scale].map(Math.round).join();
                          const numbers = [...card.querySelectorAll("pre ins")]
                            .map((line) => line.dataset.n ?? "").join();
                          return numbers === "\(numbers)" && place === "\(place)";
                        })()
                        """
                )
            }
            #expect(try shown(",1,,2", 0, "100,10,60,20"))
            #expect(try browser.text("document.querySelector('.tags').innerText").contains("2"))
            // The row of the other cell shows its own picture.
            try browser.press("ol")
            #expect(try shown(",1,,2", 1, "5,30,30,10"))
            let frames = "document.querySelector('.change').querySelectorAll('.frame').length"
            #expect(try browser.text(frames) == "1")
            func all(_ decision: String) throws -> Bool {
                try browser.waits(
                    for: """
                        [...document.querySelectorAll('.change')].map((card) => card.dataset.d).join()
                          === '\(decision),\(decision)'
                        """
                )
            }
            try browser.press("aja")
            #expect(try all("accepted"))
            try browser.press("p" + TestBrowser.enter)
            #expect(try all("published"))
            #expect(review.interrupt().status == 0)
            let green = try project.run()
            #expect(green.status == 0, "\(green.said)")
            #expect(try project.summary().snapshots.allSatisfy { $0.boxes == nil })
        }
    }
}
