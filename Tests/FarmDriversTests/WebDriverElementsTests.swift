// Tests of the element trees of pages in a real browser.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

extension WebDriverDriverTests {
    private static let page = """
        <style>body { margin: 0; font: 10px sans-serif } .btn { border-radius: 6px; width: 30px;
          height: 10px; background: rgb(0, 128, 0); border: 0; display: block; padding: 0 }
          .far { position: absolute; top: 900px }</style>
        <h1 id=title style="margin: 0">Cart <b>2</b></h1>
        <button class="btn css-1x2y3z" data-testid=pay>Pay</button>
        <p hidden>hidden</p><p style="visibility: hidden">unseen</p><p class=far>far below</p>
        <div id=host></div><input type=password value=secret style="width: 40px">
        <script>host.attachShadow({mode: "open"}).innerHTML = "<i>inside</i>"</script>
        """

    @Test("the elements of a capture are kept with selector, test id, box, text and styles")
    func elements() async throws {
        try await withStage(
            pages: ["page.html": Self.page],
            scenes: "  - {suite: s, name: page, file: page.html}\n"
        ) { stage in
            let found = try await stage.run(["s/page", "s/page"])
            let tree = try found[0].elements
            #expect(try found[1].elements == tree)
            let texts = tree.elements.map(\.text)
            #expect(texts.contains("Cart") && texts.contains("2") && texts.contains("inside"))
            for absent in ["hidden", "unseen", "far below", "secret"] {
                #expect(!texts.contains(absent), "\(absent)")
            }
            let title = try #require(tree.elements.first { $0.selector == "#title" })
            #expect(title.box.x == 0 && title.box.y == 0 && title.box.width == 240)
            let button = try #require(tree.elements.first { $0.testID == "pay" })
            #expect(button.selector == "[data-testid=pay]")
            #expect((button.box.width, button.box.height) == (60, 20))
            #expect(button.text == "Pay" && button.parent != nil)
            let values = Dictionary(
                uniqueKeysWithValues: zip(tree.properties, tree.styles[button.style ?? 0])
            )
            #expect(values["border-radius"] == "6px")
            #expect(values["background-color"] == "rgb(0, 128, 0)")
            #expect(!tree.isCut)
        }
    }

    @Test("`elements: false` keeps none; too many are cut, and the picture is the same")
    func elementsOff() async throws {
        let many =
            "<body style='margin: 0'><script>document.write('<i>x</i> '.repeat(3000))</script>"
        try await withStage(
            pages: ["many.html": many],
            scenes: "  - {suite: s, name: many, file: many.html, fullPage: true}\n"
        ) { stage in
            let cut = try await stage.run(["s/many"])[0]
            let tree = try cut.elements
            #expect(tree.isCut && tree.elements.count == 2_000)
            var other = stage
            other.settings.elements = false
            let without = try await other.run(["s/many"])[0]
            #expect(without.captures.first?.elements == nil)
            #expect(try without.picture == cut.picture)
        }
    }
}

extension TestResult {
    /// The element tree of the first capture.
    var elements: ElementTree {
        get throws {
            let path = try #require(captures.first?.elements)
            return try ElementTree(parsing: Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }
}
