// Tests of a host's filter, and of the button that accepts everything it shows.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("Filter of a host's page")
struct PageQueryTests {
    private let run = PageRun(ChangedRun.summary())

    private func shown(
        _ fields: [(name: String, value: String)],
        _ review: PageReview = ChangedRun.review()
    ) -> [String] {
        HTMLReport.render(run, review: review, language: .english, query: PageQuery(fields))
            .matches(of: #/<article class="change item" id="c-([0-9a-f]+)"/#).map { String($0.1) }
    }

    @Test(
        "it lets through what fits all of its words",
        arguments: [
            ([], [ChangedRun.many, ChangedRun.new, ChangedRun.unstable]),
            ([("v", "changed")], [ChangedRun.many]),
            ([("v", "new"), ("v", "flaky")], [ChangedRun.new, ChangedRun.unstable]),
            ([("v", "new"), ("text", "unstable")], []),
            ([("cell", Fixture.dark)], [ChangedRun.many]),
            ([("cell", "nowhere")], []),
            ([("suite", "Login")], [ChangedRun.many, ChangedRun.new, ChangedRun.unstable]),
            ([("suite", "Log")], []),
            ([("text", "LOGIN  unSTABLE")], [ChangedRun.unstable]),
            ([("text", Fixture.japanese)], [ChangedRun.new]),
            ([("d", "rejected")], [ChangedRun.many]),
            ([("d", "open")], [ChangedRun.new]),
            ([("d", "<script>")], []),
            (
                [("unknown", "x"), ("from", "-3")],
                [
                    ChangedRun.many, ChangedRun.new, ChangedRun.unstable,
                ]
            ),
            ([("from", "2")], [ChangedRun.unstable]),
            (
                [("from", "9999999999999999999")],
                [
                    ChangedRun.many, ChangedRun.new, ChangedRun.unstable,
                ]
            ),
            ([("from", "70")], []),
        ] as [([(String, String)], [String])]
    )
    func fits(fields: [(String, String)], expected: [String]) {
        let review = ChangedRun.review([ChangedRun.decisions(.rejected)])
        #expect(shown(fields.map { (name: $0.0, value: $0.1) }, review) == expected)
    }

    @Test("a hostile filter is text in the page, and its address leads to the same filter")
    func hostile() {
        let words = "\"><script>&=#\u{202E}"
        let query = PageQuery([("text", words), ("suite", words), ("change", "")])
        let page = HTMLReport.render(
            run,
            review: ChangedRun.review(),
            language: .english,
            query: query
        )
        #expect(!page.contains("\"><script>"))
        #expect(query.text.utf8.allSatisfy { $0 < 128 && $0 != UInt8(ascii: "\"") })
        #expect(query.text.ranges(of: "=").count == 2)
    }

    @Test("all that is open is taken: nothing decided in part, unstable or filtered away")
    func open() {
        var decisions = ChangedRun.decisions(.accepted)
        #expect(taken([]) == [ChangedRun.many, ChangedRun.new])
        #expect(taken(decisions) == [ChangedRun.new])
        decisions.removeLast()
        #expect(taken(decisions) == [ChangedRun.new])
        #expect(taken([], [("v", "changed")]) == [ChangedRun.many])
        #expect(taken([], [("change", ChangedRun.new)]) == [ChangedRun.new])
        #expect(taken([], [("change", "none")]) == [])
    }

    private func taken(
        _ decisions: [Decision],
        _ fields: [(name: String, value: String)] = []
    ) -> [String] {
        let open = OpenChanges(PageQuery(fields), of: run, DecisionBook(decisions))
        #expect(open.snapshots.isEmpty)
        return open.changes
    }

    @Test("the digest is of what is shown: other pictures give another, a decision does not")
    func digest() {
        func digest(_ summary: RunSummary, _ decisions: [Decision] = []) -> Digest {
            OpenChanges(PageQuery(), of: PageRun(summary), DecisionBook(decisions)).digest
        }
        let summary = ChangedRun.summary()
        #expect(digest(summary) == digest(summary, ChangedRun.decisions(.accepted)))
        var others: [RunSummary] = [summary, summary]
        others[0].changes?.removeLast()
        others[0].snapshots.removeAll { $0.verdict == .flaky }
        // Without stored changes, the digest depends on the captures.
        others[1].changes = nil
        var later = others[1]
        later.snapshots[0].capture = Digest(of: Data("later".utf8)).description
        let digests = ([summary, later] + others).map { digest($0) }
        #expect(Set(digests).count == 4)
    }

    @Test("more pictures than one form may decide about cannot be accepted at once, and it is said")
    func tooMany() {
        let summary = ChangedRun.wide(changes: 1_700, cells: 60)
        let page = HTMLReport.render(
            PageRun(summary),
            review: ChangedRun.review(),
            language: .english
        )
        #expect(page.contains("disabled>102,000 pictures are to decide; filter to at most 100,000"))
        #expect(page.ranges(of: "class=\"change item\"").count == 200)
        #expect(page.contains("Changes 1 to 200 of 1,700."))
        #expect(page.utf8.count < 4_000_000, "\(page.utf8.count)")
    }
}
