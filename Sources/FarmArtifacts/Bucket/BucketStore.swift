// Blobs in a bucket of S3: `<prefix>/ab/<hex>`, the same names as in a folder, so that one can be
// copied to the other. A blob is one object, written by one call that carries its digest: the
// server refuses other bytes, and an incomplete call leaves no object.
//
// Invariants
//   - An object is written once (`If-None-Match: *`) and never with other bytes.
//   - S3 cannot touch an object. One that a caller needs when it is older than half of the shortest
//     retention is copied onto itself, which makes it young. Younger ones outlast the time that a
//     caller takes to name them.
//   - The copy and a removal of the same blob wait for each other, and a removal checks the age
//     again. A place for an upload is for an absent blob: the upload makes it young.
import FarmCore
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// The blobs of a coordinator, in a bucket.
package final class BucketStore: BlobKeeping {
    package let client: BucketClient
    package let spool: BlobStore
    private let turns = SerialQueues<Digest>()
    private let youngSeconds: Double
    /// The sizes and ages of blobs that calls have shown; a blob never changes.
    private let known = Mutex(
        BoundedCache<Digest, KnownBlob>(max: FarmLimits.blobSizesKnownMax)
    )

    private struct KnownBlob {
        var bytes: Int
        /// The time until which the blob counts as young, so that no call renews its age.
        var until: ContinuousClock.Instant
        /// Whether a read found other bytes than those of the blob's name.
        ///
        /// The right ones may be put back, so each size is read anew.
        var wasDamaged = false
    }

    /// Makes a store of blobs in a bucket.
    ///
    /// `spool` is a folder of this machine for received files. A blob older than `youngSeconds`
    /// gets a new age when a caller needs it.
    package init(
        _ client: BucketClient,
        spool: BlobStore,
        youngSeconds: Double = FarmLimits.blobYoungSeconds
    ) {
        self.client = client
        self.spool = spool
        self.youngSeconds = youngSeconds
    }

    package var waiting: any Blobs { BlockingBlobs(self) }

    /// Checks that the bucket is there and that the keys may list it.
    ///
    /// - Throws: `ArtifactError.bucket`.
    package func check() async throws {
        _ = try await list(after: nil, max: 1)
    }

    // MARK: looking

    package func size(of digest: Digest) async throws -> Int? {
        let known = known.withLock { $0[digest] }
        if let known, !known.wasDamaged { return known.bytes }
        return try await look(digest)?.bytes
    }

    package func renewedSize(of digest: Digest) async throws -> Int? {
        guard let found = try await look(digest) else { return nil }
        if found.isYoung { return found.bytes }
        return try await turns.run(digest) {
            // The blob may be gone or young by now.
            guard let found = try await self.look(digest) else { return nil }
            if !found.isYoung {
                try await self.copyOntoItself(digest)
                self.remember(digest, found.bytes, seconds: self.youngSeconds / 2)
            }
            return found.bytes
        }
    }

    package func renewedSizes(of digests: [Digest]) async throws -> [Digest: Int] {
        try await withThrowingTaskGroup(of: (Digest, Int?).self) { group in
            var rest = Set(digests).makeIterator()
            func start() {
                guard let digest = rest.next() else { return }
                group.addTask { (digest, try await self.renewedSize(of: digest)) }
            }
            for _ in 0..<FarmLimits.bucketCallsAtOnce { start() }
            var sizes: [Digest: Int] = [:]
            while let (digest, size) = try await group.next() {
                sizes[digest] = size
                start()
            }
            return sizes
        }
    }

    private struct Found {
        var bytes: Int
        var isYoung: Bool
    }

    /// Reads a blob's size and age from the bucket, and remembers them; returns `nil` if it is not
    /// there.
    private func look(_ digest: Digest) async throws -> Found? {
        let answer = try await call(
            client.request("HEAD", key: client.key(digest)),
            expecting: [200, 404]
        )
        guard answer.status == 200 else {
            forget(digest)
            return nil
        }
        guard let bytes = answer.headers.first(name: "content-length").flatMap({ Int($0) }) else {
            throw client.refused(status: 200, "its answer says no length")
        }
        // Both times are the server's, so this machine's clock does not matter.
        let times = ["date", "last-modified"].map { name in
            answer.headers.first(name: name).flatMap { BucketText.milliseconds($0) }
        }
        guard let now = times[0], let modified = times[1] else {
            return Found(bytes: bytes, isYoung: false)
        }
        let left = youngSeconds - Double(max(0, now - modified)) / 1000
        remember(digest, bytes, seconds: left)
        return Found(bytes: bytes, isYoung: left > 0)
    }

    private func knownSize(of digest: Digest) -> Int? { known.withLock { $0[digest]?.bytes } }

    private func forget(_ digest: Digest) { known.withLock { $0[digest] = nil } }

    private func isKnownYoung(_ digest: Digest) -> Bool {
        known.withLock { $0[digest].map { $0.until > .now } ?? false }
    }

    private func remember(_ digest: Digest, _ bytes: Int, seconds: Double) {
        known.withLock { $0[digest] = KnownBlob(bytes: bytes, until: .now + .seconds(seconds)) }
    }

    private func copyOntoItself(_ digest: Digest) async throws {
        let key = client.key(digest)
        let source = BucketText.escaped("\(client.settings.bucket)/\(key)", keeping: "/")
        let answer = try await call(
            client.request(
                "PUT",
                key: key,
                headers: [
                    "x-amz-copy-source": "/" + source, "x-amz-metadata-directive": "REPLACE",
                ]
            ),
            expecting: [200]
        )
        // A copy may fail after its status was sent.
        guard !String(buffer: answer.body).contains("<Error>") else {
            throw ArtifactError.bucket(
                .unavailable(bucket: client.settings.bucket, reason: answer.reason)
            )
        }
    }

    // MARK: bytes

    package func read(_ digest: Digest, in range: Range<Int>) async throws -> [UInt8] {
        guard !range.isEmpty else { return [] }
        let answer = try await call(
            client.request(
                "GET",
                key: client.key(digest),
                headers: ["range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"]
            ),
            expecting: [200, 206, 404, 416],
            bytesMax: max(range.count, FarmLimits.smallMessageBytesMax)
        )
        switch answer.status {
        case 404 where answer.reason == "NoSuchBucket":
            throw BucketError.noBucket(client.settings.bucket)
        case 404:
            forget(digest)
            throw ArtifactError.missing(digest)
        case 416: throw damaged(digest)
        default: break
        }
        guard answer.body.readableBytes == range.count else { throw damaged(digest) }
        let bytes = Array(answer.body.readableBytesView)
        // Pictures are read in one piece: here a check costs nothing.
        if range.lowerBound == 0, knownSize(of: digest) == range.count,
            Digest(of: bytes) != digest
        {
            throw damaged(digest)
        }
        return bytes
    }

    private func damaged(_ digest: Digest) -> ArtifactError {
        known.withLock { $0[digest]?.wasDamaged = true }
        return .damaged(digest)
    }

    package func store(_ upload: BlobUpload, expecting digest: Digest) async throws {
        defer { upload.abort() }
        let path = try upload.received(expecting: digest)
        let bytes = upload.count
        if try await renewedSize(of: digest) != nil { return }
        try await put(.file(path, bytes: bytes), bytes, as: digest)
    }

    package func put(_ bytes: Data) async throws -> Digest {
        let digest = Digest(of: bytes)
        if isKnownYoung(digest) { return digest }
        if try await renewedSize(of: digest) != nil { return digest }
        try await put(.bytes(bytes), bytes.count, as: digest)
        return digest
    }

    private func put(_ body: BucketClient.Body, _ bytes: Int, as digest: Digest) async throws {
        // 412: another upload of the same bytes was quicker.
        _ = try await call(
            client.request(
                "PUT",
                key: client.key(digest),
                headers: BucketClient.headers(of: digest)
            ),
            body,
            digest: digest,
            expecting: [200, 412]
        )
        remember(digest, bytes, seconds: youngSeconds / 2)
    }

    package func place(of digest: Digest, bytes: Int) -> BlobPlace? {
        client.place(of: digest, bytes: bytes)
    }

    package func address(of digest: Digest) -> String? { client.address(of: digest) }

    // MARK: retention

    package func page(after cursor: String?) async throws -> (blobs: [StoredBlob], next: String?) {
        let listing = try await list(after: cursor, max: 1_000)
        return (listing.blobs, listing.hasMore ? listing.keys.last : nil)
    }

    private func list(after key: String?, max: Int) async throws -> BucketListing {
        var query = ["list-type": "2", "max-keys": "\(max)"]
        let prefix = client.settings.prefix
        if !prefix.isEmpty { query["prefix"] = prefix + "/" }
        if let key { query["start-after"] = key }
        let answer = try await call(
            client.request("GET", query: query),
            expecting: [200],
            bytesMax: 4 << 20
        )
        return BucketListing(String(buffer: answer.body))
    }

    package func remove(_ blob: StoredBlob) async throws -> Bool {
        try await turns.run(blob.digest) {
            let key = self.client.key(blob.digest)
            let seen = try await self.call(
                self.client.request("HEAD", key: key),
                expecting: [200, 404]
            )
            let modified = seen.headers.first(name: "last-modified")
                .flatMap { BucketText.milliseconds($0) }
            // Listings have milliseconds, answers seconds.
            if let modified, modified / 1000 > blob.modified / 1000 { return false }
            self.known.withLock { $0[blob.digest] = nil }
            _ = try await self.call(
                self.client.request("DELETE", key: key),
                expecting: [200, 204, 404]
            )
            return true
        }
    }

    // MARK: one call

    func call(
        _ request: BucketRequest,
        _ body: BucketClient.Body = .none,
        digest: Digest? = nil,
        expecting expected: Set<Int>,
        bytesMax: Int = FarmLimits.smallMessageBytesMax
    ) async throws -> BucketClient.Answer {
        do {
            return try await client.call(
                request,
                body,
                digest: digest,
                expecting: expected,
                bytesMax: bytesMax
            )
        } catch let error as BucketError {
            throw ArtifactError.bucket(error)
        }
    }
}
