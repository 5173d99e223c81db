import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("merging pins in a store")
struct StoreMergeTests {
    @Test("pictures of one suite that only one side changed need nobody")
    func disjoint() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            base: ["S/1": "a", "S/2": "b", "S/deep/3": "c", "T/1": "x"],
            ours: ["S/1": "ours", "S/2": "b", "S/deep/3": "c", "T/1": "x", "U/1": "u"],
            theirs: ["S/1": "a", "S/deep/3": "theirs", "S/4": "new", "T/1": "y"]
        )
        let merge = try fixture.store.merge(base: trio.base, ours: trio.ours, theirs: trio.theirs)
        #expect(merge.isClean)
        #expect(merge.mergedSuites.map(\.text) == ["a/S"])
        let direct = try fixture.record([
            try fixture.recording(
                "a",
                ["S/1": "ours", "S/deep/3": "theirs", "S/4": "new", "T/1": "y", "U/1": "u"]
            )
        ])
        #expect(merge.pin == direct.pin)
        let published = try fixture.store.publish(merge.pin)
        #expect(published == PublishedSet(set: direct.set, wasVisible: true))
        #expect(try fixture.faults() == [])
    }

    @Test("a picture changed on both sides is listed, chosen, and published")
    func conflict() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            // Several lines, which Git would merge line by line.
            base: ["S/one": "1\n2\n3\n4\n5\n", "S/two": "2", "S/gone": "3"],
            ours: ["S/one": "X\n2\n3\n4\n5\n", "S/two": "ours", "S/gone": "3 ours"],
            theirs: ["S/one": "1\n2\n3\n4\nX\n", "S/two": "theirs"]
        )
        let store = fixture.store
        let merge = try store.merge(base: trio.base, ours: trio.ours, theirs: trio.theirs)
        #expect(merge.conflicts.map(\.id.text) == ["a/S/gone", "a/S/one", "a/S/two"])
        #expect(merge.conflicts.first?.theirs == nil)
        #expect(merge.conflicts.last?.base == object("2"))
        #expect(merge.pin == trio.ours)
        #expect(
            merge.conflicts.first?.commands.first == "snapfarm refs merge --take-ours 'a/S/gone'"
        )

        let pictures = try store.writePictures(
            of: merge.conflicts,
            to: fixture.folder.file("look")
        )
        #expect(pictures.first?.theirs == nil)
        let shown = try pictures.last?.theirs.map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        #expect(shown == "PNG theirs")

        let first = try store.resolve(merge, choices: [MergeChoice(.theirs, of: "a/S/gone")])
        #expect(first.conflicts.map(\.id.text) == ["a/S/one", "a/S/two"])
        let last = try store.resolve(
            first,
            choices: [MergeChoice(.base, of: "*"), MergeChoice(.theirs, of: "a/S/t*")]
        )
        #expect(last.isClean)
        let published = try store.publish(last.pin)
        #expect(!published.wasVisible)
        #expect(try fixture.git("show", "\(published.set):a/S/two.png") == "PNG theirs")
        #expect(
            try fixture.git("show", "\(published.set):a/S/one.png") == "PNG 1\n2\n3\n4\n5\n"
        )
        #expect(
            try fixture.git("rev-parse", "refs/snapfarm/sets/\(published.set)")
                == "\(published.set)\n"
        )
        #expect(try fixture.faults() == [])
    }

    @Test("a choice that covers no conflict is a slip, not a merge")
    func idleChoice() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(fixture, base: ["S/1": "a"], ours: ["S/1": "b"], theirs: ["S/1": "c"])
        #expect(throws: MergeError.choiceMatchesNothing(pattern: "a/s/1")) {
            try fixture.store.merge(
                base: trio.base,
                ours: trio.ours,
                theirs: trio.theirs,
                choices: [MergeChoice(.ours, of: "a/s/1")]
            )
        }
    }

    @Test("names of two sides that differ in case alone are refused")
    func caseCollision() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            base: ["S/1": "a"],
            ours: ["S/1": "a", "S/New": "b"],
            theirs: ["S/1": "a", "S/new": "c"]
        )
        #expect(throws: ReferenceStoreError.pathsCollide("a/S/New.png", "a/S/new.png")) {
            try fixture.store.merge(base: trio.base, ours: trio.ours, theirs: trio.theirs)
        }
        let folders = try Trio(
            fixture,
            base: ["S/1": "a"],
            ours: ["S/1": "a", "T/1": "b"],
            theirs: ["S/1": "a", "t/1": "c"]
        )
        #expect(throws: ReferenceStoreError.self) {
            try fixture.store.merge(base: folders.base, ours: folders.ours, theirs: folders.theirs)
        }
    }

    @Test("a side that was not fetched is named; publishing half a pin is refused")
    func unfetched() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(fixture, base: ["S/1": "a"], ours: ["S/1": "b"], theirs: ["S/1": "c"])
        var elsewhere = trio.theirs
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        let missing = object("nowhere")
        elsewhere[path] = missing
        #expect(
            throws: MergeError.suiteMissing(
                path,
                side: .theirs,
                object: missing,
                store: fixture.store.path
            )
        ) {
            try fixture.store.merge(base: trio.base, ours: trio.ours, theirs: elsewhere)
        }
        #expect(throws: ReferenceStoreError.self) { try fixture.store.publish(elsewhere) }
        #expect(try fixture.faults() == [])
    }

    @Test("the merge of random sets is the merge that stock Git makes")
    func oracle() throws {
        var random = SeededGenerator.announced()
        let fixture = try StoreFixture()
        for _ in 0..<2 {
            var sides: [[String: String]] = [[:], [:], [:]]
            for name in 0..<30 {
                for side in 0..<3 {
                    let version = Int.random(in: 0..<4, using: &random)
                    // The text depends on the name: Git would follow equal pictures as renames.
                    let text = "\(name) \(version)"
                    if version > 0 { sides[side]["S\(name % 4)/\(name)"] = text }
                }
            }
            let trio = try Trio(fixture, base: sides[0], ours: sides[1], theirs: sides[2])
            let merge = try fixture.store.merge(
                base: trio.base,
                ours: trio.ours,
                theirs: trio.theirs
            )
            #expect(try fixture.stockConflicts(trio) == merge.conflicts.map { "\($0.id).png" })
        }
        #expect(try fixture.faults() == [])
    }
}

/// Three sets of one cell.
struct Trio {
    let base: ReferencePin
    let ours: ReferencePin
    let theirs: ReferencePin

    init(
        _ fixture: StoreFixture,
        base: [String: String],
        ours: [String: String],
        theirs: [String: String]
    ) throws {
        self.base = try fixture.record([try fixture.recording("a", base)]).pin
        self.ours = try fixture.record([try fixture.recording("a", ours)]).pin
        self.theirs = try fixture.record([try fixture.recording("a", theirs)]).pin
    }
}

extension StoreFixture {
    /// Returns the paths in conflict that `git merge-tree` finds, sorted.
    fileprivate func stockConflicts(_ trio: Trio) throws -> [String] {
        let sets = try [trio.base, trio.ours, trio.theirs].map { try store.setID(of: $0) }
        func commit(_ set: ObjectID, _ parents: [String]) throws -> String {
            let identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
            let arguments = ["commit-tree", "-m", "x", "\(set)^{tree}"]
            let result = try run(
                "git",
                ["-C", store.path] + identity + arguments + parents.flatMap { ["-p", $0] }
            )
            return result.output.trimmingCharacters(in: .newlines)
        }
        let base = try commit(sets[0], [])
        let sides = [try commit(sets[1], [base]), try commit(sets[2], [base])]
        let result = try run(
            "git",
            ["-C", store.path, "merge-tree", "--write-tree", "--name-only", "--no-messages"]
                + ["-z"] + sides
        )
        return Set(result.output.split(separator: "\0").dropFirst().map(String.init)).sorted()
    }
}
