// Tests of blobs in a bucket of a real S3 server: storing, refusals, and the state after the server
// dies. One server serves each test; starting one takes seconds.
import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Blobs in a bucket", .serialized)
struct BucketStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("bucket-store") }

    private func store(
        _ bucket: TestBucket,
        name: String? = nil,
        secret: String = TestBucket.secretKey,
        prefix: String = "farms/one",
        now: Int64? = nil,
        youngSeconds: Double = FarmLimits.blobYoungSeconds
    ) throws -> BucketStore {
        let settings = BucketSettings(
            endpoint: bucket.endpoint,
            bucket: name ?? bucket.name,
            prefix: prefix,
            isPathStyle: true,
            accessKey: "A",
            secretKey: "B"
        )
        let client = BucketClient(
            settings,
            accessKey: TestBucket.accessKey,
            secretKey: secret,
            now: { now ?? Int64(Date().timeIntervalSince1970 * 1000) }
        )
        return BucketStore(
            client,
            spool: try BlobStore(folder: folder.file("spool")),
            youngSeconds: youngSeconds
        )
    }

    /// Sends text to a place as a worker does, with only the given address and headers.
    private func put(_ place: BlobPlace, _ text: String) throws -> String {
        let file = try folder.write("sent", text)
        let headers = place.headers.flatMap { ["-H", "\($0.key): \($0.value)"] }
        let words = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-T", file]
        return try TestProcess.run(words + headers + [place.url], seconds: 20).output
    }

    private func upload(_ store: BucketStore, _ bytes: Data) throws -> BlobUpload {
        let upload = try store.spool.begin(bytesMax: 100_000_000)
        try upload.append(bytes)
        return upload
    }

    @Test("bytes are stored once under their digest, read in ranges, listed and removed")
    func stored() async throws {
        let bucket = try TestBucket()
        let store = try store(bucket)
        let text = Data("twelve bytes".utf8)
        let digest = Digest(of: text)
        #expect(try await store.size(of: digest) == nil)
        #expect(try await store.bytes(of: digest) == nil)
        #expect(try await store.put(text) == digest)
        #expect(try await store.put(text) == digest)
        #expect(try bucket.keys() == ["farms/one/\(digest.hex.prefix(2))/\(digest.hex)"])
        #expect(try await store.size(of: digest) == 12)
        #expect(try await store.bytes(of: digest) == text)
        #expect(try await store.read(digest, in: 7..<12) == Array("bytes".utf8))
        #expect(try await store.put(Data()) == Digest(of: Data()))
        #expect(try await store.bytes(of: Digest(of: Data())) == Data())

        // Bytes from callers are verified before they are sent; large ones are read from a file.
        let large = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 8) })
        try await store.store(upload(store, large), expecting: Digest(of: large))
        #expect(try await store.bytes(of: Digest(of: large)) == large)
        await #expect(throws: ArtifactError.self) {
            try await store.store(upload(store, text), expecting: Digest(of: large))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("spool/tmp"))
        #expect(left.isEmpty)

        // Another farm's prefix is another store, whose blobs are not listed here.
        let other = try self.store(bucket, prefix: "farms/two")
        #expect(try await other.size(of: digest) == nil)
        _ = try await other.put(Data("theirs".utf8))
        let page = try await store.page(after: nil)
        #expect(Set(page.blobs.map(\.bytes)) == [0, 12, large.count] && page.next == nil)
        let seen = try #require(page.blobs.first { $0.digest == digest })
        #expect(abs(Double(seen.modified) / 1000 - Date().timeIntervalSince1970) < 120)

        // A check finds missing blobs, wrong lengths and wrong bytes.
        let made = try await store.put(Data("made".utf8))
        try bucket.overwrite("farms/one/\(made.hex.prefix(2))/\(made.hex)", "evil")
        let gone = Digest(of: Data("gone".utf8))
        let named: [Digest: Int?] = [digest: 12, made: 4, Digest(of: large): 1, gone: nil]
        var defects: [Digest: BlobDefect] = [
            Digest(of: large): .record(large.count), gone: .missing,
        ]
        #expect(try await store.defects(of: named, .size) == defects)
        defects[made] = .contents
        #expect(try await store.defects(of: named, .contents) == defects)
        // A repaired blob is valid again, even for a store that has read its damaged bytes.
        let place = "farms/one/\(made.hex.prefix(2))/\(made.hex)"
        try bucket.overwrite(place, "longer than it was")
        let seeing = try self.store(bucket)
        await #expect(throws: ArtifactError.damaged(made)) { try await seeing.bytes(of: made) }
        try bucket.overwrite(place, "made")
        #expect(try await seeing.bytes(of: made) == Data("made".utf8))

        // A prefix belongs to one farm.
        try await store.take(for: "one")
        try await store.take(for: "one")
        try await other.take(for: "two")
        let taken = BucketError.taken(bucket: store.client.settings.text, object: "farms/one/farm")
        await #expect(throws: ArtifactError.bucket(taken)) { try await store.take(for: "two") }

        // The same blob, read by code that blocks its own thread.
        let waiting = store.waiting
        let read = try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread {
                done.resume(with: Result { try (waiting.read(digest), waiting.crc32(of: digest)) })
            }
        }
        #expect(read.0 == text)

        // A request for an old blob makes it young without changing its bytes. A blob that became
        // younger since it was listed is not removed.
        try await Task.sleep(for: .seconds(1.1))
        let aged = try self.store(bucket, youngSeconds: 0.5)
        #expect(try await aged.renewedSize(of: digest) == 12)
        #expect(try await aged.bytes(of: digest) == text)
        #expect(try await !store.remove(seen))
        let again = try await store.page(after: nil).blobs.first { $0.digest == digest }
        let renewed = try #require(again)
        #expect(renewed.modified > seen.modified)
        #expect(try await store.remove(renewed))
        #expect(try await store.renewedSize(of: digest) == nil)
        let sizes = try await store.renewedSizes(of: [Digest(of: large), digest])
        #expect(sizes == [Digest(of: large): large.count])
    }

    @Test("an address takes its own bytes once, and nobody else's; it never holds the secret")
    func addresses() async throws {
        let bucket = try TestBucket()
        let store = try store(bucket)
        let digest = Digest(of: Data("a picture".utf8))
        let place = try #require(store.place(of: digest, bytes: 9))
        #expect(!place.url.contains(TestBucket.secretKey))
        #expect(try put(place, "b picture") == "400")
        #expect(try put(place, "a picture and more") == "403")
        #expect(try await store.renewedSize(of: digest) == nil)
        #expect(try put(place, "a picture") == "200")
        #expect(try put(place, "a picture") == "412")
        let address = try #require(store.address(of: digest))
        let got = try TestProcess.run(["curl", "-s", "-r", "2-", address], seconds: 20)
        #expect(got.output == "picture")
        let late = try self.store(bucket, now: 1_700_000_000_000)
        let old = try #require(late.place(of: Digest(of: Data("c".utf8)), bytes: 1))
        #expect(try put(old, "c") == "403")
        // The connection is cut in the middle of the body.
        let cut = try #require(store.place(of: Digest(of: Data("cut".utf8)), bytes: 3))
        let headers = cut.headers.flatMap { ["-H", "\($0.key): \($0.value)"] }
        let file = try folder.write("cut", "cu")
        let words = ["curl", "-s", "-m", "2", "-X", "PUT", "--data-binary", "@\(file)"]
        _ = try TestProcess.run(
            words + headers + ["-H", "Content-Length: 3", cut.url],
            seconds: 20
        )
        #expect(try bucket.keys().count == 1)
    }

    @Test("wrong keys, buckets and bytes are explained, and no damaged byte is handed out")
    func refused() async throws {
        let bucket = try TestBucket()
        let wrongs: [(BucketStore, String)] = [
            (try store(bucket, secret: "wrong"), "bucket-denied"),
            (try store(bucket, name: "not-there"), "bucket-missing"),
            (try store(bucket, now: 1_000_000_000_000), "bucket-denied"),
        ]
        for (store, code) in wrongs {
            do {
                try await store.check()
                Issue.record("\(code) is not seen")
            } catch let error as ArtifactError {
                #expect(error.code == code, "\(error.message)")
                #expect(error.exit == .configuration && !error.remedy.isEmpty)
            }
        }
        let store = try store(bucket)
        let text = Data("a picture".utf8)
        let digest = try await store.put(text)
        let key = "farms/one/\(digest.hex.prefix(2))/\(digest.hex)"
        try bucket.overwrite(key, "b picture")
        let damaged = ArtifactError.damaged(digest)
        await #expect(throws: damaged) { try await store.bytes(of: digest) }
        await #expect(throws: damaged) {
            try await store.read(digest, in: 0..<9)
        }
        try bucket.overwrite(key, "short")
        await #expect(throws: damaged) { try await store.bytes(of: digest) }
        try bucket.delete(key)
        await #expect(throws: ArtifactError.missing(digest)) {
            try await store.read(digest, in: 0..<9)
        }

        bucket.kill()
        do {
            _ = try await store.renewedSize(of: digest)
            Issue.record("a server that is gone answers")
        } catch let error as ArtifactError {
            #expect(error.code == "bucket-unavailable" && error.exit == .unavailable)
        }
        try bucket.start()
        #expect(try await store.put(Data("later".utf8)) == Digest(of: Data("later".utf8)))
        #expect(try await store.bytes(of: Digest(of: Data("later".utf8))) == Data("later".utf8))
    }
}
