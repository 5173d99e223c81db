import FarmCore
import Foundation
import ReferenceTesting
import Testing

@testable import FarmReferences

struct LayoutTests {
    private static let pointFree = ReferenceLayout.pointFree(
        folder: "Tests",
        testFolders: ["LoginTests": "Features/Login/Tests"]
    )

    @Test(
        "each framework finds its references where it looks for them, and back",
        arguments: [
            (
                ReferenceLayout.fbReferenceImages(folder: "Tests/ReferenceImages_64"),
                "App.LoginTests", "testA@2x",
                "Tests/ReferenceImages_64/App.LoginTests/testA@2x.png"
            ),
            (.fbReferenceImages(folder: "R"), "A/B", "c", "R/A/B/c.png"),
            (
                pointFree, "LoginTests", "testA.1",
                "Features/Login/Tests/__Snapshots__/LoginTests/testA.1.png"
            ),
            (pointFree, "HomeTests", "testA.1", "Tests/__Snapshots__/HomeTests/testA.1.png"),
            (.pointFree(folder: "", testFolders: [:]), "S", "n", "__Snapshots__/S/n.png"),
            (.plain(folder: ""), "A/B", "c", "cell/A/B/c.png"),
            (.plain(folder: "refs"), "A", "c", "refs/cell/A/c.png"),
        ]
    )
    func paths(layout: ReferenceLayout, suite: String, name: String, path: String) throws {
        let id = try SnapshotID(cell: CellID("cell"), suite: suite, name: name)
        #expect(layout.path(of: id) == path)
        let place = layout.place(at: path)
        #expect(place?.suite == suite && place?.name == name)
        #expect(layout.place(at: "elsewhere/x/y.txt") == nil)
        let coded = try JSONDecoder().decode(
            ReferenceLayout.self,
            from: try JSONEncoder().encode(layout)
        )
        #expect(coded == layout)
    }

    @Test(
        "two cells whose pictures have one place are refused; pictures that tell cells apart are not"
    )
    func samePlace() throws {
        let layout = ReferenceLayout.fbReferenceImages(folder: "R")
        let object = ObjectID(ofBlob: Data())
        let references = try ["one/S/a@2x", "two/S/a@2x"].map { text in
            Reference(
                id: try id(String(text.prefix(3)), String(text.dropFirst(4))),
                objectID: object
            )
        }
        #expect(throws: CheckoutError.self) { try layout.place(references) }
        var apart = references
        apart[1].id = try id("two", "S/a@3x")
        #expect(try layout.place(apart).placed.map(\.path) == ["R/S/a@2x.png", "R/S/a@3x.png"])
        apart[1].id = try id("two", "S/A@2x")
        #expect(throws: ReferenceStoreError.self) { try layout.place(apart) }
    }

    @Test("a new suite of an imported cell lies where it lies for the other cells")
    func origins() throws {
        var origins = ReferenceOrigins()
        origins.add(try id("a", "S/x"), path: "T/__Snapshots__/S/x.png")
        let layout = ReferenceLayout.imported(origins)
        #expect(layout.path(of: try id("b", "S/y")) == "T/__Snapshots__/S/y.png")
        #expect(layout.path(of: try id("b", "R/y")) == nil)
        #expect(layout.folders == ["T/__Snapshots__/S"])
    }

    @Test("a suite's references lie beside its test file, found by its name")
    func testFolders() throws {
        let tree = try WorkTreeFixture()
        for path in [
            "Login/Tests/LoginTests.swift", "A/TwiceTests.swift", "B/TwiceTests.m",
            ".build/checkouts/x/LoginTests.swift", "Login/Tests/OtherTests.swift",
        ] { try tree.write(path, Data()) }
        let found = try TestFolders(of: ["LoginTests", "TwiceTests", "GoneTests"], in: tree.root)
        #expect(found.folders == ["LoginTests": "Login/Tests"])
        #expect(found.ambiguous == ["TwiceTests": ["A", "B"]])
        #expect(found.missing == ["GoneTests"])
    }
}
