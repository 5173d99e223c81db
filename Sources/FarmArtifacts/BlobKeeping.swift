// The interface of a farm's blobs, whether in a folder of this machine or in a bucket of S3. There
// are two protocols for two kinds of code. Routes may not block a thread. Code that judges, draws
// pages or makes zips runs on threads of its own and reads as from a disk.
//
// Invariant: after `renewedSize` or `store`, or after it found a place taken, a caller may write
// the blob's digest into records: retention keeps young blobs for long enough. Only the coordinator
// removes blobs.
import FarmCore
import Foundation

/// The blobs of a coordinator.
package protocol BlobKeeping: Sendable {
    /// The same blobs, through calls that block the calling thread.
    var waiting: any Blobs { get }
    /// The folder for files that are received before they are stored.
    var spool: BlobStore { get }

    /// Returns the size of a blob in bytes, or `nil` if it is not there.
    func size(of digest: Digest) async throws -> Int?
    /// Returns the size of a blob in bytes and renews its age, or returns `nil` if it is not there.
    ///
    /// Retention keeps a blob whose age was renewed a short time ago.
    func renewedSize(of digest: Digest) async throws -> Int?
    /// Returns the sizes of many blobs in bytes and renews their ages; blobs that are not there are
    /// absent.
    func renewedSizes(of digests: [Digest]) async throws -> [Digest: Int]
    /// Returns exactly the bytes of a range of a blob.
    func read(_ digest: Digest, in range: Range<Int>) async throws -> [UInt8]
    /// Stores an upload if its digest is the expected one; the blob is durable when this returns.
    func store(_ upload: BlobUpload, expecting digest: Digest) async throws
    /// Stores bytes as a blob and returns their digest; they are durable when this returns.
    func put(_ bytes: Data) async throws -> Digest

    /// Returns the place where the caller may put a blob itself, or `nil` if it must send the bytes
    /// to this coordinator.
    func place(of digest: Digest, bytes: Int) -> BlobPlace?
    /// Returns the URL where the caller may get a blob itself, or `nil` if this coordinator sends
    /// the bytes.
    func address(of digest: Digest) -> String?

    /// Returns some of the blobs: those after the cursor that the previous call returned as `next`.
    ///
    /// A cursor of `nil` begins, and ends the list.
    func page(after cursor: String?) async throws -> (blobs: [StoredBlob], next: String?)
    /// Removes a blob, or returns `false` if its age was renewed after it was listed.
    func remove(_ blob: StoredBlob) async throws -> Bool
}

extension BlobKeeping {
    /// Returns all bytes of a blob, checked against the digest of its name, or `nil` if it is not
    /// there.
    package func bytes(of digest: Digest) async throws -> Data? {
        guard let size = try await size(of: digest) else { return nil }
        let bytes = try await read(digest, in: 0..<size)
        guard Digest(of: bytes) == digest else { throw ArtifactError.damaged(digest) }
        return Data(bytes)
    }
}

/// A place where a caller may put a blob without its coordinator.
package struct BlobPlace: Hashable, Sendable {
    package let url: String
    /// The signed headers of the call, which has exactly these and the announced length.
    package let headers: [String: String]
}

/// Blobs for code on a thread that may wait for disks and networks.
package protocol Blobs: BlobReading, Sendable {
    /// Returns the size of a blob in bytes, or `nil` if it is not there.
    func size(of digest: Digest) throws(ArtifactError) -> Int?
    /// Returns all bytes of a blob, checked against the digest of its name.
    func read(_ digest: Digest) throws(ArtifactError) -> Data
    /// Stores bytes as a blob and returns their digest; they are durable when this returns.
    @discardableResult
    func put(_ bytes: Data) throws(ArtifactError) -> Digest
    /// Stores many small blobs, which `body` passes to its argument; all are durable when this
    /// returns.
    func putInBatch(_ body: ((Data) throws -> Digest) throws -> Void) throws
    /// Puts a blob's bytes at a path, in place of any file there.
    func link(_ digest: Digest, to path: String) throws(ArtifactError)
    /// Returns the CRC-32 of a blob's bytes, for a zip entry; reads all of them.
    func crc32(of digest: Digest) throws(ArtifactError) -> UInt32
}

extension Blobs {
    package func contains(_ digest: Digest) throws(ArtifactError) -> Bool {
        try size(of: digest) != nil
    }
}

extension BlobStore: Blobs {
    package func putInBatch(_ body: ((Data) throws -> Digest) throws -> Void) throws {
        let batch = batch()
        try body { try batch.put($0) }
        try batch.commit()
    }
}

extension BlobStore: BlobKeeping {
    package var waiting: any Blobs { self }
    package var spool: BlobStore { self }

    package func renewedSize(of digest: Digest) -> Int? { renew(digest) ? size(of: digest) : nil }

    package func renewedSizes(of digests: [Digest]) -> [Digest: Int] {
        var sizes: [Digest: Int] = [:]
        for digest in digests { sizes[digest] = renewedSize(of: digest) }
        return sizes
    }

    package func store(
        _ upload: BlobUpload,
        expecting digest: Digest
    ) throws(ArtifactError) {
        try upload.finish(expecting: digest)
    }

    package func place(of digest: Digest, bytes: Int) -> BlobPlace? { nil }
    package func address(of digest: Digest) -> String? { nil }

    /// Returns the blobs of one shelf, which is a subfolder of the store; the cursor is the shelf's
    /// name.
    package func page(after cursor: String?) -> (blobs: [StoredBlob], next: String?) {
        guard let shelf = shelves().first(where: { $0 > cursor ?? "" }) else { return ([], nil) }
        return (blobs(on: shelf), shelf)
    }
}
