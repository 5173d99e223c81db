// Many small blobs with one flush. Flushing each of a thousand pictures costs a thousand commits of
// the file system's journal; a batch writes them unnamed, flushes once, and then names them.
import FarmCore
import FarmFiles
import Foundation

/// Small blobs that become durable, and visible, together; used by one task.
package final class BlobBatch {
    private let store: BlobStore
    /// The temporary paths of written blobs that have no name in the store yet.
    private var pending: [Digest: String] = [:]

    init(store: BlobStore) { self.store = store }

    deinit {
        for path in pending.values { Posix.remove(path) }
    }

    /// Writes bytes as a blob, unless the store has them, and returns their digest.
    ///
    /// No record may name the digest before `commit`.
    @discardableResult
    package func put(_ bytes: some ContiguousBytes) throws(ArtifactError) -> Digest {
        let digest = BlobStore.digest(of: bytes)
        if pending[digest] != nil || store.renew(digest) { return digest }
        let file = try Posix.newFile(store.folder + "/tmp/")
        do throws(FileFailure) {
            try file.append(bytes)
            try file.setMode(0o444)
        } catch {
            file.discard()
            throw ArtifactError(error)
        }
        pending[digest] = file.path
        return digest
    }

    /// Makes all written blobs durable and visible under their names.
    ///
    /// After an error, call it again or drop the batch.
    package func commit() throws(ArtifactError) {
        guard !pending.isEmpty else { return }
        try Posix.durably { () throws(FileFailure) in
            try DurableFile.flush(pending.values, below: store.folder)
        }
        var shelves: Set<String> = []
        for (digest, path) in pending {
            let shelf = store.shelf(of: digest)
            try Posix.makeFolder(shelf)
            try Posix.durably { () throws(FileFailure) in
                try DurableFile.settle(path, at: store.path(of: digest), .kept)
            }
            pending[digest] = nil
            shelves.insert(shelf)
        }
        try Posix.durably { () throws(FileFailure) in
            for folder in shelves + [store.folder] { try DurableFile.flushFolder(folder) }
        }
    }
}
