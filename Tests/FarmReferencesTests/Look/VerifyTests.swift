import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("verifying a store")
struct VerifyTests {
    @Test("a sound store has every object counted once")
    func sound() throws {
        let fixture = try StoreFixture()
        let history = try History(fixture, [["S/1": "1", "S/2": "1"], ["S/1": "2", "S/2": "1"]])
        let pins = history.pins.map { NamedPin(name: "HEAD:snapfarm.refs", pin: $0) }
        let result = try fixture.store.verify(pins: pins)
        #expect(result.problems == [])
        #expect(result.lines == ["2 sets, 2 pins, 2 files, 10 bytes: sound"])
        #expect(try fixture.faults() == [])
    }

    @Test("a picture whose bytes rotted is found, loose or packed", arguments: [2, 60])
    func damaged(count: Int) throws {
        let fixture = try StoreFixture()
        fixture.staysBroken = true
        let pictures = Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("S/\($0)", "picture \($0) of many") }
        )
        _ = try fixture.record([try fixture.recording("a", pictures)])
        if count == 2 {
            try fixture.replaceLoose(object("picture 0 of many"), by: object("picture 1 of many"))
        } else {
            try rot("picture 0 of many", fixture)
        }
        let result = try fixture.store.verify()
        #expect(result.problemCount == 1)
        #expect(result.problems.first?.code == "store-object-damaged")
        #expect(result.problems.first?.message.contains("a/S/0.png") == true)
        #expect(result.files == count - 1)
        #expect(try fixture.faults() != [])
    }

    @Test("a picture that is gone is named with its place")
    func missing() throws {
        let fixture = try StoreFixture()
        fixture.staysBroken = true
        let made = try fixture.record([try fixture.recording("a", ["S/1": "1", "S/2": "2"])])
        try fixture.removeLoose(object("2"))
        let result = try fixture.store.verify(pins: [NamedPin(name: "p", pin: made.pin)])
        #expect(result.problems.map(\.code) == ["store-object-missing"])
        #expect(result.problems.first?.message.contains("a/S/2.png") == true)
    }

    @Test("a pin that names what is not here, and one whose set nobody published, are told apart")
    func pins() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/1": "1"])])
        var other = made.pin
        other[try #require(SubtreePath(cell: CellID("b"), folder: "S"))] =
            made.pin.entries.first?.object
        var absent = made.pin
        absent[try #require(SubtreePath(cell: CellID("c"), folder: "S"))] = object("nowhere")
        let result = try fixture.store.verify(pins: [
            NamedPin(name: "merged", pin: other), NamedPin(name: "absent", pin: absent),
            NamedPin(name: "empty", pin: ReferencePin()),
        ])
        #expect(result.problems.map(\.code) == ["pin-not-published", "pin-not-in-store"])
        _ = try fixture.store.publish(other)
        let merged = [NamedPin(name: "merged", pin: other)]
        #expect(try fixture.store.verify(pins: merged).isSound)
    }

    @Test("a set that something else wrote is reported")
    func foreign() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/1": "1"])])
        let commit = try run(
            "git",
            [
                "-C", fixture.store.path, "-c", "user.name=t", "-c", "user.email=t@t",
                "commit-tree", "-m", "x", "\(made.set)^{tree}",
            ]
        ).output.trimmingCharacters(in: .newlines)
        try fixture.git("update-ref", "refs/snapfarm/sets/\(commit)", commit)
        try fixture.git("update-ref", "refs/snapfarm/sets/x", made.set.hex)
        let result = try fixture.store.verify()
        #expect(Set(result.problems.map(\.code)) == ["set-not-derived", "set-misnamed"])
        #expect(result.sets == 3)
    }

    @Test("links and unsafe names in a set are refused")
    func unsafe() throws {
        let fixture = try StoreFixture()
        let work = try TemporaryFolder("unsafe")
        try work.write("a/S/bad\u{1}.png", "x")
        try FileManager.default.createSymbolicLink(
            atPath: work.file("a/S/link.png"),
            withDestinationPath: "/etc/passwd"
        )
        let index = ["GIT_INDEX_FILE": work.file("index")]
        let base = ["--git-dir", fixture.store.path, "--work-tree", work.path]
        _ = try run("git", base + ["add", "a"], environment: index)
        let tree = try run("git", base + ["write-tree"], environment: index).output
        let identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
        let set = try run(
            "git",
            base + identity + ["commit-tree", "-m", "x", tree.trimmingCharacters(in: .newlines)]
        ).output.trimmingCharacters(in: .newlines)
        try fixture.git("update-ref", "refs/snapfarm/sets/\(set)", set)
        let codes = Set(try fixture.store.verify().problems.map(\.code))
        #expect(codes.isSuperset(of: ["name-refused", "entry-refused"]))
    }

    /// Changes one byte of a picture in its file.
    private func rot(_ text: String, _ fixture: StoreFixture) throws {
        let files = FileManager.default.enumerator(atPath: fixture.store.path + "/objects")
        while let name = files?.nextObject() as? String {
            let path = fixture.store.path + "/objects/" + name
            guard var bytes = FileManager.default.contents(atPath: path),
                let place = bytes.range(of: Data(text.utf8))
            else { continue }
            bytes[place.lowerBound] ^= 1
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: path
            )
            try bytes.write(to: URL(fileURLWithPath: path))
        }
    }
}

extension StoreFixture {
    /// Deletes a loose object.
    func removeLoose(_ object: ObjectID) throws {
        try FileManager.default.removeItem(atPath: loosePath(object))
    }

    /// Replaces the file of one loose object by that of another.
    func replaceLoose(_ object: ObjectID, by other: ObjectID) throws {
        try removeLoose(object)
        try FileManager.default.copyItem(atPath: loosePath(other), toPath: loosePath(object))
    }

    private func loosePath(_ object: ObjectID) -> String {
        "\(store.path)/objects/\(object.hex.prefix(2))/\(object.hex.dropFirst(2))"
    }
}
