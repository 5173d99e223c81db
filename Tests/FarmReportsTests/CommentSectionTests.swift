// Tests of a run's section in a pull request's comment.
import FarmCore
import FarmReports
import FarmRun
import Testing

@Suite("A run's section of a comment")
struct CommentSectionTests {
    /// Returns a run with a screen changed on twelve cells, and a test that failed on two of them.
    private static func summary() -> RunSummary {
        let cells = (1...12).map { number in
            CellSummary(
                id: "D-\(number)",
                device: "Device \(number)",
                os: "13.1",
                variant: [:],
                complete: true,
                counts: VerdictCounts()
            )
        }
        var summary = RunSummary(
            run: RunFacts(
                id: "20261121-030000-abcd",
                key: "",
                pipeline: "wallet",
                mode: .verify,
                filtered: true,
                commit: String(repeating: "ab", count: 20),
                branch: "",
                pullRequest: "7",
                set: "",
                planDigest: "",
                started: "",
                finished: "",
                part: "job=snapshot_test"
            ),
            state: .failed,
            exitCode: 1,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: cells,
            tests: cells.prefix(2).map { cell in
                TestSummary(
                    job: "s",
                    cell: cell.id,
                    test: "T/pay",
                    verdict: .failed,
                    attempts: 1,
                    seconds: 1,
                    message: "no <money>\nsecond line"
                )
            },
            snapshots: cells.enumerated().map { index, cell in
                picture(cell.id, share: Double(index) / 100)
            },
            artifacts: [],
            problems: []
        )
        for _ in cells { summary.counts.add(.changed) }
        summary.changes = [
            ChangeSummary(
                id: "0123456789ab",
                words: "differs by 0.0",
                cells: "12 cells: 12 devices",
                snapshots: summary.snapshots.map(\.id)
            )
        ]
        return summary
    }

    private static func picture(_ cell: String, share: Double) -> SnapshotSummary {
        SnapshotSummary(
            id: "\(cell)/Checkout/cart",
            job: "s",
            cell: cell,
            suite: "Checkout",
            name: "cart",
            identifier: "cart",
            test: "T/cart",
            verdict: .changed,
            reference: "",
            capture: "",
            width: 1,
            height: 1,
            differingPixels: 1,
            share: share,
            largestDelta: 1,
            clusters: [],
            words: "differs by \(share)",
            files: ["diff": "FailureDiffs/diff.png"]
        )
    }

    @Test("a change on twelve cells is one row, with the words of its first picture")
    func rows() {
        let links = CommentSection.Links(page: "https://ci/1")
        let text = CommentSection.render(Self.summary(), links: links, bytesMax: 6_000)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("|≠") }
        #expect(
            rows == [
                "|≠ changed **Checkout/cart**|12 cells&#58; 12 devices|differs by 0.0|"
            ]
        )
        #expect(text.contains("**1 change in 12 pictures**\n"))
        #expect(text.contains("(job=snapshot&#95;test): failed"))
        #expect(
            text.contains(
                "- ✕ **failed** T/pay on 2 cells&#58; Device 1 (13.1), Device 2 (13.1): "
                    + "no &lt;money&gt;\n"
            )
        )
    }

    @Test("pictures of deleted tests are approved with the option that takes them out")
    func removed() {
        var summary = Self.summary()
        summary.snapshots = (1...2).map { number in
            var picture = Self.picture("D-\(number)", share: 0)
            picture.verdict = .missing
            return picture
        }
        let links = CommentSection.Links(page: nil)
        let approve = "approve --from FailureDiffs.zip --remove-missing "
        #expect(CommentSection.render(summary, links: links, bytesMax: 6_000).contains(approve))
        let red = CommentSection.render(Self.summary(), links: links, bytesMax: 6_000)
        #expect(red.contains("approve --from FailureDiffs.zip "))
        #expect(!red.contains("--remove-missing"))
    }

    @Test("the first lines of a text are below the table, on any host, or counted")
    func texts() {
        var summary = Self.summary()
        let links = CommentSection.Links(page: nil)
        let before = CommentSection.render(summary, links: links, bytesMax: 6_000)
        #expect(!before.contains("diff\n"))
        for place in summary.snapshots.indices {
            summary.snapshots[place].hunks = "@@ -1,1 +1,1 @@\n-a ```\n+b\n"
        }
        let text = CommentSection.render(summary, links: links, bytesMax: 6_000)
        let block = "**Checkout/cart**\n\n````diff\n@@ -1,1 +1,1 @@\n-a ```\n+b\n````\n"
        #expect(text.ranges(of: block).count == 1, "\(text)")
        #expect(!text.contains("<details>"), "Bitbucket shows HTML as text")
        let line = "+" + String(repeating: "word ", count: 12) + "\n"
        let long = "@@ -1,0 +1,99 @@\n" + String(repeating: line, count: 99)
        for place in summary.snapshots.indices { summary.snapshots[place].hunks = long }
        let cut = CommentSection.render(summary, links: links, bytesMax: 6_000)
        #expect(cut.contains(line + "…\n```\n") && cut.ranges(of: line).count == 11)
        let short = CommentSection.render(summary, links: links, bytesMax: before.utf8.count + 100)
        #expect(short.contains("\n1 changed text is only in the report."), "\(short)")
        #expect(!short.contains("diff\n") && short.contains("|≠ changed **Checkout/cart**|"))
    }

    @Test("what follows from a problem is told with it, and has no row")
    func folded() {
        var summary = Self.summary()
        summary.snapshots = (1...12).map { number in
            var picture = Self.picture("D-\(number)", share: 0)
            picture.verdict = .missing
            picture.test = ""
            return picture
        }
        summary.problems = (1...12).map { number in
            Problem(
                code: "references-without-owner",
                message: "no job makes D-\(number)/Checkout.",
                remedy: "`snapfarm refs retire D-\(number)/Checkout`.",
                about: "D-\(number)/Checkout"
            )
        }
        let links = CommentSection.Links(page: nil)
        let text = CommentSection.render(summary, links: links, bytesMax: 60_000)
        #expect(text.ranges(of: "**references-without-owner**").count == 1)
        #expect(text.contains("12 pictures follow from it."))
        #expect(!text.contains("|"), "no table")
        let remedy = String(repeating: "Mend what is broken. ", count: 15)
        summary.problems = [Problem(code: "x", message: "It is broken.", remedy: remedy + "End.")]
        let whole = CommentSection.render(summary, links: links, bytesMax: 60_000)
        #expect(whole.contains(remedy + "End."), "a remedy is never cut")
    }

    @Test("the section leads to the artifacts and to the command that approves this run")
    func ways() {
        let links = CommentSection.Links(page: "https://ci/1")
        let text = CommentSection.render(Self.summary(), links: links, bytesMax: 6_000)
        #expect(text.contains("[job](https://ci/1)"))
        #expect(text.contains("`FailureDiffs.zip` from [the job's artifacts](https://ci/1)"))
        let tab = "https://ci/1?tab=artifacts"
        let own = CommentSection.Links(page: "https://ci/1", artifacts: tab)
        let linked = CommentSection.render(Self.summary(), links: own, bytesMax: 6_000)
        #expect(linked.contains("[job](https://ci/1)"))
        #expect(linked.contains("`FailureDiffs.zip` from [the job's artifacts](\(tab))"))
        #expect(linked.contains("[artifacts with report and pictures](\(tab))"))
        #expect(text.contains("snapfarm review --from FailureDiffs.zip "))
        #expect(text.contains("snapfarm approve --from FailureDiffs.zip"))
        #expect(text.contains("snapfarm approve --run 20261121-030000-abcd"))
        let whole = CommentSection.Links(page: "https://ci/1", artifacts: tab, zip: "artifacts.zip")
        let zipped = CommentSection.render(Self.summary(), links: whole, bytesMax: 6_000)
        #expect(
            zipped.contains("Take [the job's artifacts](\(tab)) as one zip, here `artifacts.zip`:")
        )
        #expect(zipped.contains("snapfarm review --from artifacts.zip "))
        #expect(zipped.contains("snapfarm approve --from artifacts.zip"))
        #expect(!zipped.contains("FailureDiffs.zip"))
        var shard = Self.summary()
        shard.run.shard = "0/2"
        let other = CommentSection.render(shard, links: links, bytesMax: 6_000)
        #expect(!other.contains("approve"), "one shard is not reviewed")
        let bad = CommentSection.Links(page: "https://ci/1)](x")
        #expect(!CommentSection.render(shard, links: bad, bytesMax: 6_000).contains("ci/1"))
    }

    @Test("where a job reads comments, the section offers the text of one, which decides as it is")
    func comment() throws {
        var summary = Self.summary()
        summary.changes = nil
        summary.changes = RunChanges.of(summary)
        let ids = try #require(summary.changes).map(\.id)
        let without = CommentSection.Links(page: nil)
        let text = CommentSection.render(summary, links: without, bytesMax: 6_000)
        #expect(!text.contains("/snapfarm"))
        let links = CommentSection.Links(page: nil, takesComments: true)
        let offered = CommentSection.render(summary, links: links, bytesMax: 6_000)
        let block = try #require(offered.firstMatch(of: #/```text\n([\s\S]*)```/#))
        let comment = try ReviewComment(parsing: String(block.1))
        #expect(comment.run == summary.run.id && comment.accepted == ids)
        #expect(offered.contains("`/snapfarm reject \(summary.run.id): REASON`"))
        summary.snapshots = (1...21).map { number in
            var picture = Self.picture("D-1", share: 0)
            picture.id = "D-1/Suite \(number)/cart"
            picture.suite = "Suite \(number)"
            return picture
        }
        summary.changes = nil
        summary.changes = RunChanges.of(summary)
        let many = CommentSection.render(summary, links: links, bytesMax: 60_000)
        #expect(!many.contains("```text") && many.contains("`/snapfarm accept \(summary.run.id)`"))
    }

    @Test("reference and new picture stand side by side where their host shows them")
    func pictures() {
        let picture = CommentSection.Picture(reference: "https://h/r.png", now: "https://h/n.png")
        let links = CommentSection.Links(page: nil, pictures: ["D-1/Checkout/cart": picture])
        let text = CommentSection.render(Self.summary(), links: links, bytesMax: 6_000)
        #expect(text.contains("|change|on|found|reference|now|\n"))
        #expect(
            text.contains(
                "|<img src=\"https://h/r.png\" width=\"160\">|"
                    + "<img src=\"https://h/n.png\" width=\"160\">|\n"
            )
        )
    }

    @Test("a section keeps its limit, and counts what did not fit", arguments: [300, 600, 1_500])
    func limit(bytesMax: Int) {
        var summary = Self.summary()
        summary.snapshots = (1...200).map { number in
            var picture = Self.picture("D-1", share: 0)
            picture.suite = "Suite \(number)"
            picture.id = "D-1/Suite \(number)/cart"
            return picture
        }
        let links = CommentSection.Links(page: "https://ci/1")
        let text = CommentSection.render(summary, links: links, bytesMax: bytesMax)
        #expect(text.hasPrefix("### ≠ wallet"))
        #expect(text.utf8.count <= bytesMax)
        #expect(bytesMax < 600 || text.contains("changes are only in the report"))
    }
}
