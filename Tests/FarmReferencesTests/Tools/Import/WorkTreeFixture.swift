// A clone of a main repository with pictures in it, and a reference store beside it.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting

/// A work tree in a temporary folder, and a new store.
final class WorkTreeFixture {
    let stores: StoreFixture
    let root: String
    var store: ReferenceStore { stores.store }

    init() throws {
        stores = try StoreFixture()
        root = stores.folder.file("main")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    @discardableResult
    func write(_ path: String, _ bytes: Data) throws -> String {
        try stores.folder.write("main/" + path, bytes)
    }

    /// Writes a picture whose bytes follow from its text.
    @discardableResult
    func picture(_ path: String, _ text: String? = nil) throws -> String {
        try write(path, png(text ?? path))
    }

    func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: root + "/" + path))
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + "/" + path)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: root + "/" + path)
    }

    @discardableResult
    func git(_ arguments: String...) throws -> String {
        let identity = [
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_AUTHOR_DATE": "@1700000000 +0000", "GIT_COMMITTER_DATE": "@1700000000 +0000",
        ]
        let result = try run("git", ["-C", root] + arguments, environment: identity)
        struct Failed: Error { var text: String }
        guard result.status == 0 else { throw Failed(text: result.errors) }
        return result.output
    }

    func commitAll(_ message: String) throws {
        try git("add", "--all", ".")
        try git("commit", "--quiet", "--allow-empty", "-m", message)
    }

    func importPlan(
        cell: String? = "host",
        cells: [Cell] = [],
        rules: [CellChoice.Rule] = [],
        source: ImportSource = .frameworks(nil),
        folder: String = ""
    ) throws -> ImportPlan {
        try folderImport(cell: cell, cells: cells, rules: rules, source: source, folder: folder)
            .plan()
    }

    func folderImport(
        cell: String? = "host",
        cells: [Cell] = [],
        rules: [CellChoice.Rule] = [],
        source: ImportSource = .frameworks(nil),
        folder: String = ""
    ) -> FolderImport {
        FolderImport(
            root: root,
            settings: ImportSettings(
                source: source,
                folder: folder,
                choice: CellChoice(cells: cells, rules: rules, fallback: cell.map { CellID($0) }),
                job: JobName("snapshots")
            )
        )
    }

    func references(_ pin: ReferencePin) throws -> [Reference] {
        try pin.cells.flatMap { try store.references(pin, cell: $0) }
    }
}

/// Returns a PNG's signature and header (1×1), followed by a text: enough to count as a picture.
func png(_ text: String, width: UInt8 = 1, height: UInt8 = 1) -> Data {
    Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        + Data("IHDR".utf8) + Data([0, 0, 0, width, 0, 0, 0, height, 8, 6, 0, 0, 0])
        + Data(text.utf8)
}

func device(
    _ id: String,
    _ name: String,
    _ os: String?,
    _ width: Int,
    _ height: Int,
    _ scale: Double
) -> Cell {
    Cell(
        id: CellID(id),
        device: Device(name: name, os: os, width: width, height: height, scale: scale),
        variant: []
    )
}
