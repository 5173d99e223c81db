// A bucket for code that reads as from a disk. The calling thread waits. It must be no thread that
// tasks share: those are as few as the cores, and one of them has to bring the answer.
import FarmCore
import Foundation
import Synchronization

struct BlockingBlobs: Blobs {
    private let store: BucketStore

    init(_ store: BucketStore) { self.store = store }

    func size(of digest: Digest) throws(ArtifactError) -> Int? {
        try wait { [store] in try await store.size(of: digest) }
    }

    func read(_ digest: Digest, in range: Range<Int>) throws(ArtifactError) -> [UInt8] {
        try wait { [store] in try await store.read(digest, in: range) }
    }

    func read(_ digest: Digest) throws(ArtifactError) -> Data {
        let bytes = try wait { [store] in try await store.bytes(of: digest) }
        guard let bytes else { throw .missing(digest) }
        return bytes
    }

    func put(_ bytes: Data) throws(ArtifactError) -> Digest {
        try wait { [store] in try await store.put(bytes) }
    }

    /// Stores the blobs that `body` passes to its argument, one by one; each is durable by itself.
    func putInBatch(_ body: ((Data) throws -> Digest) throws -> Void) throws {
        try body { try put($0) }
    }

    func link(_ digest: Digest, to path: String) throws(ArtifactError) {
        try UnsyncedFile.write(read(digest), to: path)
    }

    /// Returns the CRC-32 of a blob's bytes, and checks the blob's digest, because later reads of
    /// single pieces cannot.
    func crc32(of digest: Digest) throws(ArtifactError) -> UInt32 {
        guard let size = try size(of: digest) else { throw .missing(digest) }
        var (sum, stream, at) = (UInt32(0), DigestStream(), 0)
        while at < size {
            let next = min(at + BlobStore.chunkBytes, size)
            let piece = try read(digest, in: at..<next)
            piece.withUnsafeBytes { bytes in
                sum = Deflate.crc32(bytes, after: sum)
                stream.append(bytes)
            }
            at = next
        }
        guard stream.finish() == digest else { throw .damaged(digest) }
        return sum
    }

    /// Runs `work` as a task, blocks this thread until its end, and returns its result.
    private func wait<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) throws(ArtifactError) -> Value {
        let answer = Awaited<Value>()
        Task { await answer.give(work) }
        return try answer.take()
    }
}

/// The result of a task for a thread that waits for it.
private final class Awaited<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ArtifactError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ work: @Sendable () async throws -> Value) async {
        let result: Result<Value, ArtifactError>
        do {
            result = .success(try await work())
        } catch let error as ArtifactError {
            result = .failure(error)
        } catch {
            result = .failure(.system(operation: "read", path: "the bucket", text: error.inWords))
        }
        self.result.withLock { $0 = result }
        isThere.signal()
    }

    func take() throws(ArtifactError) -> Value {
        isThere.wait()
        guard let result = result.withLock({ $0 }) else {
            throw .system(operation: "read", path: "the bucket", text: "there was no answer")
        }
        return try result.get()
    }
}
