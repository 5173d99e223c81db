// Tests of the picture beside a text of findings, on the page of a run.
import FarmCore
import FarmReports
import Testing

@Suite("The picture beside a text")
struct BoxedPictureTests {
    /// Returns a run whose only change is a text; its picture `files` are those of a pass.
    private func summary(_ files: [String: String]) throws -> RunSummary {
        var summary = ChangedRun.summary()
        var text = try #require(summary.snapshots.first { $0.verdict == .changed })
        var picture = text
        text.name = "cart.axe.yaml"
        text.id = "\(text.cell)/\(text.suite)/\(text.name)"
        (text.width, text.height) = (0, 0)
        text.clusters = []
        text.hunks = "@@ -1,1 +1,3 @@\n+- a (x): b: c\n old\n+- d <i>: e\n"
        let boxes = [1, 9].map { PixelBox(x: $0, y: 2, width: 3, height: 4) }
        text.boxes = ["- d <i>: e": boxes, "- a (x): b: c": [boxes[1]]]
        picture.name = "cart"
        picture.id = "\(text.cell)/\(text.suite)/cart"
        picture.verdict = .passed
        picture.files = files
        (picture.width, picture.height) = (40, 30)
        summary.snapshots = [picture, text]
        summary.changes = nil
        return summary
    }

    @Test("is shown with the boxes and the lines that name them, wherever the page has it")
    func shown() throws {
        let passed = try summary(["capture": "captures/c/S/cart.png"])
        let stage =
            "<div class=\"stage\" data-b=\"9,2,3,4,0,1;1,2,3,4,1\"><figure class=\"current\">"
        let page = HTMLReport.render(passed)
        #expect(page.contains(stage))
        #expect(page.contains("<img src=\"../captures/c/S/cart.png\" width=\"40\" height=\"30\""))
        // Nothing offers to ignore a region of a text.
        #expect(page.contains(" data-ignore=\"\""))
        // The zip has only what differs.
        let zip = HTMLReport.render(passed, in: .zip)
        #expect(!zip.contains("class=\"stage\"") && !zip.contains("cart.png"))
        let changed = try summary(["failed": "FailureDiffs/c/cart.png"])
        #expect(HTMLReport.render(changed, in: .zip).contains(stage))
        #expect(!HTMLReport.render(try summary([:])).contains("class=\"stage\""))
        var without = passed
        without.snapshots.removeFirst()
        #expect(!HTMLReport.render(without).contains("class=\"stage\""))
    }
}
