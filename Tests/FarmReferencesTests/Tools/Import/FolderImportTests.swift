import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

struct FolderImportTests {
    @Test("ids are the framework's own folder and file name, as a record run gives them")
    func ids() throws {
        let fixture = try WorkTreeFixture()
        for path in [
            "AppTests/ReferenceImages_64/App.LoginTests/testA_my_id@2x.png",
            "ReferenceImages_64/Nested/Folder/test:.png",
            "AppTests/__Snapshots__/LoginTests/testB.1.png",
            "Other/__Snapshots__/iOS/UITests/testC().dark.png",
            "App/Assets/icon.png", "AppTests/FailureDiffs/App.LoginTests/diff_testA@2x.png",
        ] { try fixture.picture(path) }
        let plan = try fixture.importPlan()
        #expect(
            plan.pictures.map(\.id.text) == [
                "host/App.LoginTests/testA_my_id@2x", "host/LoginTests/testB.1",
                "host/Nested/Folder/test:", "host/UITests/testC().dark",
            ]
        )
        #expect(plan.unmapped.isEmpty && plan.refused.isEmpty)
    }

    @Test("an import makes a set, and its export is the same files byte for byte")
    func roundTrip() throws {
        let fixture = try WorkTreeFixture()
        let decomposed = "e\u{301}t\u{E9}"
        let long = String(repeating: "n", count: 230)
        for path in [
            "A/ReferenceImages_64/S/t@2x.png", "A/ReferenceImages_64/S/u@2x.png",
            "B/__Snapshots__/T/t.1.png", "B/__Snapshots__/T/\(decomposed).1.png",
            "B/__Snapshots__/T/\(long).png",
        ] { try fixture.picture(path) }
        let importer = fixture.folderImport()
        let plan = try importer.plan()
        #expect(plan.pictures.count == 5)
        let set = try importer.record(plan, over: ReferencePin(), to: fixture.store)
        #expect(set.outcomes[.host]?.added.count == 5)
        let record = try fixture.store.suiteRecord(set.pin, cell: .host, folder: "T")
        #expect(record?.job == JobName("snapshots"))

        let origins = try JSONDecoder().decode(
            ReferenceOrigins.self,
            from: try JSONEncoder().encode(plan.origins)
        )
        let out = fixture.stores.folder.file("out")
        let export = ReferenceExport(into: out)
        let exported = try export.plan(
            try fixture.references(set.pin),
            layout: .imported(origins),
            force: false
        )
        #expect(exported.unplaced.isEmpty && exported.taken.isEmpty)
        try export.apply(exported, read: fixture.store.read)
        #expect(try run("diff", ["-r", fixture.root, out]).output == "")
        #expect(try run("diff", ["-r", fixture.root, out]).status == 0)
        let again = try importer.record(plan, over: set.pin, to: fixture.store)
        #expect(again == RecordedSet(pin: set.pin, set: set.set, outcomes: again.outcomes))
        #expect(try fixture.stores.faults() == [])
    }

    @Test("an export overwrites other files only when told to")
    func exportTaken() throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture("A/ReferenceImages_64/S/t.png")
        let importer = fixture.folderImport()
        let plan = try importer.plan()
        let set = try importer.record(plan, over: ReferencePin(), to: fixture.store)
        let references = try fixture.references(set.pin)
        try fixture.picture("A/ReferenceImages_64/S/t.png", "other")
        let export = ReferenceExport(into: fixture.root)
        let refused = try export.plan(references, layout: .imported(plan.origins), force: false)
        #expect(refused.taken == ["A/ReferenceImages_64/S/t.png"])
        #expect(throws: ExportError.self) { try export.apply(refused, read: fixture.store.read) }
        let forced = try export.plan(references, layout: .imported(plan.origins), force: true)
        try export.apply(forced, read: fixture.store.read)
        #expect(
            try fixture.bytes("A/ReferenceImages_64/S/t.png")
                == png("A/ReferenceImages_64/S/t.png")
        )
        #expect(try fixture.stores.faults() == [])
    }

    @Test("what cannot be mapped is listed with the reason, and the rest goes on")
    func unmapped() throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture("ReferenceImages_64/S/good.png")
        try fixture.picture("ReferenceImages_64/nosuite.png")
        try fixture.write("__Snapshots__/S/text.1.txt", Data("text".utf8))
        try fixture.picture("ReferenceImages_64/S/bell\u{7}.png")
        let outside = try fixture.stores.folder.write("outside/secret.png", png("secret"))
        symlink(outside, fixture.root + "/ReferenceImages_64/S/link.png")
        symlink(fixture.stores.folder.file("outside"), fixture.root + "/ReferenceImages_64/L")
        mkfifo(fixture.root + "/ReferenceImages_64/S/pipe.png", 0o600)
        let plan = try fixture.importPlan()
        #expect(plan.pictures.map(\.id.text) == ["host/S/good"])
        #expect(
            plan.unmapped.map(\.path)
                == [
                    "ReferenceImages_64/L", "ReferenceImages_64/S/bell\u{7}.png",
                    "ReferenceImages_64/S/link.png",
                    "ReferenceImages_64/S/pipe.png", "ReferenceImages_64/nosuite.png",
                    "__Snapshots__/S/text.1.txt",
                ]
        )
        #expect(plan.refused.isEmpty)
    }

    @Test("pictures that would be lost silently keep the import from beginning")
    func refused() throws {
        let pointer = """
            version https://git-lfs.github.com/spec/v1
            oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
            size 12345

            """
        let fixture = try WorkTreeFixture()
        try fixture.picture("ReferenceImages_64/S/good.png")
        try fixture.write("ReferenceImages_64/S/lfs.png", Data(pointer.utf8))
        try fixture.write("ReferenceImages_64/S/jpeg.png", Data([0xFF, 0xD8, 0xFF]))
        try fixture.write("ReferenceImages_64/S/empty.png", Data())
        try fixture.write("ReferenceImages_64/S/zero.png", png("", width: 0))
        try fixture.picture("ReferenceImages_32/S/good.png", "another")
        try fixture.picture("ReferenceImages_64/S/GOOD.png")
        let huge = fixture.root + "/ReferenceImages_64/S/huge.png"
        try fixture.picture("ReferenceImages_64/S/huge.png")
        truncate(huge, off_t(FarmLimits.pictureBytesMax + 1))
        let importer = fixture.folderImport()
        let plan = try importer.plan()
        let reasons = Dictionary(
            uniqueKeysWithValues: plan.refused.map { ($0.path.split(separator: "/").last, $0) }
        )
        #expect(plan.refused.count == 7)
        #expect(reasons["lfs.png"]?.reason.contains("Git LFS pointer") == true)
        #expect(reasons["lfs.png"]?.reason.contains("12345") == true)
        #expect(reasons["lfs.png"]?.remedy.contains("git lfs pull") == true)
        #expect(reasons["jpeg.png"]?.reason == "the file is not a PNG.")
        #expect(reasons["good.png"]?.reason.contains("host/S/good") == true)
        #expect(throws: ImportFault.self) {
            try importer.record(plan, over: ReferencePin(), to: fixture.store)
        }
        #expect(try fixture.stores.git("for-each-ref", "refs/snapfarm/sets") == "")
        #expect(try fixture.stores.faults() == [])
    }

    @Test("two folders of one suite go to two cells when the rules say so")
    func rules() throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture("ReferenceImages_iOS_10/S/t@2x.png", "ten")
        try fixture.picture("ReferenceImages_64/S/t@2x.png", "new")
        let rule = CellChoice.Rule(paths: Glob("**/*iOS_10/**", mode: .path), cell: CellID("ten"))
        let plan = try fixture.importPlan(rules: [rule])
        #expect(plan.pictures.map(\.id.text) == ["host/S/t@2x", "ten/S/t@2x"])
        #expect(plan.refused.isEmpty)
    }

    @Test("a file that changes between plan and import is noticed")
    func changing() throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture("ReferenceImages_64/S/t.png")
        let importer = fixture.folderImport()
        let plan = try importer.plan()
        try fixture.picture("ReferenceImages_64/S/t.png", "later")
        #expect(throws: ImportFault.changedMeanwhile(path: "ReferenceImages_64/S/t.png")) {
            try importer.record(plan, over: ReferencePin(), to: fixture.store)
        }
        #expect(try fixture.stores.faults() == [])
    }
}
