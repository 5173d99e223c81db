// Tests that every output for people shows earlier rejections beside the verdicts.
import FarmCore
import FarmReports
import Foundation
import Testing

@testable import FarmRun

@Suite("Pictures that were rejected before")
struct RejectedTests {
    /// Returns the fixture with distinct captures and references.
    ///
    /// Pictures with names that no run writes are left out, since they cannot be decided about.
    private static func summary() -> RunSummary {
        var summary = Fixture.summary()
        summary.snapshots.removeAll { SnapshotID(exactly: $0.id) == nil }
        for index in summary.snapshots.indices {
            let id = summary.snapshots[index].id
            summary.snapshots[index].capture = Digest(of: Data(id.utf8)).description
            summary.snapshots[index].reference = ObjectID(ofBlob: Data(id.utf8)).hex
        }
        return summary
    }

    private static func rejection(
        _ picture: SnapshotSummary,
        who: String = "ada",
        reason: String = "too pale"
    ) throws -> Decision {
        let subject = try #require(picture.subject)
        return Decision(
            kind: .rejected,
            pipeline: "wallet",
            snapshot: subject.snapshot,
            capture: subject.capture,
            reference: subject.reference,
            reason: reason,
            who: who,
            when: 1,
            run: "earlier"
        )
    }

    @Test(
        "terminal, comment, reports and status say who rejected what, and why; none without rejections"
    )
    func said() throws {
        let summary = Self.summary()
        let open = summary.openPictures
        try #require(open.count >= 2)
        let book = DecisionBook(try open.map { try Self.rejection($0) })
        let rejected = RejectedPictures(of: summary, in: book)
        #expect(rejected.count == open.count)
        #expect(rejected.groups.map(\.words) == ["rejected by ada: too pale"])
        let words = "rejected by ada: too pale"
        let terminal = TerminalSummary.render(
            summary,
            style: .plain,
            width: nil,
            rejected: rejected
        )
        #expect(terminal.contains("\n\(open.count) pictures were rejected before:\n"))
        #expect(terminal.contains(words))
        let comment = CommentSection.render(
            summary,
            rejected: rejected,
            links: CommentSection.Links(page: nil),
            bytesMax: 60_000
        )
        #expect(comment.replacing("&#58;", with: ":").contains("**\(words)**"))
        let report = MarkdownReport.render(summary, rejected: rejected, limitBytes: 60_000)
        #expect(report.contains("## Rejected before (\(open.count))\n"))
        #expect(report.replacing("&#58;", with: ":").contains("**\(words)**"))
        for language in [PageLanguage.english, .japanese] {
            let page = HTMLReport.render(summary, rejected: rejected, language: language)
            #expect(page.contains("<bdi>ada</bdi>") && page.contains("<bdi>too pale</bdi>"))
            #expect(!HTMLReport.render(summary, language: language).contains("id=\"rejected\""))
        }
        // A status with all verdicts has no room for rejections.
        var few = summary
        few.counts = VerdictCounts()
        few.counts.add(.changed)
        let status = CommitStatus(few, rejected: rejected, page: nil)
        #expect(status.description.hasSuffix("; " + words), "\(status.description)")
        let plain = RejectedPictures(of: summary, in: DecisionBook())
        #expect(plain.isEmpty)
        #expect(
            CommitStatus(summary, rejected: plain, page: nil) == CommitStatus(summary, page: nil)
        )
    }

    @Test("another capture, another reference, a change of mind: nothing is rejected")
    func subjects() throws {
        let summary = Self.summary()
        let picture = try #require(summary.openPictures.first)
        var capture = try Self.rejection(picture)
        capture.capture = Digest(of: Data("other".utf8))
        var reference = try Self.rejection(picture)
        reference.reference = ObjectID(ofBlob: Data("other".utf8))
        var accepted = try Self.rejection(picture)
        accepted.kind = .accepted
        let all = [
            [capture], [reference], [try Self.rejection(picture), accepted],
        ]
        for decisions in all {
            let rejected = RejectedPictures(of: summary, in: DecisionBook(decisions))
            #expect(rejected.isEmpty)
        }
    }

    @Test("words of people are one line that moves no cursor, in whatever they end")
    func hostile() throws {
        let summary = Self.summary()
        let reason = "a\u{1B}[2J\n<script>\u{202E}|b " + String(repeating: "x", count: 4_000)
        let decisions = try summary.openPictures.enumerated().map { index, picture in
            try Self.rejection(picture, who: "m\r\n\(index)", reason: reason)
        }
        let rejected = RejectedPictures(of: summary, in: DecisionBook(decisions))
        #expect(rejected.groups.count == decisions.count)
        let terminal = TerminalSummary.render(
            summary,
            style: .plain,
            width: 80,
            rejected: rejected
        )
        let unsafe = terminal.unicodeScalars.filter { TerminalText.isUnsafe($0) && $0 != "\n" }
        #expect(unsafe.isEmpty)
        let comment = CommentSection.render(
            summary,
            rejected: rejected,
            links: CommentSection.Links(page: nil),
            bytesMax: 6_000
        )
        #expect(comment.utf8.count <= 6_000 && !comment.contains("<script>"))
        let status = CommitStatus(summary, rejected: rejected, page: nil)
        #expect(status.description.count <= 140 && !status.description.contains("\n"))
    }
}
