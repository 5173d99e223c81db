// The references of a cell as files, where the framework's profile places them. They are checked
// after the tests: a test that changes its own references proves nothing.
import FarmCore
import FarmReferences
import Foundation

/// A copy of a cell's references as files in a folder.
struct ReferenceTree: Sendable {
    /// The absolute path of the existing folder that gets the files.
    let folder: String
    /// The references by their paths below the folder; one may have several paths.
    let references: [String: Reference]
    /// The remedy in the problem that the tests changed the files.
    let remedy: String

    /// The most times that pictures are fetched again because another process evicted or changed
    /// them.
    private static let attemptsMax = 5

    /// The error for a picture that the cache has just lost.
    private struct Evicted: Error {}

    /// Links every reference from the machine's cache into the folder.
    ///
    /// `bytes` fetches pictures that the cache lacks or that a test of another lease changed there.
    func materialise(
        from cache: PictureCache,
        now: Date,
        _ bytes: (ObjectID) async throws -> Data
    ) async throws {
        let objects = Set(references.values.map(\.objectID))
        for _ in 0..<Self.attemptsMax {
            for object in try cache.lacking(objects) {
                try cache.add(object, try await bytes(object), now: now)
            }
            do {
                try link(from: cache, now: now)
            } catch is Evicted {
                continue
            }
            let changed = Set(references.filter { !isThere($1, at: $0) }.map(\.value.objectID))
            if changed.isEmpty { return }
            try cache.forget(changed)
        }
        throw WorkerError.scratch(
            path: cache.path,
            reason: "its pictures vanish while they are used; the cache is too small"
        )
    }

    /// Links the first path of each reference, then the second, and so on.
    private func link(from cache: PictureCache, now: Date) throws {
        var left = references
        repeat {
            let paths = Dictionary(
                left.map { ($0.value.id, $0.key) },
                uniquingKeysWith: { min($0, $1) }
            )
            _ = try cache.materialise(
                references: paths.values.compactMap { left[$0] },
                into: folder,
                now: now,
                layout: { paths[$0] ?? "" },
                read: { _ in throw Evicted() }
            )
            for path in paths.values { left[path] = nil }
        } while !left.isEmpty
    }

    /// Returns whether a file at a path below the folder has the bytes of its reference.
    private func isThere(_ reference: Reference, at path: String) -> Bool {
        let bytes = FileManager.default.contents(atPath: "\(folder)/\(path)")
        return bytes.map(ObjectID.init(ofBlob:)) == reference.objectID
    }

    /// Returns a problem if the tests changed a reference or added a picture, else `nil`.
    func change() -> Problem? {
        for (path, reference) in references.sorted(by: { $0.key < $1.key }) {
            guard isThere(reference, at: path) else { return problem("\(path) was changed") }
        }
        let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        for file in (found ?? []).sorted() where file.hasSuffix(".png") {
            if references[file] == nil { return problem("\(file) was written") }
        }
        return nil
    }

    private func problem(_ what: String) -> Problem {
        Problem(
            code: "references-written",
            message: "the tests changed their references under verify: \(what).",
            remedy: remedy
        )
    }
}
