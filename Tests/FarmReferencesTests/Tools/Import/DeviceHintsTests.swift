import FarmCore
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

private let eight = device("iPhone-8_13.1", "iPhone 8", "13.1", 375, 667, 2)
private let eightOld = device("iPhone-8_12.2", "iPhone 8", "12.2", 375, 667, 2)
private let fifteen = device("iPhone-15_17.2", "iPhone 15", "17.2", 393, 852, 3)
private let pad = device("iPad_13.1", "iPad (8th generation)", "13.1", 810, 1080, 2)
private let all = [eight, eightOld, fifteen, pad]

struct DeviceHintsTests {
    @Test(
        "a name with device, OS, size or scale finds its one cell",
        arguments: [
            ("testFoo@3x", "iPhone-15_17.2"),
            ("testFoo_iPhone_17_2_393x852@3x", "iPhone-15_17.2"),
            ("testFoo_iPhone_17_2_852x393@3x", "iPhone-15_17.2"),
            ("testFoo_iPhone_13_1@2x", "iPhone-8_13.1"),
            ("testFoo_12_2_375x667@2x", "iPhone-8_12.2"),
            ("testFoo_iPhone13_1_375x667@2x", "iPhone-8_13.1"),
            ("testFoo_iPhone8-13.1-375x667@2x", "iPhone-8_13.1"),
            ("testFoo_my_id_iPad@2x", "iPad_13.1"),
            ("testFoo_810x1080@2x", "iPad_13.1"),
            ("testFoo_1_375x667_iPad_13_1", "iPad_13.1"),
        ]
    )
    func finds(name: String, cell: String) throws {
        #expect(try CellChoice(cells: all).cell(path: "x", name: name) == CellID(cell))
    }

    @Test(
        "what is the test's own in a name says nothing about the cell",
        arguments: [
            "testFoo", "testFoo_2", "testFoo_13_1", "testHides_tvOS_1920_0_1080_0",
            "testFoo_x+y<z>", "test_axb", "testFoo@ax", "iPhone", "_", "", "@2x@",
            "testFoo_iPhones",
            "testFoo_iPadLayout",
        ]
    )
    func ownWords(name: String) {
        #expect(DeviceHints(name: name).isEmpty)
        #expect(throws: CellChoiceError.self) {
            try CellChoice(cells: all).cell(path: "x", name: name)
        }
    }

    @Test("several cells that fit are named, and the chosen cell decides between them")
    func several() throws {
        let name = "testFoo_375x667@2x"
        #expect(throws: CellChoiceError.several([eightOld.id, eight.id])) {
            try CellChoice(cells: all).cell(path: "x", name: name)
        }
        let chosen = CellChoice(cells: all, fallback: eightOld.id)
        #expect(try chosen.cell(path: "x", name: name) == eightOld.id)
    }

    @Test("a chosen cell that the name speaks against is refused; one outside the pipeline is not")
    func contradiction() throws {
        let chosen = CellChoice(cells: all, fallback: eight.id)
        #expect(throws: CellChoiceError.none(hints: "iPhone OS 9.3, @2x")) {
            try chosen.cell(path: "x", name: "testFoo_iPhone_9_3@2x")
        }
        let old = CellChoice(cells: all, fallback: CellID("old"))
        #expect(try old.cell(path: "x", name: "testFoo_iPhone_9_3@2x") == CellID("old"))
    }

    @Test("a rule for paths decides before any name does")
    func rules() throws {
        let rule = CellChoice.Rule(paths: Glob("Pad/**", mode: .path), cell: pad.id)
        let choice = CellChoice(cells: all, rules: [rule], fallback: eight.id)
        #expect(try choice.cell(path: "Pad/A/x.png", name: "testFoo_iPhone_13_1@2x") == pad.id)
        #expect(try choice.cell(path: "A/x.png", name: "testFoo") == eight.id)
    }
}

struct ImportPatternTests {
    @Test(
        "a pattern reads cell, suite and name out of a path",
        arguments: [
            ("{cell}/{suite}/{name}.png", "c/s/t/n.png", "c", "s/t", "n"),
            ("refs/{suite}/{name}.{cell}.png", "refs/s/n.a.c.png", "c", "s", "n.a"),
            ("**/golden/{suite}/{name}.png", "a/b/golden/s/n.png", nil, "s", "n"),
            ("{suite}_*/{name}.png", "s_x/n.png", nil, "s", "n"),
            // `**/` may match no folder, and `?` is one character, as in all patterns of paths.
            ("**/golden/{suite}/{name}.png", "golden/s/n.png", nil, "s", "n"),
            ("gold/**/{suite}/{name}.png", "gold/a/b/n.png", nil, "b", "n"),
            ("gold?n/{suite}/{name}.png", "golden/s/n.png", nil, "s", "n"),
        ]
    )
    func reads(pattern: String, path: String, cell: String?, suite: String, name: String) throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture(path)
        let plan = try fixture.importPlan(source: .pattern(try ImportPattern(pattern)))
        let expected = try SnapshotID(cell: CellID(cell ?? "host"), suite: suite, name: name)
        #expect(plan.pictures.map(\.id) == [expected])
    }

    @Test(
        "a pattern that cannot name every picture is refused",
        arguments: [
            "{name}.png", "{suite}/{suite}/{name}.png", "{suite}/{name}", "{suite}/{nam}.png", "",
            "{cell}/{cell}/{suite}/{name}.png",
        ]
    )
    func refused(pattern: String) {
        #expect(throws: ImportFault.self) { try ImportPattern(pattern) }
    }

    @Test(
        "a star and a question mark stay within a folder, and what is no name is literal",
        arguments: [
            ("gold*/{suite}/{name}.png", "gold/en/s/n.png"),
            ("gold?en/{suite}/{name}.png", "gold/en/s/n.png"),
            ("gold.n/{suite}/{name}.png", "golden/s/n.png"),
        ]
    )
    func stays(pattern: String, path: String) throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture(path)
        let plan = try fixture.importPlan(source: .pattern(try ImportPattern(pattern)))
        let places = plan.pictures.map(\.id.text)
        // The first pattern matches the suite's folder; the others match nothing.
        #expect(places.allSatisfy { $0 == "host/en/s/n" })
        #expect(places.isEmpty != pattern.hasPrefix("gold*"))
    }

    @Test("a pattern of many stars ends at once on a long path that does not match")
    func bounded() throws {
        let pattern = try ImportPattern(
            String(repeating: "**a", count: 30) + "{suite}/{name}.png"
        )
        let fixture = try WorkTreeFixture()
        try fixture.picture(String(repeating: "a", count: 200) + "/b.pngx")
        #expect(try fixture.importPlan(source: .pattern(pattern)).pictures.isEmpty)
    }
}
