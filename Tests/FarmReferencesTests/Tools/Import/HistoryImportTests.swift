import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

struct HistoryImportTests {
    private func fixture() throws -> WorkTreeFixture {
        let fixture = try WorkTreeFixture()
        try fixture.git("init", "--quiet", "-b", "main")
        return fixture
    }

    private func importer(_ fixture: WorkTreeFixture, folder: String = "") -> HistoryImport {
        HistoryImport(
            repository: fixture.root,
            settings: ImportSettings(
                folder: folder,
                choice: CellChoice(cells: [], fallback: .host),
                job: JobName("snapshots")
            )
        )
    }

    @Test("each commit that touched references becomes a set, in the journal's order")
    func steps() throws {
        let fixture = try fixture()
        try fixture.picture("T/ReferenceImages_64/S/a.png", "a1")
        try fixture.picture("T/ReferenceImages_64/S/b.png", "b1")
        try fixture.commitAll("first")
        try fixture.write("code.swift", Data("code".utf8))
        try fixture.commitAll("no pictures")
        try fixture.picture("T/ReferenceImages_64/S/a.png", "a2")
        try fixture.commitAll("second")
        try fixture.remove("T/ReferenceImages_64/S/b.png")
        try fixture.picture("T/ReferenceImages_64/R/c.png", "c1")
        try fixture.commitAll("third")
        try fixture.git("mv", "T/ReferenceImages_64", "ReferenceImages_64")
        try fixture.commitAll("move the folder")

        let importer = importer(fixture)
        let plan = try importer.plan()
        #expect(plan.steps.map(\.subject) == ["first", "second", "third"])
        #expect(plan.commitCount == 5 && plan.pictureCount == 4 && plan.skipped.isEmpty)
        var sets: [RecordedSet] = []
        let last = try importer.record(plan, over: ReferencePin(), to: fixture.store) {
            sets.append($1)
        }
        #expect(
            sets.map { $0.outcomes[.host]?.added.map(\.text) } == [
                ["host/S/a", "host/S/b"], [], ["host/R/c"],
            ]
        )
        #expect(sets.map { $0.outcomes[.host]?.removed.map(\.text) } == [[], [], ["host/S/b"]])
        let pin = try #require(last).pin
        #expect(
            try fixture.references(pin).map(\.objectID) == [
                ObjectID(ofBlob: png("c1")), ObjectID(ofBlob: png("a2")),
            ]
        )
        let log = try fixture.stores.git("log", "--first-parent", "--format=%s", "main")
        #expect(log == "third\nsecond\nfirst\nEmpty reference store\n")
        let trailer = try fixture.stores.git(
            "log",
            "-1",
            "--format=%(trailers:key=Snapfarm-Main-Commit,valueonly)",
            "main"
        )
        #expect(trailer.hasPrefix(plan.steps[2].commit.hex))
        #expect(
            plan.origins.folders == [
                "host/S": "ReferenceImages_64/S", "host/R": "ReferenceImages_64/R",
            ]
        )

        let now = fixture.folderImport()
        let tip = try now.record(try now.plan(), over: ReferencePin(), to: fixture.store)
        #expect(tip.pin == pin)
        #expect(try fixture.stores.faults() == [])
    }

    @Test("a picture that was a Git LFS pointer once is left out of that commit's set alone")
    func pointers() throws {
        let fixture = try fixture()
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
        try fixture.write("__Snapshots__/S/a.1.png", Data(pointer.utf8))
        try fixture.picture("__Snapshots__/S/b.1.png")
        try fixture.commitAll("pointer")
        try fixture.picture("__Snapshots__/S/a.1.png")
        try fixture.commitAll("picture")
        let importer = importer(fixture)
        let plan = try importer.plan()
        #expect(plan.skipped.map(\.path) == ["__Snapshots__/S/a.1.png"])
        let set = try importer.record(plan, over: ReferencePin(), to: fixture.store)
        #expect(try fixture.references(try #require(set).pin).count == 2)
        #expect(try fixture.stores.faults() == [])
    }

    @Test("a cut-off history is refused with the command that mends it")
    func shallow() throws {
        let fixture = try fixture()
        for text in ["1", "2"] {
            try fixture.picture("__Snapshots__/S/a.1.png", text)
            try fixture.commitAll(text)
        }
        let clone = fixture.stores.folder.file("clone")
        _ = try run("git", ["clone", "--quiet", "--depth", "1", "file://\(fixture.root)", clone])
        let importer = HistoryImport(
            repository: clone,
            settings: ImportSettings(choice: CellChoice(cells: [], fallback: .host))
        )
        #expect(throws: ImportFault.shallow(path: clone)) { try importer.plan() }
    }

    @Test("the weight of a repository without its references is the rest of its objects")
    func weight() throws {
        let fixture = try fixture()
        var noise = SeededGenerator(seed: 7)
        func picture() -> Data {
            png("") + Data((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &noise) })
        }
        try fixture.write("T/__Snapshots__/S/a b.1.png", picture())
        try fixture.write("icon.png", picture())
        try fixture.commitAll("first")
        try fixture.write("T/__Snapshots__/S/a b.1.png", picture())
        try fixture.commitAll("second")
        let weight = try RepositoryWeight.measure(
            repository: fixture.root,
            settings: ImportSettings(choice: CellChoice(cells: [])),
            environment: ProcessInfo.processInfo.environment
        )
        #expect(weight.pictureCount == 2 && weight.pictureBytes == 2 * (20_000 + png("").count))
        #expect(weight.objectCount == 13)
        #expect((40_000...41_000).contains(weight.pictureDiskBytes))
        #expect((20_000...22_000).contains(weight.diskBytesWithout))
        #expect(throws: ImportFault.self) {
            try RepositoryWeight.measure(
                repository: fixture.stores.folder.file("nothing"),
                settings: ImportSettings(choice: CellChoice(cells: [])),
                environment: ProcessInfo.processInfo.environment
            )
        }
    }
}
