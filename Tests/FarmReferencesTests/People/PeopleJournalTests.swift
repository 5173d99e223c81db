import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("the journal for people")
struct PeopleJournalTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("an entry says what changed, where, why and by whom, and shows it")
    func entry() throws {
        let fixture = try StoreFixture()
        let first = try fixture.record([
            try fixture.recording("b", ["Checkout/pay": "1", "Checkout/done": "2"]),
            try fixture.recording("a", ["Checkout/pay": "1"]),
        ])
        let second = try fixture.record(
            [
                try fixture.recording("b", complete: false, ["Checkout/pay": "x"]),
                try fixture.recording("a", complete: false, ["Checkout/new": "y"]),
            ],
            over: first.pin
        )
        let device = Device(name: "iPhone 8", os: "13.1", width: 375, height: 667, scale: 2)
        let dark = [VariantValue(axis: "appearance", value: "dark")]
        try fixture.store.appendJournal(
            of: second.pin,
            since: first.pin,
            note: JournalNote(
                change: "#123",
                mainCommit: "abc",
                run: "r1",
                recorder: "Ann",
                reason: "new\ncolours"
            ),
            cells: [Cell(id: CellID("b"), device: device, variant: dark)],
            now: now
        )
        let message = try fixture.git("log", "-1", "--format=%s|%b", "main")
        let expected = """
            1 changed, 1 new — Checkout — #123|Snapfarm-Set: \(second.set)
            Snapfarm-Base: \(first.set)
            Snapfarm-Main-Commit: abc
            Snapfarm-Run: r1
            Snapfarm-Recorder: Ann
            Snapfarm-Reason: new colours


            """
        #expect(message == expected)
        let page = try fixture.git("show", "main:catalogue/Checkout.md")
        let pay = """
            ## pay

            |iPhone 8|a|
            |:---:|:---:|
            |13.1||
            |750×1334||
            |dark||
            |<img src="../b/Checkout/pay.png" width="160" loading="lazy">\
            |<img src="../a/Checkout/pay.png" width="160" loading="lazy">|
            """
        #expect(page.contains(pay))
        #expect(try fixture.git("show", "main:b/Checkout/pay.png") == "PNG x")
        #expect(
            try fixture.git("show", "main:catalogue/README.md")
                .contains("| [Checkout](Checkout.md) | 3 | 4 |")
        )
        #expect(try fixture.git("show", "main:README.md").contains("(catalogue)"))
        #expect(try fixture.faults() == [])
    }

    @Test("pages hold at most 200 pictures, each picture once, and no picture is read")
    func paged() throws {
        let fixture = try StoreFixture()
        fixture.staysBroken = true
        var pictures: [String: String] = [:]
        for number in 0..<150 { pictures["Big/\(number)"] = "same" }
        pictures["Small/1"] = "small"
        let made = try fixture.record([
            try fixture.recording("a", pictures), try fixture.recording("b", pictures),
        ])
        // The pages are made from names only.
        try fixture.removeLoose(object("small"))
        try fixture.store.appendJournal(
            of: made.pin,
            since: ReferencePin(),
            note: JournalNote(),
            now: now
        )
        let files = try fixture.git("ls-tree", "-r", "--name-only", "main", "catalogue/")
        let names = files.split(separator: "\n").map(String.init)
        let expected = [
            "catalogue/Big-2.md", "catalogue/Big.md", "catalogue/README.md",
            "catalogue/Small.md",
        ]
        #expect(names == expected)
        var seen: [String: Int] = [:]
        for name in names {
            let text = try fixture.git("show", "main:\(name)")
            let shown = text.matches(of: /src="\.\.\/([^"]*)"/).map { String($0.1) }
            #expect(shown.count <= CataloguePages.picturesMax)
            for path in shown { seen[path, default: 0] += 1 }
        }
        #expect(seen.count == 302)
        #expect(seen.values.allSatisfy { $0 == 1 })
        let title = try fixture.git("log", "-1", "--format=%s", "main")
        #expect(title == "302 new — Big, Small\n")
    }

    @Test("a change of one folder changes the pages of no other")
    func stable() throws {
        let one = CataloguePages.files(of: [try id("a", "S/1"), try id("a", "T/1")], facts: [:])
        let two = CataloguePages.files(
            of: [try id("a", "S/1"), try id("a", "T/1"), try id("a", "A/1"), try id("a", "S/2")],
            facts: [:]
        )
        #expect(one["catalogue/T.md"] == two["catalogue/T.md"])
        #expect(one["catalogue/S.md"] != two["catalogue/S.md"])
        #expect(CataloguePages.files(of: [], facts: [:]) == [:])
    }

    @Test("hostile names stay text, links stay links, and pages keep apart")
    func hostile() throws {
        let ids = [
            try id("a", "<b>|x/](evil) @all #1 `c`"), try id("a", "s/1"), try id("a", "S/1"),
            try id("a", "README/1"), try id("a", "x-2/1"), try id("a", "x/a\u{202E}b \"q\" ü?"),
        ]
        let files = CataloguePages.files(of: ids, facts: [:])
        #expect(files.count == 7)
        #expect(Set(files.keys.map { $0.lowercased() }).count == 7)
        let text = files.values.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(!text.contains("<b>"))
        #expect(!text.contains("](evil)"))
        #expect(!text.contains("@all"))
        #expect(!text.contains("`"))
        #expect(!text.contains("\u{202E}"))
        #expect(text.contains("%22q%22%20%C3%BC%3F.png\""))
        for path in files.keys { #expect(!path.dropFirst("catalogue/".count).contains("/")) }
    }

    @Test(
        "titles name few folders and count many",
        arguments: [
            (1, "1 new — F1 — !7"), (3, "3 new — F1, F2, F3 — !7"), (4, "4 new — 4 folders — !7"),
        ]
    )
    func title(count: Int, expected: String) throws {
        var after: [SnapshotID: ObjectID] = [:]
        for number in 1...count { after[try id("a", "F\(number)/x")] = object("\(number)") }
        let difference = ReferenceDiff(before: [:], after: after)
        #expect(JournalNote(change: "!7").title(of: difference) == expected)
        #expect(JournalNote().title(of: ReferenceDiff()) == "no change")
    }
}
