import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("recording")
struct RecordingTests {
    @Test("a set has one id on every machine, the one git gives the same commit")
    func setID() throws {
        let pictures = ["Login/empty": "1", "Login/filled": "2", "Home/deep/er/list": "3"]
        let fixture = try StoreFixture()
        let made = try fixture.record([
            try fixture.recording("iPhone-8_13.1_ja", pictures),
            try fixture.recording("iPhone-X_12.2_ja", pictures),
        ])
        #expect(made.set.hex == "54a35756fe441a0a8c36d4574760ab406fa1c547")
        #expect(try fixture.store.setID(of: made.pin) == made.set)
        #expect(try fixture.faults() == [])
        let date = ["DATE": "@0 +0000", "NAME": "snapfarm", "EMAIL": "snapfarm@localhost"]
        let identity = Dictionary(
            uniqueKeysWithValues: ["AUTHOR", "COMMITTER"].flatMap { role in
                date.map { ("GIT_\(role)_\($0.key)", $0.value) }
            }
        )
        let commit = try run(
            "git",
            [
                "-C", fixture.store.path, "commit-tree", "-m", "reference set",
                "\(made.set)^{tree}",
            ],
            environment: identity
        )
        #expect(commit.output == "\(made.set)\n")
        #expect(
            try fixture.git("rev-parse", "refs/snapfarm/sets/\(made.set)") == "\(made.set)\n"
        )
        #expect(
            try fixture.git("ls-tree", "-r", "--name-only", made.set.hex)
                .hasPrefix("iPhone-8_13.1_ja/Home/deep/er/list.png\n")
        )
    }

    @Test("references are read back as they were recorded, nested folders too")
    func readBack() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([
            try fixture.recording("a", ["S/two": "2", "S/one": "1", "T/u/v/three": "1"])
        ])
        let references = try fixture.store.references(made.pin, cell: CellID("a"))
        #expect(references.map(\.id.text) == ["a/S/one", "a/S/two", "a/T/u/v/three"])
        #expect(try fixture.store.read(references[1].objectID) == Data("PNG 2".utf8))
        #expect(try fixture.store.references(made.pin, cell: CellID("b")) == [])
        #expect(made.pin.entries.map(\.path.text) == ["a/S", "a/T"])
    }

    @Test("recording the same pictures again gives the same set and writes nothing")
    func again() throws {
        let fixture = try StoreFixture()
        let recording = try fixture.recording("a", ["S/one": "1", "S/two": "2"])
        let first = try fixture.record([recording])
        let before = try fixture.git("count-objects", "-v")
        let asked = fixture.asked.count
        let second = try fixture.record([recording], over: first.pin)
        #expect((second.set, second.pin) == (first.set, first.pin))
        #expect(second.outcomes[CellID("a")]?.unchangedCount == 2)
        #expect(try fixture.git("count-objects", "-v") == before)
        #expect(fixture.asked.count == asked)
    }

    @Test("a complete record replaces its cell and lists what fell out")
    func complete() throws {
        let fixture = try StoreFixture()
        let first = try fixture.record([
            try fixture.recording(
                "a",
                ["S/same": "1", "S/gone": "2", "T/gone": "3", "S/new": "4"]
            ),
            try fixture.recording("b", ["S/same": "1"]),
        ])
        let second = try fixture.record(
            [try fixture.recording("a", ["S/same": "1", "S/new": "5", "U/added": "6"])],
            over: first.pin
        )
        let outcome = try #require(second.outcomes[CellID("a")])
        #expect(outcome.added == [try id("a", "U/added")])
        #expect(outcome.changed == [try id("a", "S/new")])
        #expect(outcome.removed == [try id("a", "S/gone"), try id("a", "T/gone")])
        #expect(outcome.unchangedCount == 1)
        #expect(second.pin.entries.map(\.path.text) == ["a/S", "a/U", "b/S"])
        #expect(second.pin.folders(of: CellID("b")) == first.pin.folders(of: CellID("b")))
        #expect(try fixture.faults() == [])
        try fixture.store.check(first.pin)
        #expect(try fixture.store.references(first.pin, cell: CellID("a")).count == 4)
    }

    @Test("any other record replaces only what it names")
    func partial() throws {
        let fixture = try StoreFixture()
        let first = try fixture.record([
            try fixture.recording("a", ["S/kept": "1", "S/changed": "2", "T/kept": "3"])
        ])
        let second = try fixture.record(
            [try fixture.recording("a", complete: false, ["S/changed": "4", "S/x/added": "5"])],
            over: first.pin
        )
        let outcome = try #require(second.outcomes[CellID("a")])
        #expect(outcome.added == [try id("a", "S/x/added")])
        #expect(outcome.changed == [try id("a", "S/changed")])
        #expect(outcome.removed == [])
        #expect(outcome.unchangedCount == 0)
        let ids = try fixture.store.references(second.pin, cell: CellID("a")).map(\.id.text)
        #expect(ids == ["a/S/changed", "a/S/kept", "a/S/x/added", "a/T/kept"])
        let folders = [first, second].map { $0.pin.folders(of: CellID("a")) }
        #expect(folders[0]["T"] == folders[1]["T"])
        #expect(folders[0]["S"] != folders[1]["S"])
    }

    @Test("a complete record without pictures empties its cell")
    func emptied() throws {
        let fixture = try StoreFixture()
        let first = try fixture.record([try fixture.recording("a", ["S/one": "1"])])
        let second = try fixture.record([try fixture.recording("a", [:])], over: first.pin)
        #expect(second.pin.isEmpty)
        #expect(try fixture.git("ls-tree", second.set.hex) == "")
    }

    @Test("many pictures of awkward sizes become one sound pack")
    func packed() throws {
        let fixture = try StoreFixture()
        var random = SeededGenerator.announced()
        var pictures: [SnapshotID: RecordedPicture] = [:]
        let sizes = [0, 1, 15, 16, 2_047, 2_048, 65_534, 65_535, 65_536, 131_070, 300_001]
        for number in 0..<60 {
            let size = number < sizes.count ? sizes[number] : 100 + number
            let bytes = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
            pictures[try id("a", "S\(number % 7)/\(number)")] = fixture.picture(bytes)
        }
        let made = try fixture.record([
            CellRecording(cell: CellID("a"), replacesCell: true, pictures: pictures, suites: [:])
        ])
        #expect(try fixture.git("count-objects", "-v").contains("\npacks: 1\n"))
        #expect(try fixture.faults() == [])
        for reference in try fixture.store.references(made.pin, cell: CellID("a")) {
            let bytes = try fixture.store.read(reference.objectID)
            #expect(bytes == fixture.bytes[reference.objectID])
        }
    }

    @Test("one picture under many names is asked for and stored once")
    func shared() throws {
        let fixture = try StoreFixture()
        _ = try fixture.record([
            try fixture.recording("a", ["S/one": "1", "S/two": "1"]),
            try fixture.recording("b", ["S/one": "1"]),
        ])
        #expect(fixture.asked.count == 1)
    }

    @Test("pictures can be read from several tasks at once")
    func concurrentReads() async throws {
        let fixture = try StoreFixture()
        let pictures = Dictionary(uniqueKeysWithValues: (0..<80).map { ("S/\($0)", "\($0)") })
        let made = try fixture.record([try fixture.recording("a", pictures)])
        let store = fixture.store
        let references = try store.references(made.pin, cell: CellID("a"))
        let read = try await withThrowingTaskGroup(of: ObjectID.self) { group in
            for reference in references {
                group.addTask { ObjectID(ofBlob: try store.read(reference.objectID)) }
            }
            return try await group.reduce(into: Set<ObjectID>()) { $0.insert($1) }
        }
        #expect(read == Set(references.map(\.objectID)))
    }

    @Test("prune is kept out while pictures are written, and let in afterwards")
    func locked() throws {
        let fixture = try StoreFixture()
        let descriptor = open(fixture.store.path + "/snapfarm.lock", O_RDWR | O_CREAT, 0o666)
        defer { close(descriptor) }
        let recording = try fixture.recording("a", ["S/one": "1"])
        var during: Int32?
        _ = try fixture.store.record(base: ReferencePin(), recordings: [recording]) { picture in
            during = flock(descriptor, LOCK_EX | LOCK_NB)
            return fixture.bytes[picture.objectID] ?? Data()
        }
        #expect(during == -1)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }
}
