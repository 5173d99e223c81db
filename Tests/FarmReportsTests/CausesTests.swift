// Tests of causes in all documents of a run.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("Causes in documents")
struct CausesTests {
    /// A run with two changed pictures of one screen that share a cause; one shows another, too.
    private static var summary: (summary: RunSummary, ids: [String]) {
        var run = ChangedRun.summary()
        let changed = run.snapshots.indices.filter { run.snapshots[$0].verdict == .changed }
        for (place, name) in zip(changed, ["one", "other"]) { run.snapshots[place].name = name }
        return CausedRun.summary(of: run, ["other": [0], "one": [0, 1]])
    }

    @Test("the terminal, the report and the comment list causes before changes")
    func documents() throws {
        let summary = Self.summary.summary
        let texts = [
            TerminalSummary.render(summary, style: .plain, width: 100),
            MarkdownReport.render(summary, limitBytes: 100_000),
            CommentSection.render(
                summary,
                links: CommentSection.Links(page: nil),
                bytesMax: 10_000
            ),
        ]
        for text in texts {
            let causes = try #require(
                text.range(of: "2 causes explain 2 of 2 changed pictures"),
                "\(text)"
            )
            let changes = try #require(text.range(of: " in 4 pictures"), "\(text)")
            #expect(causes.lowerBound < changes.lowerBound)
            let cause = try #require(text.range(of: "000000 → "), "\(text)")
            #expect(cause.lowerBound < changes.lowerBound)
            #expect(text.contains("2 pictures on 2 screens"))
        }
    }

    @Test("a host's page has a tick for each cause and one form, a page on a disk only shows them")
    func page() throws {
        let (summary, ids) = Self.summary
        let run = PageRun(summary)
        let page = HTMLReport.render(run, review: ChangedRun.review(), language: .english)
        for id in ids {
            #expect(page.contains("name=\"cause\" value=\"\(id)\""))
            #expect(page.contains("id=\"k-\(id)\""))
        }
        let causes = try #require(page.range(of: "id=\"causes\""))
        let changes = try #require(page.range(of: "id=\"changes\""))
        #expect(causes.lowerBound < changes.lowerBound)
        #expect(page.contains("<bdi>light/dark</bdi>") && !page.contains("2 cells: light/dark"))
        let disk = HTMLReport.render(summary)
        #expect(disk.contains("id=\"k-\(ids[0])\"") && !disk.contains("name=\"cause\""))
        let japanese = HTMLReport.render(summary, language: .japanese)
        #expect(japanese.contains("色が#000000から#b7410eに変更"))
        #expect(!HTMLReport.render(ChangedRun.summary()).contains("class=\"causes\""))
    }

    @Test("a summary of before causes were kept is read, and one with causes is read back equal")
    func coding() throws {
        let older = ChangedRun.summary()
        let bytes = try SummaryJSON.encode(older)
        let again = try SummaryJSON.decode(bytes)
        #expect(again == older)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("causes"))
        let summary = Self.summary.summary
        let kept = try SummaryJSON.encode(summary)
        #expect(try SummaryJSON.decode(kept) == summary)
    }
}
