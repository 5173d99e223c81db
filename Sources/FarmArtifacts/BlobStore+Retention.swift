// Blobs that nothing names any more. Only for the one process that holds the data folder's lock:
// a blob is durable before the record that names it, and between the two it looks like waste.
//
// Invariant: who was told that a blob is there may name it for as long as retention keeps what is
// young: telling makes the blob young, and no blob is removed between the look at its age and the end.
import FarmCore
import Foundation
import Synchronization

/// Held while a blob is looked at and removed, or made young.
private let turn = Mutex(())

/// A stored blob as a file.
package struct StoredBlob: Hashable, Sendable {
    package var digest: Digest
    package var bytes: Int
    /// Milliseconds since 1970.
    package var modified: Int64
}

extension BlobStore {
    /// Every blob, shelf by shelf; what is no blob is passed over.
    package func forEachBlob(_ body: (StoredBlob) throws -> Void) throws {
        for shelf in shelves() { try blobs(on: shelf).forEach(body) }
    }

    func shelves() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.utf8.count == 2 }.sorted()
    }

    func blobs(on shelf: String) -> [StoredBlob] {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + shelf)) ?? []
        return names.sorted().compactMap { name in
            guard name.hasPrefix(shelf), let digest = Digest(name),
                let file = FileTimes(of: path(of: digest))
            else { return nil }
            return StoredBlob(digest: digest, bytes: file.bytes, modified: file.modified)
        }
    }

    /// Whether a blob is there; if it is, it counts as young from now on.
    package func renew(_ digest: Digest) -> Bool {
        turn.withLock { _ in
            // Of another user's file the age cannot be changed; no coordinator has such.
            utimensat(AT_FDCWD, path(of: digest), nil, 0) == 0 || contains(digest)
        }
    }

    /// Removes a blob unless it has become younger than it was seen; false where it has.
    ///
    /// What is gone already is fine.
    package func remove(_ blob: StoredBlob) throws(ArtifactError) -> Bool {
        let path = path(of: blob.digest)
        let failure = turn.withLock { _ -> Int32? in
            if let file = FileTimes(of: path), file.modified > blob.modified { return nil }
            return unlink(path) == 0 || errno == ENOENT ? 0 : errno
        }
        guard let failure else { return false }
        guard failure == 0 else {
            errno = failure
            throw Posix.failure("unlink", path)
        }
        return true
    }
}

/// Size and time of a regular file, not of what a link leads to.
package struct FileTimes: Hashable, Sendable {
    package let bytes: Int
    /// Milliseconds since 1970.
    package let modified: Int64

    /// Nil where there is no regular file.
    package init?(of path: String) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            facts[.type] as? FileAttributeType == .typeRegular,
            let size = facts[.size] as? NSNumber, let date = facts[.modificationDate] as? Date
        else { return nil }
        bytes = size.intValue
        modified = Int64(date.timeIntervalSince1970 * 1000)
    }
}
