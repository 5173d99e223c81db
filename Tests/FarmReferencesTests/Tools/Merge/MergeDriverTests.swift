import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

@Suite("the merge driver")
struct MergeDriverTests {
    @Test("one suite with different pictures recorded on two branches merges")
    func clean() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            base: ["S/1": "a", "S/2": "b"],
            ours: ["S/1": "ours", "S/2": "b"],
            theirs: ["S/1": "a", "S/2": "theirs"]
        )
        let files = try write(trio, fixture)
        let outcome = try MergeDriver.run(
            base: files[0],
            ours: files[1],
            theirs: files[2],
            store: fixture.store
        )
        #expect(outcome.exit == 0)
        let pin = try ReferencePin(parsing: try Data(contentsOf: URL(fileURLWithPath: files[1])))
        let direct = try fixture.record([
            try fixture.recording("a", ["S/1": "ours", "S/2": "theirs"])
        ])
        #expect(pin == direct.pin)
        #expect(try fixture.faults() == [])
    }

    @Test("a conflict is never a pin, and each side of its markers is a whole one")
    func conflict() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            base: ["S/1": "a", "S/2": "b", "T/1": "t", "U/1": "u"],
            ours: ["S/1": "ours", "S/2": "ours 2", "T/1": "t", "U/1": "u"],
            theirs: ["S/1": "theirs", "S/2": "b", "T/1": "t theirs"]
        )
        let outcome = try MergeDriver.merge(
            base: trio.base,
            ours: trio.ours,
            theirs: trio.theirs,
            store: fixture.store
        )
        #expect(outcome.exit == 1)
        #expect(outcome.notes.contains { $0.contains("a/S/1") })
        #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: Data(outcome.text.utf8))
        }
        for (side, picture) in [("ours", "ours"), ("theirs", "theirs")] {
            let pin = try ReferencePin(parsing: Data(take(side, outcome.text).utf8))
            let direct = try fixture.record([
                try fixture.recording(
                    "a",
                    ["S/1": picture, "S/2": "ours 2", "T/1": "t theirs"]
                )
            ])
            #expect(pin == direct.pin)
        }
    }

    @Test("without the store, suites that one side changed still merge")
    func withoutStore() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            base: ["S/1": "a", "T/1": "t", "U/1": "u"],
            ours: ["S/1": "ours", "T/1": "ours", "U/1": "u"],
            theirs: ["S/1": "theirs", "T/1": "t", "U/1": "theirs"]
        )
        let outcome = try MergeDriver.merge(
            base: trio.base,
            ours: trio.ours,
            theirs: trio.theirs,
            store: nil
        )
        #expect(outcome.exit == 1)
        #expect(outcome.notes.contains("    a/S"))
        #expect(outcome.notes.last?.hasPrefix("Next: snapfarm refs merge") == true)
        // The error for the marked pin gives the same advice, and never to drop a side.
        let marked = #expect(throws: ReferencePinError.self) {
            try ReferencePin(parsing: Data(outcome.text.utf8))
        }
        #expect(marked?.remedy.contains("snapfarm refs merge") == true)
        #expect(marked?.remedy.contains("--ours") == false)
        let pin = try ReferencePin(parsing: Data(take("theirs", outcome.text).utf8))
        let direct = try fixture.record([
            try fixture.recording("a", ["S/1": "theirs", "T/1": "ours", "U/1": "theirs"])
        ])
        #expect(pin == direct.pin)
        let disjoint = try MergeDriver.merge(
            base: trio.base,
            ours: trio.base,
            theirs: trio.theirs,
            store: nil
        )
        #expect(disjoint.exit == 0)
        #expect(disjoint.text == trio.theirs.text)
    }

    @Test("a file that is not a pin is refused and left alone")
    func broken() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(fixture, base: ["S/1": "a"], ours: ["S/1": "b"], theirs: ["S/1": "c"])
        let files = try write(trio, fixture)
        try fixture.folder.write("theirs", "not a pin\n")
        #expect(throws: ReferencePinError.self) {
            try MergeDriver.run(
                base: files[0],
                ours: files[1],
                theirs: files[2],
                store: fixture.store
            )
        }
        #expect(try String(contentsOfFile: files[1], encoding: .utf8) == trio.ours.text)
    }

    @Test("stock Git calls the driver that the setup asks for, and leaves the three pins behind")
    func stockGit() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(fixture, base: ["S/1": "a"], ours: ["S/1": "b"], theirs: ["S/1": "c"])
        let project = try MergeProject(fixture)
        var setup = MergeDriverSetup(
            pinPath: "sub dir/snapfarm.refs",
            attributes: "",
            configured: [:]
        )
        let attributes = setup.attributes(after: "*.png binary")
        #expect(
            attributes == "*.png binary\n\"/sub dir/snapfarm.refs\" merge=snapfarm -text\n"
        )
        try project.write(".gitattributes", attributes)
        var configured: [String: String] = [:]
        for setting in setup.settings {
            configured[setting.name] = setting.value
            try project.git("config", setting.name, setting.value)
        }
        setup = MergeDriverSetup(
            pinPath: "sub dir/snapfarm.refs",
            attributes: attributes,
            configured: configured
        )
        #expect(setup.isComplete)
        // Replaces the program by a script that keeps Git's input and reports a conflict.
        let kept = fixture.folder.file("kept")
        try project.git(
            "config",
            "merge.snapfarm.driver",
            "cat %O %A %B > '\(kept)'; exit 1"
        )
        try project.commit(trio.base, branch: "base", from: nil)
        try project.commit(trio.theirs, branch: "theirs", from: "base")
        try project.commit(trio.ours, branch: "ours", from: "base")
        #expect(try project.git("merge", "-q", "theirs").status == 1)
        #expect(
            try String(contentsOfFile: kept, encoding: .utf8)
                == trio.base.text + trio.ours.text + trio.theirs.text
        )
        let main = try MainRepository(containing: project.path)
        let stages = try #require(try main.conflict(project.pin))
        #expect(
            stages
                == PinStages(
                    base: .text(trio.base),
                    ours: .text(trio.ours),
                    theirs: .text(trio.theirs)
                )
        )
        let heads = (try main.commit("ours"), try main.commit("theirs"))
        let base = try #require(try main.mergeBase(heads.0, heads.1))
        #expect(try main.pin(project.pin, at: base) == .text(trio.base))
        #expect(try main.pin("nothing", at: base) == nil)
        #expect(try main.conflict("nothing") == nil)
        #expect(throws: MergeError.self) { try main.commit("no-such-branch") }
        #expect(throws: MergeError.self) { try main.pin("sub dir", at: base) }
    }

    @Test("git merge of two branches that recorded neighbouring suites is clean, without a driver")
    func stockMerge() throws {
        let fixture = try StoreFixture()
        let trio = try Trio(
            fixture,
            base: ["S/1": "a", "T/1": "b", "U/1": "c"],
            ours: ["S/1": "a", "T/1": "ours", "U/1": "c"],
            theirs: ["S/1": "a", "T/1": "b", "U/1": "theirs", "V/1": "new"]
        )
        let project = try MergeProject(fixture)
        try project.commit(trio.base, branch: "base", from: nil)
        try project.commit(trio.theirs, branch: "theirs", from: "base")
        try project.commit(trio.ours, branch: "ours", from: "base")
        #expect(try project.git("merge", "-q", "--no-edit", "theirs").status == 0)
        let main = try MainRepository(containing: project.path)
        let merged = try fixture.store.pin(of: try main.pin(project.pin, at: main.commit("HEAD")))
        let published = try fixture.store.publish(merged)
        #expect(!published.wasVisible)
        #expect(try fixture.git("show", "\(published.set):a/T/1.png") == "PNG ours")
        #expect(try fixture.git("show", "\(published.set):a/V/1.png") == "PNG new")
        #expect(try fixture.faults() == [])
    }

    private func write(_ trio: Trio, _ fixture: StoreFixture) throws -> [String] {
        try zip(["base", "ours", "theirs"], [trio.base, trio.ours, trio.theirs]).map {
            try fixture.folder.write($0, $1.text)
        }
    }

    /// Returns the text with one side of every conflict marker.
    private func take(_ side: String, _ text: String) -> String {
        var kept = ""
        var inside: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("<<<<<<<") {
                inside = "ours"
            } else if line.hasPrefix("=======") {
                inside = "theirs"
            } else if line.hasPrefix(">>>>>>>") {
                inside = nil
            } else if inside == nil || inside == side {
                kept += line + "\n"
            }
        }
        return kept
    }
}

/// A main repository with a pin in it, driven by stock Git.
final class MergeProject {
    let path: String
    let pin: String
    private let fixture: StoreFixture

    init(_ fixture: StoreFixture, pin: String = "sub dir/snapfarm.refs") throws {
        self.fixture = fixture
        self.pin = pin
        path = fixture.folder.file("project")
        _ = try run("git", ["init", "-q", "-b", "main", path])
        try git("config", "user.name", "t")
        try git("config", "user.email", "t@t")
        try git("config", "commit.gpgsign", "false")
    }

    @discardableResult
    func git(_ arguments: String...) throws -> ProcessEnding {
        try run("git", ["-C", path] + arguments)
    }

    func write(_ file: String, _ text: String) throws {
        try fixture.folder.write("project/\(file)", text)
    }

    /// Commits a pin on a new branch.
    func commit(_ pin: ReferencePin, branch: String, from start: String?) throws {
        _ = try run(
            "git",
            ["-C", path, "checkout", "-q", "-b", branch] + [start].compactMap(\.self)
        )
        try write(self.pin, pin.text)
        try git("add", ".")
        try git("commit", "-q", "-m", branch)
    }
}
