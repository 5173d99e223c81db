// Blobs that nothing names any more. Only for the one process that holds the data folder's lock:
// a blob is durable before the record that names it, and between the two it looks like waste.
import FarmCore
import Foundation

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
        let files = FileManager.default
        for shelf in (try? files.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        where shelf.utf8.count == 2 {
            let names = (try? files.contentsOfDirectory(atPath: folder + "/" + shelf)) ?? []
            for name in names.sorted() where name.hasPrefix(shelf) {
                guard let digest = Digest(name),
                    let file = FileTimes(of: path(of: digest))
                else { continue }
                try body(
                    StoredBlob(digest: digest, bytes: file.bytes, modified: file.modified)
                )
            }
        }
    }

    /// Removes a blob; what is gone already is fine.
    package func remove(_ digest: Digest) throws(ArtifactError) {
        guard unlink(path(of: digest)) == 0 || errno == ENOENT else {
            throw Posix.failure("unlink", path(of: digest))
        }
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
