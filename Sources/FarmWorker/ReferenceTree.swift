// The references of a cell as the framework reads them: files below `FB_REFERENCE_IMAGE_DIR_64`.
// Read-only, and checked afterwards: a test that changes what it is judged by proves nothing.
import FarmCore
import FarmReferences
import Foundation

/// A materialised copy of a cell's references.
struct ReferenceTree: Sendable {
    /// Absolute; exists.
    let folder: String
    let references: CellReferences

    /// Times that pictures which another process evicted are fetched again.
    private static let attemptsMax = 5

    /// A picture that was there a moment ago.
    private struct Evicted: Error {}

    /// Links every reference of the cell out of the machine's cache; `bytes` is asked for what the
    /// cache lacks.
    func materialise(
        from cache: PictureCache,
        now: Date,
        _ bytes: (ObjectID) async throws -> Data
    ) async throws {
        let objects = Set(references.references.map(\.objectID))
        for _ in 0..<Self.attemptsMax {
            for object in try cache.lacking(objects) {
                try cache.add(object, try await bytes(object), now: now)
            }
            do {
                try cache.materialise(
                    references: references.references,
                    into: folder,
                    now: now,
                    layout: { "\($0.suite)/\($0.name).png" },
                    read: { _ in throw Evicted() }
                )
                return
            } catch is Evicted {
                continue
            }
        }
        throw WorkerError.scratch(
            path: cache.path,
            reason: "its pictures vanish while they are used; the cache is too small"
        )
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
