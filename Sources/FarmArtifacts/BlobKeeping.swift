// What a farm asks of its blobs, wherever they lie: in a folder of this machine, or in a bucket of S3.
// Two protocols, because two kinds of code ask: what answers calls may not block a thread, and what
// judges, draws pages and makes zips runs on threads of its own and reads as from a disk.
//
// Invariant: who was told that a blob is there (`renewedSize`, `store`, a place that is taken) may
// name it for as long as retention keeps what is young. Only the coordinator removes blobs.
import FarmCore
import Foundation

/// The blobs of a coordinator.
package protocol BlobKeeping: Sendable {
    /// The same blobs for a thread that may wait.
    var waiting: any Blobs { get }
    /// Files that are received before they are stored.
    var spool: BlobStore { get }

    /// Bytes of a blob; nil where it is not there.
    func size(of digest: Digest) async throws -> Int?
    /// The same; a blob that is there counts as young from now on.
    func renewedSize(of digest: Digest) async throws -> Int?
    /// The same of many; what is not there has none.
    func renewedSizes(of digests: [Digest]) async throws -> [Digest: Int]
    /// Exactly the bytes of a range.
    func read(_ digest: Digest, in range: Range<Int>) async throws -> [UInt8]
    /// Stores what an upload brought, if it is what was expected; durable when it returns.
    func store(_ upload: BlobUpload, expecting digest: Digest) async throws
    /// Stores bytes; durable when it returns.
    func put(_ bytes: Data) async throws -> Digest

    /// Where the caller may put a blob itself; nil: here.
    func place(of digest: Digest, bytes: Int) -> BlobPlace?
    /// Where the caller may get a blob itself; nil: here.
    func address(of digest: Digest) -> String?

    /// Some of the blobs, those after the cursor that the call before returned; nil begins, and a
    /// cursor of nil ends.
    func page(after cursor: String?) async throws -> (blobs: [StoredBlob], next: String?)
    /// Removes a blob unless it has become younger than it was seen; false where it has.
    func remove(_ blob: StoredBlob) async throws -> Bool
}

extension BlobKeeping {
    /// All bytes of a blob, checked against its name; nil where it is not there.
    package func bytes(of digest: Digest) async throws -> Data? {
        guard let size = try await size(of: digest) else { return nil }
        let bytes = try await read(digest, in: 0..<size)
        guard Digest(of: bytes) == digest else { throw ArtifactError.damaged(digest) }
        return Data(bytes)
    }
}

/// Where a caller may put a blob without its coordinator.
package struct BlobPlace: Hashable, Sendable {
    package let url: String
    /// Headers that are signed: the call has exactly these, and the length that was announced.
    package let headers: [String: String]
}

/// Blobs for a thread that may wait for disks and networks.
package protocol Blobs: BlobReading, Sendable {
    /// Bytes of a blob; nil where it is not there.
    func size(of digest: Digest) throws(ArtifactError) -> Int?
    /// All bytes of a blob, checked against its name.
    func read(_ digest: Digest) throws(ArtifactError) -> Data
    /// Stores bytes; durable when it returns.
    @discardableResult
    func put(_ bytes: Data) throws(ArtifactError) -> Digest
    /// Stores many small blobs, which are durable together when it returns.
    func putTogether(_ body: ((Data) throws -> Digest) throws -> Void) throws
    /// Puts a blob's bytes at a path, replacing what is there.
    func link(_ digest: Digest, to path: String) throws(ArtifactError)
    /// The CRC-32 of a blob's bytes, as a zip entry needs it; reads all of them.
    func crc32(of digest: Digest) throws(ArtifactError) -> UInt32
}

extension Blobs {
    package func contains(_ digest: Digest) throws(ArtifactError) -> Bool {
        try size(of: digest) != nil
    }
}

extension BlobStore: Blobs {
    package func putTogether(_ body: ((Data) throws -> Digest) throws -> Void) throws {
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

    /// One shelf at a time; the cursor is its name.
    package func page(after cursor: String?) -> (blobs: [StoredBlob], next: String?) {
        guard let shelf = shelves().first(where: { $0 > cursor ?? "" }) else { return ([], nil) }
        return (blobs(on: shelf), shelf)
    }
}
