import FarmCore
import FarmGit
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("a reference store")
struct StoreTests {
    @Test("a new store is a sound Git repository with a page for people")
    func created() throws {
        let fixture = try StoreFixture()
        #expect(try fixture.faults() == [])
        #expect(try fixture.git("cat-file", "blob", "refs/snapfarm/format") == "1")
        #expect(try fixture.git("symbolic-ref", "HEAD") == "refs/heads/main\n")
        #expect(try fixture.git("show", "main:README.md").contains("No pictures yet."))
        #expect(try fixture.git("config", "gc.auto") == "0\n")
        #expect(try fixture.git("config", "--bool", "uploadpack.allowAnySHA1InWant") == "true\n")
        #expect(ReferenceStore.looksLikeStore(at: fixture.store.path))
        let beside = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(beside == ["store.git"])
    }

    @Test("two new stores are equal")
    func createdEqual() throws {
        let ids = try (0..<2).map { _ in try StoreFixture().git("rev-parse", "main") }
        #expect(ids[0] == ids[1])
    }

    @Test("a store is not made where something is")
    func pathTaken() throws {
        let fixture = try StoreFixture()
        let taken = try fixture.folder.write("taken/file", "mine")
        for path in [fixture.store.path, fixture.folder.file("taken"), taken] {
            #expect(throws: ReferenceStoreError.pathTaken(path: path)) {
                try ReferenceStore.create(at: path)
            }
        }
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "mine")
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(names.sorted() == ["store.git", "taken"])
    }

    @Test("an empty bare repository becomes a store, and any other repository stays what it is")
    func createdInRepository() throws {
        let folder = try TemporaryFolder()
        for (name, words) in [
            ("empty.git", ["init", "-q", "--bare", "-b", "master"]), ("work", ["init", "-q"]),
        ] {
            #expect(try run("git", words + [folder.file(name)]).status == 0)
        }
        let path = folder.file("empty.git")
        let store = try ReferenceStore.create(inEmptyRepository: path)
        #expect(try store.sets().isEmpty && ReferenceStore.looksLikeStore(at: path))
        let head = try run("git", ["-C", path, "symbolic-ref", "HEAD"]).output
        #expect(head == "refs/heads/main\n")
        #expect(try storeFaults(path) == [])
        for taken in [path, folder.file("work"), folder.file("work/.git"), folder.path] {
            #expect(throws: ReferenceStoreError.pathTaken(path: taken)) {
                try ReferenceStore.create(inEmptyRepository: taken)
            }
        }
    }

    @Test("an empty folder may become a store, and folders that lead to it are made")
    func createdInside() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a/b/store.git")
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        _ = try ReferenceStore.create(at: path)
        #expect(ReferenceStore.looksLikeStore(at: path))
    }

    @Test("what is not a store is not opened")
    func notAStore() throws {
        let folder = try TemporaryFolder()
        let plain = folder.file("plain.git")
        _ = try run("git", ["init", "--bare", plain])
        for path in [plain, folder.path, folder.file("nothing")] {
            #expect(!ReferenceStore.looksLikeStore(at: path))
            #expect(throws: ReferenceStoreError.notAStore(path: path)) {
                try ReferenceStore(opening: path)
            }
        }
    }

    @Test("a store of a later format is refused")
    func laterFormat() throws {
        let fixture = try StoreFixture()
        let file = try fixture.folder.write("two", "2\n")
        let blob = try fixture.git("hash-object", "-w", file).dropLast()
        try fixture.git("update-ref", "refs/snapfarm/format", String(blob))
        #expect(
            throws: ReferenceStoreError.unknownFormat(path: fixture.store.path, format: "2")
        ) {
            try ReferenceStore(opening: fixture.store.path)
        }
    }

    @Test("a pin of another store is refused with the line of the pin")
    func foreignPin() throws {
        let fixture = try StoreFixture()
        let known = try fixture.record([try fixture.recording("a", ["S/one": "1"])])
        try fixture.store.check(known.pin)
        var pin = known.pin
        let path = try #require(SubtreePath(cell: CellID("b"), folder: "S"))
        pin[path] = ObjectID(String(repeating: "7", count: 40))
        for call in [
            { try fixture.store.check(pin) }, { _ = try fixture.store.setID(of: pin) },
            { _ = try fixture.record([], over: pin) },
        ] {
            let error = #expect(throws: ReferenceStoreError.self, performing: call)
            #expect(error?.message.hasPrefix("snapfarm.refs:3: \"b/S\" is 7777") == true)
            #expect(error?.remedy.contains("fetch") == true)
            #expect(error?.exit == .configuration)
        }
    }

    @Test("a pin that names a picture as a folder is refused")
    func blobAsFolder() throws {
        let fixture = try StoreFixture()
        let known = try fixture.record([try fixture.recording("a", ["S/one": "1"])])
        var pin = known.pin
        let path = try #require(SubtreePath(cell: CellID("a"), folder: "S"))
        pin[path] = fixture.picture("1").objectID
        #expect(throws: ReferenceStoreError.self) { try fixture.store.check(pin) }
    }

    @Test("only pictures are read, and only up to the limit")
    func reading() throws {
        let fixture = try StoreFixture()
        let large = fixture.folder.file("large")
        try fixture.folder.write("large", Data(count: FarmLimits.pictureBytesMax + 1))
        let hex = try fixture.git("hash-object", "-w", large).dropLast()
        let blob = try #require(ObjectID(hex))
        #expect(
            throws: ReferenceStoreError.pictureTooLarge(
                blob,
                bytes: FarmLimits.pictureBytesMax + 1
            )
        ) {
            try fixture.store.read(blob)
        }
        let tree = try #require(ObjectID(try fixture.git("rev-parse", "main^{tree}").dropLast()))
        #expect(throws: GitError.self) { try fixture.store.read(tree) }
        let absent = try #require(ObjectID(String(repeating: "1", count: 40)))
        #expect(throws: GitError.self) { try fixture.store.read(absent) }
    }

    @Test("a damaged picture is refused, not returned")
    func damaged() throws {
        let fixture = try StoreFixture()
        fixture.staysBroken = true
        let one = fixture.picture("1").objectID
        let other = fixture.picture("2").objectID
        _ = try fixture.record([try fixture.recording("a", ["S/one": "1", "S/two": "2"])])
        let files = [one, other].map {
            "\(fixture.store.path)/objects/\($0.hex.prefix(2))/\($0.hex.dropFirst(2))"
        }
        try FileManager.default.removeItem(atPath: files[0])
        try FileManager.default.copyItem(atPath: files[1], toPath: files[0])
        #expect(throws: GitError.self) { try fixture.store.read(one) }
    }
}
