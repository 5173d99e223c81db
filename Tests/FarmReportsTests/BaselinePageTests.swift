// Tests of the page that explains why a picture is the reference, with hostile names.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("why a picture is the reference, on the page")
struct BaselinePageTests {
    private static let addresses = PageReview.Addresses(
        files: "/r/files/",
        decisions: "/r/decisions",
        publish: "/r/publish",
        events: "/r/events",
        style: "/r/page.css",
        script: "/r/page.js",
        baseline: "/r/baseline",
        catalogue: "/r/catalogue/",
        thumbnails: "/r/thumbs/"
    )
    private static let hostile = "<script>\u{202E}\"&'"

    private static func object(_ text: String) -> ObjectID { ObjectID(ofBlob: Data(text.utf8)) }

    private static func entry(_ set: String, reason: String) -> LogEntry {
        LogEntry(
            entry: object("entry" + set),
            set: object(set),
            visible: true,
            seconds: 1_767_323_045,
            title: "1 changed \(hostile)",
            trailers: [
                "Snapfarm-Recorder": "Ann \(hostile)", "Snapfarm-Reason": reason,
                "Snapfarm-Run": "run-\(set)",
            ]
        )
    }

    static func baseline() throws -> Baseline {
        let id = try #require(SnapshotID(exactly: Fixture.summary().snapshots[0].id))
        let older = try SnapshotID(cell: CellID("old"), suite: "S", name: "before")
        var baseline = Baseline(
            id: id,
            set: object("set 2"),
            reference: object("now"),
            predecessor: older,
            test: TestID("App/\(hostile)"),
            renderer: ["os": "26.1"],
            events: [
                LifeEvent(
                    entry: entry("set 2", reason: "new style"),
                    change: .changed,
                    id: id,
                    objectID: object("now")
                ),
                LifeEvent(
                    entry: entry("set 1", reason: hostile),
                    change: .renamed,
                    id: id,
                    objectID: object("then"),
                    from: older
                ),
            ],
            isCut: true
        )
        baseline.refused = [
            Decision(
                kind: .rejected,
                pipeline: "app",
                snapshot: id,
                capture: Digest(of: Data("refused".utf8)),
                reference: object("now"),
                reason: "too pale \(hostile)",
                who: "Ben",
                when: 1_767_323_045_000,
                run: "r"
            )
        ]
        return baseline
    }

    private func page(
        _ baseline: Baseline?,
        history: [AttemptSummary]? = nil,
        _ language: PageLanguage = .english
    ) -> String {
        var summary = Fixture.summary()
        let picture = summary.snapshots[0]
        for place in summary.tests.indices
        where summary.tests[place].test == picture.test
            && summary.tests[place].cell == picture.cell
        {
            summary.tests[place].history = history
        }
        return HTMLReport.baseline(
            baseline,
            of: picture,
            in: summary,
            addresses: Self.addresses,
            language: language
        )
    }

    @Test("it says set, pin, since when, by whom, why, what stands for it and what was refused")
    func told() throws {
        let page = page(try Self.baseline())
        for words in [
            "/r/catalogue/?set=\(Self.object("set 2").hex)", "2026-01-02 03:04 UTC", "new style",
            "run-set 2", "old/S/before", "os 26.1", "too pale", "Ben", "Renamed from",
            "/r/catalogue/thumbs/\(Self.object("then").hex).png", "does not tell what was before",
        ] { #expect(page.contains(words), "\(words)") }
        #expect(page.contains("id=\"why\""))
    }

    @Test("names of others are text, in both languages", arguments: PageLanguage.allCases)
    func hostile(language: PageLanguage) throws {
        let page = page(try Self.baseline(), language)
        #expect(!page.contains("<script>") && !page.contains("\u{202E}"))
        #expect(page.contains("lang=\"\(language.rawValue)\""))
    }

    @Test("without a store, and without a picture in the set, it says so in one line")
    func unknown() throws {
        #expect(page(nil).contains("No reference store"))
        var none = try Self.baseline()
        none.reference = nil
        none.events = []
        #expect(page(none).contains("no picture of this name"))
    }

    @Test("attempts of the picture's test are listed with their logs")
    func attempts() {
        let history = [
            AttemptSummary(verdict: nil, seconds: 0, worker: "w1", message: Self.hostile),
            AttemptSummary(verdict: .passed, seconds: 2, worker: "w2", log: "logs/j/A a-1.log"),
        ]
        let page = page(nil, history: history)
        #expect(page.contains("Attempts of its test") && page.contains("its machine was lost"))
        #expect(page.contains("href=\"/r/files/logs/j/A%20a-1.log\""))
        #expect(!page.contains("<script>"))
        #expect(!self.page(nil).contains("Attempts of its test"))
    }

    @Test("at a host a card has the fold, on a disk it has none")
    func fold() {
        let review = PageReview(
            addresses: Self.addresses,
            decisions: DecisionBook(),
            person: "ada",
            mayDecide: true,
            formToken: "t"
        )
        let hosted = HTMLReport.render(
            PageRun(Fixture.summary()),
            review: review,
            language: .english
        )
        let folds = hosted.ranges(of: "details class=\"why\"").count
        #expect(folds > 0 && folds == hosted.ranges(of: "class=\"change item").count)
        #expect(hosted.contains("href=\"/r/catalogue/?lang=en\""))
        #expect(hosted.contains("data-thumbnails=\"/r/thumbs/\""))
        #expect(!HTMLReport.render(Fixture.summary()).contains("class=\"why\""))
    }

    @Test("on a disk the history shows the pictures beside it, with run and person of each")
    func onDisk() throws {
        let baseline = try Self.baseline()
        let pictures = HTMLReport.pictures(of: baseline)
        #expect(pictures == [Self.object("now"), Self.object("then")])
        let page = HTMLReport.history(baseline, files: [pictures[1]])
        #expect(page.contains("src=\"pictures/\(pictures[1].hex).png\""))
        #expect(!page.contains(pictures[0].hex), "the store has no such picture")
        #expect(page.contains("run run-set 2") && page.contains("new style"))
        #expect(!page.contains("<script>") && !page.contains("href=\"/"))
        #expect(HTMLReport.history(baseline, files: [], language: .japanese).contains("履歴"))
    }
}
