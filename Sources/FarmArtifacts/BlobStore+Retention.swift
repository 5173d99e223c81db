// The removal of blobs that no record names. Only for the one process that holds the data folder's
// lock: a blob is durable before its record, and until then it looks unused.
//
// Invariant: a caller that learned that a blob is there may name it for as long as retention keeps
// young blobs. The answer makes the blob young, and no blob becomes young between the check of its
// age and its removal.
import FarmCore
import Foundation
import Synchronization

/// The lock that is held while a blob is checked and removed, or its age is renewed.
private let turn = Mutex(())

/// The digest, size and time of a stored blob.
package struct StoredBlob: Hashable, Sendable {
    package var digest: Digest
    package var bytes: Int
    /// The time of the file's last change, in milliseconds since 1970.
    package var modified: Int64
}

extension BlobStore {
    /// Passes every stored blob to `body`, sorted by digest; skips other files.
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

    /// Renews the age of a blob; returns `false` if it is not there.
    package func renew(_ digest: Digest) -> Bool {
        turn.withLock { _ in
            // The age of another user's file cannot be changed; no coordinator has such files.
            utimensat(AT_FDCWD, path(of: digest), nil, 0) == 0 || contains(digest)
        }
    }

    /// Removes a blob, or returns `false` if its age was renewed after it was listed.
    ///
    /// A blob that is gone already counts as removed.
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

/// The size and time of a regular file; links are not followed.
package struct FileTimes: Hashable, Sendable {
    package let bytes: Int
    /// The time of the file's last change, in milliseconds since 1970.
    package let modified: Int64

    /// Reads the size and time of a file, or returns `nil` if there is no regular file.
    package init?(of path: String) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            facts[.type] as? FileAttributeType == .typeRegular,
            let size = facts[.size] as? NSNumber, let date = facts[.modificationDate] as? Date
        else { return nil }
        bytes = size.intValue
        modified = Int64(date.timeIntervalSince1970 * 1000)
    }
}
