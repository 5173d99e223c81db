import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("stock Git merges pins")
struct PinMergeTests {
    @Test(
        "suites recorded on two branches merge, far apart and side by side",
        arguments: [("S1", "S8"), ("S4", "S5"), ("S5", "S4")]
    )
    func disjoint(ours: String, theirs: String) throws {
        let fixture = try StoreFixture()
        let base = try self.base(fixture)
        let sides = try [ours, theirs].map { suite in
            try fixture.record(
                [try fixture.recording("a", complete: false, ["\(suite)/one": "new \(suite)"])],
                over: base
            )
        }
        let merged = try merge(fixture, base, sides[0].pin, sides[1].pin)
        #expect(merged.status == 0)
        let pin = try ReferencePin(parsing: Data(merged.output.utf8))
        let both = try fixture.record(
            [
                try fixture.recording(
                    "a",
                    complete: false,
                    ["\(ours)/one": "new \(ours)", "\(theirs)/one": "new \(theirs)"]
                )
            ],
            over: base
        )
        #expect(pin == both.pin)
        try fixture.store.check(pin)
        #expect(try fixture.store.setID(of: pin) == both.set)
    }

    @Test("one suite recorded on two branches is a conflict that no one mistakes for a pin")
    func conflict() throws {
        let fixture = try StoreFixture()
        let base = try self.base(fixture)
        let sides = try ["ours", "theirs"].map { text in
            try fixture.record(
                [try fixture.recording("a", complete: false, ["S4/one": text])],
                over: base
            )
        }
        let merged = try merge(fixture, base, sides[0].pin, sides[1].pin)
        #expect(merged.status == 1)
        let error = #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: Data(merged.output.utf8))
        }
        #expect(error?.code == "pin-conflict")
    }

    private func base(_ fixture: StoreFixture) throws -> ReferencePin {
        let pictures = Dictionary(
            uniqueKeysWithValues: (1...9).map { ("S\($0)/one", "\($0)") }
        )
        return try fixture.record([try fixture.recording("a", pictures)]).pin
    }

    private func merge(
        _ fixture: StoreFixture,
        _ base: ReferencePin,
        _ ours: ReferencePin,
        _ theirs: ReferencePin
    ) throws -> ProcessEnding {
        let files = try zip(["ours", "base", "theirs"], [ours, base, theirs]).map { name, pin in
            try fixture.folder.write(name, pin.text)
        }
        return try run("git", ["merge-file", "-p"] + files)
    }
}
