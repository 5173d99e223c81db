import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("companions in a store")
struct CompanionsTests {
    private struct Fixture {
        let store: StoreFixture

        init() throws { store = try StoreFixture() }

        /// Returns the recording of a cell; a picture named in `trees` has this companion.
        func recording(
            _ pictures: [String: String],
            trees: [String: String],
            cell: String = "a",
            complete: Bool = true
        ) throws -> CellRecording {
            var recording = try store.recording(cell, complete: complete, pictures)
            for (name, tree) in trees {
                let id = try id(cell, name)
                recording.pictures[id]?.companions = [
                    .elements: RecordedFile(objectID: store.picture(tree).objectID)
                ]
            }
            return recording
        }

        func trees(_ pin: ReferencePin, cell: String = "a") throws -> [String: ObjectID] {
            let all = try store.store.references(pin, cell: CellID(cell))
            return Dictionary(
                uniqueKeysWithValues: all.compactMap { reference in
                    reference.companions[.elements].map { ("\(reference.id)", $0) }
                }
            )
        }
    }

    private static let pictures = ["S/in/one": "1", "S/two": "2", "T/three": "3"]

    @Test("a companion is a file beside its picture, and without one a set has its old id")
    func files() throws {
        let fixture = try Fixture()
        let bare = try fixture.store.record([fixture.recording(Self.pictures, trees: [:])])
        let other = try Fixture()
        let made = try other.store.record([
            other.recording(Self.pictures, trees: ["S/in/one": "tree 1"])
        ])
        let names = try other.store.git("ls-tree", "--name-only", "\(made.set):a/S/in")
        #expect(names == "one.elements.json.gz\none.png\n")
        #expect(try other.trees(made.pin) == ["a/S/in/one": object("tree 1")])
        #expect(try other.store.store.references(made.pin).count == 3)
        #expect(try other.store.store.verify(pins: [NamedPin(name: "p", pin: made.pin)]).isSound)
        let same = Set(bare.pin.entries.map(\.object)).intersection(made.pin.entries.map(\.object))
        #expect(same.count == 1)
        #expect(bare.set != made.set)
    }

    @Test("an unchanged picture keeps its set's id; a companion goes when its picture changes")
    func recorded() throws {
        let fixture = try Fixture()
        let first = try fixture.store.record([
            fixture.recording(Self.pictures, trees: ["S/in/one": "tree 1", "S/two": "tree 2"])
        ])
        for complete in [true, false] {
            // The same picture with another tree, or with none, changes nothing.
            for trees in [["S/in/one": "other", "S/two": "tree 2"], [:]] {
                let again = try fixture.recording(Self.pictures, trees: trees, complete: complete)
                #expect(try fixture.store.record([again], over: first.pin).pin == first.pin)
            }
            let changed = Self.pictures.merging(["S/in/one": "1 b", "S/two": "2 b"]) { _, new in new
            }
            let made = try fixture.store.record(
                [fixture.recording(changed, trees: ["S/two": "tree 2 b"], complete: complete)],
                over: first.pin
            )
            #expect(try fixture.trees(made.pin) == ["a/S/two": object("tree 2 b")])
        }
        let left = try fixture.store.record(
            [fixture.recording(["S/in/one": "1", "T/three": "3"], trees: [:])],
            over: first.pin
        )
        #expect(try fixture.trees(left.pin) == ["a/S/in/one": object("tree 1")])
    }

    @Test("a companion moves with its picture")
    func moved() throws {
        let fixture = try Fixture()
        let first = try fixture.store.record([
            fixture.recording(Self.pictures, trees: ["S/in/one": "tree 1", "S/two": "tree 2"])
        ])
        let (store, pin) = (fixture.store.store, first.pin)
        func moved(_ old: String, _ new: String) throws -> ReferencePin {
            try store.write(store.planMove(old, to: new, in: pin), current: pin).pin
        }
        let trees = ["a/S/in/one": object("tree 1"), "a/U/deux": object("tree 2")]
        #expect(try fixture.trees(moved("a/S/two", "a/U/deux")) == trees)
        let cell = try moved("a", "b")
        #expect(try fixture.trees(cell, cell: "b").count == 2)
        #expect(cell.entries.map(\.object) == pin.entries.map(\.object))
    }

    @Test("a merge keeps the companions of the merged pictures, whichever side they are on")
    func merged() throws {
        let fixture = try Fixture()
        let base = try fixture.store.record([
            fixture.recording(Self.pictures, trees: ["S/in/one": "tree 1", "S/two": "tree 2"])
        ])
        let ours = try fixture.store.record(
            [
                fixture.recording(
                    ["S/in/one": "1 b"],
                    trees: ["S/in/one": "tree b"],
                    complete: false
                )
            ],
            over: base.pin
        )
        let theirs = try fixture.store.record(
            [fixture.recording(["S/two": "2 b"], trees: [:], complete: false)],
            over: base.pin
        )
        for (one, other) in [(ours, theirs), (theirs, ours)] {
            let merge = try fixture.store.store.merge(
                base: base.pin,
                ours: one.pin,
                theirs: other.pin
            )
            #expect(merge.isClean)
            #expect(try fixture.trees(merge.pin) == ["a/S/in/one": object("tree b")])
        }
    }
}
