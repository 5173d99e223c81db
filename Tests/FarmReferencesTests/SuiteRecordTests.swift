import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("the record of a suite")
struct SuiteRecordTests {
    private func suite(
        _ tests: [String: String],
        renderer: [String: String] = ["chrome": "140"]
    ) -> SuiteRecord {
        SuiteRecord(
            job: JobName("snapshot_test"),
            renderer: renderer,
            tests: tests.mapValues { TestID($0) }
        )
    }

    @Test("its text is canonical JSON beside the pictures")
    func canonical() throws {
        let fixture = try StoreFixture()
        let record = suite(
            ["S/b": "t/2", "S/a": "t/\"1\"\\\n\u{7F}日"],
            renderer: ["z": "1", "B": "2", "é": "3"]
        )
        let made = try fixture.record([
            try fixture.recording("a", ["S/a": "1", "S/b": "2"], suites: ["S": record])
        ])
        let text = try fixture.git("show", "\(made.set):a/S/.renderer.json")
        #expect(
            text
                == #"{"job":"snapshot_test","renderer":{"B":"2","z":"1","é":"3"},"#
                + #""tests":{"S/a":"t/\"1\"\\\u000a"# + "\u{7F}日" + #"","S/b":"t/2"}}"#
        )
        let store = fixture.store
        #expect(try store.suiteRecord(made.pin, cell: CellID("a"), folder: "S") == record)
        #expect(try store.suiteRecords(made.pin, cell: CellID("a")) == ["S": record])
        #expect(try store.suiteRecord(made.pin, cell: CellID("a"), folder: "T") == nil)
        #expect(try store.references(made.pin, cell: CellID("a")).count == 2)
    }

    @Test("a part of a suite keeps the tests of the pictures it did not record")
    func merged() throws {
        let fixture = try StoreFixture()
        let first = try fixture.record([
            try fixture.recording(
                "a",
                ["S/kept": "1", "S/again": "2"],
                suites: ["S": suite(["S/kept": "t1", "S/again": "t2"])]
            )
        ])
        let second = try fixture.record(
            [
                try fixture.recording(
                    "a",
                    complete: false,
                    ["S/again": "3"],
                    suites: ["S": suite(["S/again": "t3"], renderer: ["chrome": "141"])]
                )
            ],
            over: first.pin
        )
        let record = try fixture.store.suiteRecord(second.pin, cell: CellID("a"), folder: "S")
        #expect(
            record
                == suite(["S/kept": "t1", "S/again": "t3"], renderer: ["chrome": "141"])
        )
    }

    @Test("a complete record forgets the tests of pictures that fell out")
    func replaced() throws {
        let fixture = try StoreFixture()
        let both = suite(["S/gone": "t1", "S/stays": "t2"])
        let first = try fixture.record([
            try fixture.recording("a", ["S/gone": "1", "S/stays": "2"], suites: ["S": both])
        ])
        let second = try fixture.record(
            [try fixture.recording("a", ["S/stays": "2"], suites: ["S": both])],
            over: first.pin
        )
        let record = try fixture.store.suiteRecord(second.pin, cell: CellID("a"), folder: "S")
        #expect(record == suite(["S/stays": "t2"]))
    }

    @Test("a record that is not one is refused with its place")
    func malformed() throws {
        let fixture = try StoreFixture()
        let file = try fixture.folder.write("record", "{}")
        let blob = try fixture.git("hash-object", "-w", file).dropLast()
        let listing = try fixture.folder.write("tree", "100644 blob \(blob)\t.renderer.json\n")
        let tree = try run(
            "sh",
            ["-c", "git -C '\(fixture.store.path)' mktree < '\(listing)'"]
        ).output.dropLast()
        var pin = ReferencePin()
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        let subtree = try #require(ObjectID(tree))
        pin[path] = subtree
        let error = #expect(throws: GitError.self) {
            try fixture.store.suiteRecords(pin, cell: CellID("a"))
        }
        #expect(error?.message.hasPrefix("a/S/.renderer.json: not a record") == true)
    }
}
