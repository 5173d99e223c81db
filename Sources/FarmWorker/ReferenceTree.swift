// The references of a cell as the framework reads them: files below `FB_REFERENCE_IMAGE_DIR_64`.
// Read-only, and checked afterwards: a test that changes what it is judged by proves nothing.
import FarmCore
import Foundation

/// A materialised copy of a cell's references.
struct ReferenceTree: Sendable {
    /// Absolute; exists.
    let folder: String
    let references: CellReferences

    /// Writes every reference of the cell.
    func materialise(_ bytes: (ObjectID) async throws -> Data) async throws {
        let files = FileManager.default
        for reference in references.references {
            let path = path(of: reference)
            do {
                try files.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent,
                    withIntermediateDirectories: true
                )
                let data = try await bytes(reference.objectID)
                try data.write(to: URL(fileURLWithPath: path))
                try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            } catch let error as CocoaError {
                throw WorkerError.scratch(path: path, reason: error.localizedDescription)
            }
        }
    }

    /// What changed since; nil when every file is as it was and none came.
    func change() -> Problem? {
        let expected = Dictionary(
            references.references.map { (path(of: $0), $0.objectID) },
            uniquingKeysWith: { first, _ in first }
        )
        for (path, object) in expected.sorted(by: { $0.key < $1.key }) {
            guard let bytes = FileManager.default.contents(atPath: path),
                ObjectID(ofBlob: bytes) == object
            else { return problem("\(relative(path)) was changed") }
        }
        let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        for file in (found ?? []).sorted() where file.hasSuffix(".png") {
            if expected[folder + "/" + file] == nil { return problem("\(file) was written") }
        }
        return nil
    }

    private func path(of reference: Reference) -> String {
        "\(folder)/\(reference.id.suite)/\(reference.id.name).png"
    }

    private func relative(_ path: String) -> String { String(path.dropFirst(folder.count + 1)) }

    private func problem(_ what: String) -> Problem {
        Problem(
            code: "references-written",
            message: "the tests changed their references under verify: \(what).",
            remedy: "Switch recording off: set recordMode from SNAPSHOT_TEST_RECORD_MODE."
        )
    }
}
