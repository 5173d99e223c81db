// An upload into the store, piece by piece, with a limit on its size and a digest at its end. An
// upload that is dropped leaves no file behind.
import FarmCore
import FarmFiles
import Foundation

/// A blob that is being received piece by piece; used by one task at a time.
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

    /// The number of bytes received so far.
    package var count: Int { digest.count }

    /// Adds a piece of bytes to the upload.
    ///
    /// - Throws: `ArtifactError.tooLarge` before writing beyond the limit; any error ends the
    ///   upload.
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

    /// Stores the received bytes under their digest and returns it; they are durable when this
    /// returns.
    ///
    /// - Throws: `ArtifactError.mismatch` if the digest is not the expected one; nothing is stored
    ///   then.
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

    /// Returns the path of the received file, if its digest is the expected one, for a store
    /// elsewhere.
    ///
    /// The file stays until the upload is aborted or dropped.
    func received(expecting expected: Digest) throws(ArtifactError) -> String {
        guard file != nil else { throw Self.ended(path) }
        let actual = digest.finish()
        guard actual == expected else {
            throw .mismatch(expected: expected, actual: actual)
        }
        return path
    }

    /// Drops the received bytes; does nothing after the upload's end.
    package func abort() {
        guard file != nil else { return }
        file = nil
        Posix.remove(path)
    }

    private static func ended(_ path: String) -> ArtifactError {
        .system(operation: "write", path: path, text: "the upload has ended")
    }
}
