// Tests of the page of a comparison, which is that of a run without tests and decisions.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("Page of a comparison")
struct ComparedPageTests {
    /// A comparison with a difference of every kind, and hostile names on both sides.
    static let summary: RunSummary = {
        var summary = ChangedRun.summary()
        for (index, verdict) in [Verdict.missing, .moved, .errored, .passed].enumerated() {
            var picture = summary.snapshots[0]
            picture.name = "other \(index)"
            picture.id = "\(picture.cell)/\(picture.suite)/other \(index)"
            picture.verdict = verdict
            picture.words = verdict == .moved ? "moved from a/b." : "recoloured"
            summary.snapshots.append(picture)
        }
        summary.snapshots.removeAll { $0.verdict == .flaky }
        summary.snapshots.sort { $0.id < $1.id }
        for index in summary.snapshots.indices { summary.snapshots[index].test = "" }
        summary.problems = []
        summary.quarantined = nil
        summary.changes = RunChanges.of(summary)
        return summary
    }()

    static func sides(_ acceptances: [String: Acceptance]? = nil) -> ComparedSides {
        ComparedSides(
            left: SideTitle(name: "/srv/ada/v5 <1>", kind: .folder),
            right: SideTitle(name: "v5.2", kind: .set(String(repeating: "a", count: 40))),
            policy: "visible",
            acceptances: acceptances
        )
    }

    /// All differences but the first are accepted.
    static let acceptances: [String: Acceptance] = {
        let approved = LogEntry(
            entry: ObjectID(ofBlob: Data()),
            set: nil,
            visible: true,
            seconds: 1_790_000_000,
            title: "2 changed — Login — #412",
            trailers: [
                "Snapfarm-Run": "r-1", "Snapfarm-Recorder": "Ben <ben@example.org>",
                "Snapfarm-Reason": "a \"wider\" <b>",
            ]
        )
        let open = summary.snapshots.filter { $0.verdict != .passed }
        var all = Dictionary(uniqueKeysWithValues: open.map { ($0.id, Acceptance(approved)) })
        all[open[0].id] = Acceptance(nil as LogEntry?)
        return all
    }()

    private func markup(_ language: PageLanguage) -> String {
        HTMLReport.render(
            Self.summary,
            comparing: Self.sides(Self.acceptances),
            language: language
        )
        .replacing(/<style>(?s:.*?)<\/style>/, with: "<style></style>")
        .replacing(/<script>(?s:.*?)<\/script>/, with: "<script></script>")
    }

    @Test("its markup is stable")
    func golden() throws {
        try expectGolden(markup(.english), "compared-index.html")
    }

    @Test("it says what it is, and nothing of tests, runs and decisions")
    func honest() {
        let page = markup(.english)
        #expect(page.contains("snapfarm · comparison") && page.contains("<bdi>v5 &lt;1&gt;</bdi>"))
        for word in [
            "snapfarm approve", "snapfarm review", "/srv/ada", "class=\"tick\"", "id=\"bar\"",
            "This run", " tests",
        ] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("Before") && page.contains("After"))
    }

    @Test("it says of each change who accepted it or that nobody did, and filters by that")
    func acceptance() {
        let page = markup(.english)
        #expect(page.contains("Ben, 2026-09-21 14:13 UTC, run r-1, #412"))
        #expect(page.contains("<q><bdi>a &quot;wider&quot; &lt;b&gt;</bdi></q>"))
        #expect(page.contains("The journal does not say who recorded it."))
        #expect(page.contains("data-decided=\"never\">Never accepted <b>1</b>"))
        let without = HTMLReport.render(Self.summary, comparing: Self.sides())
        #expect(!without.contains("Never accepted") && !without.contains("data-decided="))
    }
}

@Suite("reg.json")
struct RegJSONTests {
    /// The fields in the files that reg-suit 0.12 and reg-cli 0.18 wrote.
    private static let fields = [
        "actualDir", "actualItems", "deletedItems", "diffDir", "diffItems", "expectedDir",
        "expectedItems", "failedItems", "newItems", "passedItems",
    ]

    @Test("it has the fields of reg-suit's file, and each list is sorted")
    func shape() throws {
        var reg = RegJSON(actualDir: "./actual", expectedDir: "./expected", diffDir: "./diff")
        reg.passedItems = ["b.png", "a/é.png", "a.png"]
        let bytes = try reg.json()
        let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
        #expect(object.keys.sorted() == Self.fields)
        #expect(object["passedItems"] as? [String] == ["a.png", "a/é.png", "b.png"])
        #expect(object["actualDir"] as? String == "./actual")
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"a/é.png\""))
    }
}
