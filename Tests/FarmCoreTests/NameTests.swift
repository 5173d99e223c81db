import FarmCore
import Foundation
import Testing

@Suite("Names")
struct NameTests {
    @Test(
        "a name that is no file name is refused",
        arguments: ["", ".", "..", "a/b", "a\u{0}", "\n"]
    )
    func refused(name: String) {
        #expect(throws: PathComponentError.self) { try PathComponent(name) }
    }

    @Test("names are NFC, so that one name has one spelling")
    func normalised() throws {
        let decomposed = try PathComponent("e\u{301}te\u{301}")
        #expect(decomposed.text.utf8.elementsEqual("été".utf8))
    }

    @Test("a name over 200 bytes is shortened to 180 plus a mark of its digest")
    func shortened() throws {
        let long = String(repeating: "あ", count: 70)
        let component = try PathComponent(long)
        let digest = Digest(of: Data(long.utf8)).hex.prefix(12)
        #expect(component.text == String(repeating: "あ", count: 60) + "~" + digest)
        #expect(try PathComponent(String(repeating: "x", count: 200)).text.utf8.count == 200)
        #expect(try PathComponent(String(repeating: "x", count: 201)).text.utf8.count == 193)
    }

    @Test("a snapshot id survives JSON, with nested suites")
    func snapshotJSON() throws {
        let id = try SnapshotID(
            cell: CellID("iPhone-8"),
            suite: "Mod.Class/Sub",
            name: "testFoo@2x"
        )
        #expect(id.text == "iPhone-8/Mod.Class/Sub/testFoo@2x")
        #expect(id.firstFolder == "Mod.Class")
        let data = try JSONEncoder().encode([id])
        #expect(try JSONDecoder().decode([SnapshotID].self, from: data) == [id])
    }

    @Test("a snapshot id cannot climb out of its cell", arguments: ["../x", "a//b", "/a", "a/.."])
    func noClimbing(suite: String) {
        #expect(throws: PathComponentError.self) {
            try SnapshotID(cell: CellID("c"), suite: suite, name: "n")
        }
    }

    @Test(
        "a folder that ends like a picture is refused: a picture may have its name",
        arguments: ["S/x.png", "x.png/S", "A.PNG"]
    )
    func pictureFolder(suite: String) {
        #expect(throws: PathComponentError.self) {
            try SnapshotID(cell: CellID("c"), suite: suite, name: "y")
        }
        #expect(throws: Never.self) {
            try SnapshotID(cell: CellID("c"), suite: "S", name: "x.png")
        }
    }

    @Test("a name is as long with its folders as a path below any output folder may be")
    func length() throws {
        let folder = String(repeating: "f", count: 200)
        let five = Array(repeating: folder, count: 5).joined(separator: "/")
        let id = try SnapshotID(cell: CellID(folder), suite: five, name: folder)
        #expect(id.text.utf8.count == 1_406)
        #expect(throws: PathComponentError.tooLong(bytes: 1_607)) {
            try SnapshotID(cell: CellID(folder), suite: five + "/" + folder, name: folder)
        }
        let text = Array(repeating: folder, count: 8).joined(separator: "/")
        let bytes = try JSONEncoder().encode([text])
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode([SnapshotID].self, from: bytes)
        }
    }

    @Test("Git's id of a blob equals what git hash-object prints")
    func blobID() {
        // Computed by: printf hello | git hash-object --stdin
        #expect(
            ObjectID(ofBlob: Data("hello".utf8)).hex == "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"
        )
    }

    @Test("only 64 lower-case hex digits are a digest")
    func digests() {
        let hex = Digest(of: Data()).hex
        #expect(hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Digest("sha256:" + hex) == Digest(hex))
        #expect(Digest(hex.uppercased()) == nil)
        #expect(Digest("../../etc/passwd") == nil)
    }
}
