import FarmCore
import FarmReferences
import FarmTesting
import ReferenceTesting
import Testing

@Suite("pictures merge by name")
struct PictureMergeTests {
    private struct Row: CustomTestStringConvertible, Sendable {
        let base: String?
        let ours: String?
        let theirs: String?
        /// The merged picture, or `nil` for a conflict.
        let merged: String??
        var testDescription: String {
            "\(base ?? "-") \(ours ?? "-") \(theirs ?? "-")"
        }
    }

    private static let rows: [Row] = [
        Row(base: "1", ours: "1", theirs: "1", merged: "1"),
        Row(base: "1", ours: "2", theirs: "1", merged: "2"),
        Row(base: "1", ours: "1", theirs: "2", merged: "2"),
        Row(base: "1", ours: "2", theirs: "2", merged: "2"),
        Row(base: "1", ours: "2", theirs: "3", merged: nil),
        Row(base: "1", ours: nil, theirs: "1", merged: .some(nil)),
        Row(base: "1", ours: "1", theirs: nil, merged: .some(nil)),
        Row(base: "1", ours: nil, theirs: nil, merged: .some(nil)),
        Row(base: "1", ours: nil, theirs: "2", merged: nil),
        Row(base: "1", ours: "2", theirs: nil, merged: nil),
        Row(base: nil, ours: "1", theirs: nil, merged: "1"),
        Row(base: nil, ours: nil, theirs: "1", merged: "1"),
        Row(base: nil, ours: "1", theirs: "1", merged: "1"),
        Row(base: nil, ours: "1", theirs: "2", merged: nil),
    ]

    @Test("one side's change wins, two different changes are a conflict", arguments: rows)
    private func table(row: Row) throws {
        let name = try id("a", "S/one")
        func side(_ text: String?) -> [SnapshotID: ObjectID] {
            text.map { [name: object($0)] } ?? [:]
        }
        let merge = PictureMerge(
            base: side(row.base),
            ours: side(row.ours),
            theirs: side(row.theirs)
        )
        if let merged = row.merged {
            #expect(merge.conflicts == [])
            #expect(merge.pictures[name] == merged.map(object))
        } else {
            #expect(merge.pictures[name] == row.ours.map(object))
            #expect(merge.conflicts.map(\.id) == [name])
            for side in MergeSide.allCases {
                let choice = [MergeChoice(.base, of: "*"), MergeChoice(side, of: "a/S/*")]
                let chosen = PictureMerge(
                    base: self.side(row.base, name),
                    ours: self.side(row.ours, name),
                    theirs: self.side(row.theirs, name),
                    choices: choice
                )
                #expect(chosen.conflicts == [])
                #expect(chosen.pictures[name] == merge.conflicts.first?[side])
                #expect(chosen.chosen == [name: side])
            }
        }
    }

    @Test("swapping the sides swaps the conflicts and changes nothing else")
    func symmetric() throws {
        var random = SeededGenerator.announced()
        let names = try (0..<40).map { try id("a", "S/\($0)") }
        for _ in 0..<50 {
            var sides: [[SnapshotID: ObjectID]] = [[:], [:], [:]]
            for name in names {
                for side in 0..<3 {
                    let version = Int.random(in: 0..<4, using: &random)
                    if version > 0 { sides[side][name] = object("\(version)") }
                }
            }
            let one = PictureMerge(base: sides[0], ours: sides[1], theirs: sides[2])
            let other = PictureMerge(base: sides[0], ours: sides[2], theirs: sides[1])
            #expect(one.conflicts.map(\.id) == other.conflicts.map(\.id))
            #expect(one.conflicts.map(\.ours) == other.conflicts.map(\.theirs))
            for name in names where !one.conflicts.contains(where: { $0.id == name }) {
                #expect(one.pictures[name] == other.pictures[name])
            }
        }
    }

    @Test(
        "the later of two renderers counts, numbers compared as numbers",
        arguments: [("99.0.1", "120.0"), ("1.9", "1.10"), ("7", "007"), ("a", "b"), ("", "1")]
    )
    func laterRenderer(earlier: String, later: String) throws {
        let base = record(["browser": "0"])
        let ours = record(["browser": earlier, "fonts": "1"])
        let theirs = record(["browser": later, "fonts": "0"])
        for (one, other, side) in [(ours, theirs, MergeSide.theirs), (theirs, ours, .ours)] {
            let merged = SuiteRecord.merged(
                base: base,
                ours: one,
                theirs: other,
                pictures: ["S/one"]
            )
            let expected = earlier == "7" ? ours : theirs
            #expect(merged.record?.renderer == expected.renderer)
            if earlier != "7" { #expect(merged.clash == side) }
        }
    }

    @Test("a renderer that one side changed is taken without a word")
    func oneRenderer() {
        let merged = SuiteRecord.merged(
            base: record(["browser": "120"]),
            ours: record(["browser": "120"]),
            theirs: record(["browser": "99"]),
            pictures: []
        )
        #expect(merged.record?.renderer == ["browser": "99"])
        #expect(merged.clash == nil)
    }

    @Test("test names merge by picture and go with their pictures")
    func tests() {
        let merged = SuiteRecord.merged(
            base: record([:], tests: ["S/one": "t1", "S/two": "t2", "S/gone": "t"]),
            ours: record([:], tests: ["S/one": "t1", "S/two": "new", "S/gone": "t"]),
            theirs: record([:], tests: ["S/one": "t9", "S/two": "t2", "S/three": "t3"]),
            pictures: ["S/one", "S/two", "S/three"]
        )
        #expect(
            merged.record?.tests
                == ["S/one": TestID("t9"), "S/two": TestID("new"), "S/three": TestID("t3")]
        )
    }

    private func side(_ text: String?, _ name: SnapshotID) -> [SnapshotID: ObjectID] {
        text.map { [name: object($0)] } ?? [:]
    }
}
