// Bytes on their way into the store: pieces as they come, a bound on all of them, a digest at the
// end. An upload that is dropped leaves nothing behind.
import FarmCore
import FarmFiles
import Foundation

/// One blob being written; used by one task at a time.
package final class BlobUpload {
    private let store: BlobStore
    private let bytesMax: Int
    private let path: String
    private var file: DurableFile?
    private var digest = DigestStream()

    init(store: BlobStore, bytesMax: Int) throws(ArtifactError) {
        self.store = store
        self.bytesMax = bytesMax
        let file = try Posix.newFile(store.folder + "/tmp/")
        path = file.path
        self.file = file
    }

    deinit { abort() }

    /// Bytes so far.
    package var count: Int { digest.count }

    /// Adds a piece.
    ///
    /// - Throws: `ArtifactError.tooLarge` before writing what is over the limit; any error ends
    ///   the upload.
    package func append(_ bytes: some ContiguousBytes) throws(ArtifactError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(ArtifactError) in try take(raw) }
        }
        do {
            try result.get()
        } catch {
            abort()
            throw error
        }
    }

    private func take(_ raw: UnsafeRawBufferPointer) throws(ArtifactError) {
        guard raw.count <= bytesMax - digest.count else { throw .tooLarge(bytesMax: bytesMax) }
        guard let file else { throw Self.ended(path) }
        try Posix.durably { () throws(FileFailure) in try file.append(raw) }
        digest.append(raw)
    }

    /// Stores what came under its digest; durable when it returns.
    ///
    /// - Throws: `ArtifactError.mismatch` when it is not what was expected; nothing is stored then.
    @discardableResult
    package func finish(expecting expected: Digest? = nil) throws(ArtifactError) -> Digest {
        defer { abort() }
        guard let file else { throw Self.ended(path) }
        let actual = digest.finish()
        if let expected, expected != actual {
            throw .mismatch(expected: expected, actual: actual)
        }
        if store.renew(actual) { return actual }
        try Posix.durably { () throws(FileFailure) in
            try file.setMode(0o444)
            try file.flush()
        }
        let shelf = store.shelf(of: actual)
        try Posix.makeFolder(shelf)
        try Posix.durably { () throws(FileFailure) in
            try file.settle(at: store.path(of: actual), .kept)
            // The shelf itself may be new.
            for folder in [shelf, store.folder] { try DurableFile.flushFolder(folder) }
        }
        return actual
    }

    /// The file of what came, if it is what was expected; for who stores it elsewhere.
    ///
    /// It is there until the upload is aborted or dropped.
    func received(expecting expected: Digest) throws(ArtifactError) -> String {
        guard file != nil else { throw Self.ended(path) }
        let actual = digest.finish()
        guard actual == expected else {
            throw .mismatch(expected: expected, actual: actual)
        }
        return path
    }

    /// Forgets what came; harmless after the end.
    package func abort() {
        guard file != nil else { return }
        file = nil
        Posix.remove(path)
    }

    private static func ended(_ path: String) -> ArtifactError {
        .system(operation: "write", path: path, text: "the upload has ended")
    }
}
