import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("recordings that are refused or cut short")
struct RecordingRefusalTests {
    @Test(
        "paths that are one file where case does not count are refused",
        arguments: [
            ["Login/a", "login/b"], ["S/a", "S/A"], ["S/stra\u{DF}e", "S/STRASSE"],
            ["S/.renderer.json/y", "S/x"], ["S/É", "S/é"],
        ]
    )
    func collisions(paths: [String]) throws {
        let fixture = try StoreFixture()
        let pictures = Dictionary(uniqueKeysWithValues: paths.map { ($0, $0) })
        let error = #expect(throws: ReferenceStoreError.self) {
            try fixture.record([try fixture.recording("a", pictures)])
        }
        #expect(error?.code == "snapshot-paths-collide")
        #expect(error?.exit == .invalidInput)
        #expect(fixture.asked.isEmpty)
        #expect(try fixture.git("for-each-ref", "refs/snapfarm/sets") == "")
    }

    @Test("a part of a cell may not collide with what stays")
    func collisionWithBase() throws {
        let fixture = try StoreFixture()
        let base = try fixture.record([try fixture.recording("a", ["Login/a": "1"])]).pin
        for path in ["login/b", "Login/A"] {
            let recording = try fixture.recording("a", complete: false, [path: "2"])
            #expect(throws: ReferenceStoreError.self) {
                try fixture.record([recording], over: base)
            }
        }
        // A complete record with another spelling of the folder collides with nothing.
        let made = try fixture.record([try fixture.recording("a", ["login/a": "1"])], over: base)
        #expect(made.pin.entries.map(\.path.text) == ["a/login"])
    }

    @Test("names that Git keeps for itself are refused", arguments: [".git/a", "S/.GIT/a"])
    func gitNames(path: String) throws {
        let fixture = try StoreFixture()
        let error = #expect(throws: PathComponentError.self) {
            try fixture.record([try fixture.recording("a", [path: "1"])])
        }
        #expect(error?.code == "name-refused")
        #expect(try fixture.git("for-each-ref", "refs/snapfarm/sets") == "")
    }

    @Test("one cell twice and pictures of another cell are refused")
    func wrongCells() throws {
        let fixture = try StoreFixture()
        let recording = try fixture.recording("a", ["S/one": "1"])
        #expect(throws: ReferenceStoreError.cellRecordedTwice(CellID("a"))) {
            try fixture.record([recording, recording])
        }
        var foreign = recording
        foreign.cell = CellID("b")
        #expect(
            throws: ReferenceStoreError.foreignPicture(try id("a", "S/one"), cell: CellID("b"))
        ) {
            try fixture.record([foreign])
        }
    }

    @Test(
        "bytes other than announced are refused, and nothing becomes visible",
        arguments: [1, 60]
    )
    func wrongBytes(count: Int) throws {
        let fixture = try StoreFixture()
        let pictures = Dictionary(uniqueKeysWithValues: (1...count).map { ("S/\($0)", "\($0)") })
        let recording = try fixture.recording("a", pictures)
        let error = #expect(throws: ReferenceStoreError.self) {
            try fixture.store.record(base: ReferencePin(), recordings: [recording]) { picture in
                let bytes = fixture.bytes[picture.objectID] ?? Data()
                return picture == fixture.picture("1") ? bytes + [0] : bytes
            }
        }
        #expect(error?.code == "recording-bytes-differ")
        #expect(try fixture.git("for-each-ref", "refs/snapfarm/sets") == "")
        #expect(try fixture.faults() == [])
    }

    @Test("a recording that stops half-way leaves a sound store, and the next one converges")
    func cutShort() throws {
        let fixture = try StoreFixture()
        let undisturbed = try StoreFixture()
        for count in [3, 70] {
            let pictures = Dictionary(
                uniqueKeysWithValues: (1...count).map { ("S\(count)/\($0)", "\(count) \($0)") }
            )
            let recording = try fixture.recording("a", pictures)
            var given = 0
            #expect(throws: StoreFixture.Missing.self) {
                try fixture.store.record(base: ReferencePin(), recordings: [recording]) { picture in
                    given += 1
                    guard given < count else { throw StoreFixture.Missing() }
                    return fixture.bytes[picture.objectID] ?? Data()
                }
            }
            #expect(try fixture.git("for-each-ref", "refs/snapfarm/sets") == "")
            #expect(try fixture.faults() == [])
            let made = try fixture.record([recording])
            let expected = try undisturbed.record([try undisturbed.recording("a", pictures)])
            #expect(made.set == expected.set)
            // The state after a kill before the last step: all objects, but no name.
            try fixture.git("update-ref", "-d", "refs/snapfarm/sets/\(made.set)")
            let store = try ReferenceStore(opening: fixture.store.path)
            #expect(try store.references(made.pin, cell: CellID("a")).count == count)
            #expect(try fixture.record([recording]).set == made.set)
            #expect(try fixture.faults() == [])
            try fixture.git("update-ref", "-d", "refs/snapfarm/sets/\(made.set)")
        }
    }

    @Test("a set with a picture that is gone does not become visible")
    func pictureGone() throws {
        let fixture = try StoreFixture()
        fixture.staysBroken = true
        let base = try fixture.record([try fixture.recording("a", ["S/one": "1"])]).pin
        let hex = fixture.picture("1").objectID.hex
        try FileManager.default.removeItem(
            atPath: "\(fixture.store.path)/objects/\(hex.prefix(2))/\(hex.dropFirst(2))"
        )
        let before = try fixture.git("for-each-ref")
        let recording = try fixture.recording("b", ["S/two": "2"])
        let error = #expect(throws: GitError.self) {
            try fixture.record([recording], over: base)
        }
        #expect(error?.message.hasPrefix("a/S/one.png: ") == true)
        #expect(try fixture.git("for-each-ref") == before)
    }
}
