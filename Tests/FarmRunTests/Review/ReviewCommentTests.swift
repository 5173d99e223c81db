import FarmCore
import FarmTesting
import Testing

@testable import FarmRun

@Suite("A comment that decides")
struct ReviewCommentTests {
    private static let run = "20261121-160703-tatu"
    private static let one = "3f9c1d2e4b5a"
    private static let two = "77aa00bb1122"

    @Test("commands and the changes below them are read, and words behind ids mean nothing")
    func whole() throws {
        let comment = try ReviewComment(
            parsing: """
                /snapfarm accept \(Self.run)
                \(Self.one) the title is blue, 24 cells <script>alert(1)</script> $(rm -rf /)
                  \(Self.two)\t\u{202E}words\r
                \r
                /snapfarm reject \(Self.run): the red is a bug: see #12\r
                0123456789ab

                """
        )
        #expect(comment.run == Self.run)
        #expect(comment.accepted == [Self.one, Self.two])
        #expect(comment.rejected.map(\.reason) == ["the red is a bug: see #12"])
        let short = try ReviewComment(parsing: "/snapfarm reject \(Self.run)\n\(Self.one)")
        #expect(short.rejected.map(\.reason) == [""])
        #expect(comment.rejected.map(\.changes) == [["0123456789ab"]])
    }

    @Test(
        "anything else is refused as a whole",
        arguments: [
            ("", "comment-no-decision"),
            ("  \n\n", "comment-no-decision"),
            ("looks good", "comment-line-unknown"),
            ("/snapfarm accept RUN", "comment-without-changes"),
            ("/snapfarm accept\nID", "comment-line-unknown"),
            ("/snapfarm accept RUN please\nID", "comment-line-unknown"),
            ("/snapfarm accept  RUN\nID", "comment-line-unknown"),
            ("/snapfarm accept ../../etc\nID", "comment-line-unknown"),
            ("/snapfarm accept RUN;id\nID", "comment-line-unknown"),
            ("/snapfarm accept \u{301}RUN\nID", "comment-line-unknown"),
            ("/snapfarm approve RUN\nID", "comment-line-unknown"),
            ("/snapfarm reject RUN:\nID", "comment-line-unknown"),
            ("/snapfarm reject RUN:  \nID", "comment-line-unknown"),
            ("> /snapfarm accept RUN\n> ID", "comment-line-unknown"),
            ("```\n/snapfarm accept RUN\nID\n```", "comment-line-unknown"),
            ("/snapfarm accept RUN\nID\nthank you", "comment-line-unknown"),
            ("ID\n/snapfarm accept RUN", "comment-line-unknown"),
            ("/snapfarm accept RUN\n3F9C1D2E4B5A", "comment-line-unknown"),
            ("/snapfarm accept RUN\n3f9c1d2e4b5", "comment-line-unknown"),
            ("/snapfarm accept RUN\n3f9c1d2e4b5a0", "comment-line-unknown"),
            ("/snapfarm accept RUN\n3f9c1d2e4b5\u{FF11}", "comment-line-unknown"),
            ("/snapfarm accept RUN\nID,ID", "comment-line-unknown"),
            ("/snapfarm accept RUN\nID\nID again", "comment-decided-twice"),
            ("/snapfarm accept RUN\nID\n/snapfarm reject RUN: no\nID", "comment-decided-twice"),
            (
                "/snapfarm accept RUN\nID\n/snapfarm accept other\n0123456789ab",
                "comment-several-runs"
            ),
            ("/snapfarm accept RUN\n/snapfarm reject RUN: no\nID", "comment-without-changes"),
        ]
    )
    func refused(text: String, code: String) {
        let text = text.replacing("RUN", with: Self.run).replacing("ID", with: Self.one)
        let error = #expect(throws: ReviewCommentError.self) { try ReviewComment(parsing: text) }
        #expect(error?.code == code, "\(error?.message ?? "nothing was refused")")
    }

    @Test("a comment as long as a host takes is read, and a longer one is refused at once")
    func long() throws {
        let head = "/snapfarm accept \(Self.run)\n"
        let lines = (0..<4_000).map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 12 - digits.count) + digits + " words\n"
        }
        let comment = try ReviewComment(parsing: head + lines.joined())
        #expect(comment.accepted.count == 4_000)
        let long = head + Self.one + String(repeating: "é", count: FarmLimits.reviewCommentBytesMax)
        let error = #expect(throws: ReviewCommentError.self) { try ReviewComment(parsing: long) }
        #expect(error == .tooLong)
    }

    @Test("a change that names other pictures than its id is made of is none")
    func forged() throws {
        var summary = SampleRun.summary(pictures: ["A/S/one", "A/S/two"])
        for index in summary.snapshots.indices { summary.snapshots[index].verdict = .changed }
        let changes = RunChanges.of(summary)
        summary.changes = changes
        #expect(summary.genuineChanges == changes && changes.count == 2)
        summary.changes?[0].snapshots = changes[1].snapshots
        #expect(summary.genuineChanges == [changes[1]])
        summary.changes?[0].snapshots = ["A/S/nobody"]
        #expect(summary.genuineChanges == [changes[1]])
        summary.snapshots[1].capture = "sha256:other"
        #expect(summary.genuineChanges == [])
    }

    @Test("ids lead to the pictures of the run, and a stale or edited id to none")
    func choice() throws {
        let changes = [
            ChangeSummary(
                id: Self.one,
                words: "blue",
                cells: "2 cells",
                snapshots: ["A/S/one", "B/S/one"]
            ),
            ChangeSummary(id: Self.two, words: "red", cells: "1 cell", snapshots: ["A/S/two"]),
        ]
        func comment(_ ids: String...) throws -> ReviewComment {
            try ReviewComment(
                parsing: "/snapfarm accept \(Self.run)\n" + ids.joined(separator: "\n")
            )
        }
        let taken = try comment(Self.one).choice(in: changes, of: Self.run)
        #expect(taken.accepted.map(\.text).sorted() == ["A/S/one", "B/S/one"])
        #expect(taken.rejected.isEmpty)
        let rejecting = try ReviewComment(parsing: "/snapfarm reject \(Self.run): no\n\(Self.two)")
        let left = try rejecting.choice(in: changes, of: Self.run)
        #expect(left.accepted.isEmpty)
        #expect(left.rejected.first?.pictures.map(\.text) == ["A/S/two"])
        for (changes, run, code) in [
            (changes, "20261122-000000-aaaa", "comment-other-run"),
            (nil, Self.run, "comment-run-without-changes"),
            ([], Self.run, "comment-changes-unknown"),
            ([changes[1]], Self.run, "comment-changes-unknown"),
        ] as [([ChangeSummary]?, String, String)] {
            let error = #expect(throws: ReviewCommentError.self) {
                try comment(Self.one).choice(in: changes, of: run)
            }
            #expect(error?.code == code)
        }
    }
}
