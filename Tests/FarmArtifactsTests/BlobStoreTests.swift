import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("The blob store")
struct BlobStoreTests {
    private let folder: TemporaryFolder
    private let store: BlobStore
    private let hello = Array("hello".utf8)
    private let digest = Digest(of: Array("hello".utf8))

    init() throws {
        folder = try TemporaryFolder("blobs")
        store = try BlobStore(folder: folder.path + "/blobs")
    }

    private var files: [String] { System.files(in: store.folder) }

    @Test("bytes are stored read-only under their digest and read back")
    func put() throws {
        #expect(try store.put(hello) == digest)
        #expect(files == ["2c/\(digest.hex)"])
        #expect(store.path(of: digest) == store.folder + "/2c/\(digest.hex)")
        #expect(store.size(of: digest) == 5)
        #expect(try Array(store.read(digest)) == hello)
        #expect(try store.read(digest, in: 1..<3) == Array("el".utf8))
        let mode = try System.attributes(store.path(of: digest))[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o444)
    }

    @Test("a record of another length is told from bytes that are others")
    func record() throws {
        try store.put(hello)
        #expect(store.defect(of: digest, bytes: 5, .size) == nil)
        #expect(store.defect(of: digest, bytes: 4, .size) == .record(5))
        let path = store.path(of: digest)
        try FileManager.default.removeItem(atPath: path)
        try Data("hallo!".utf8).write(to: URL(fileURLWithPath: path))
        #expect(store.defect(of: digest, bytes: 5, .size) == .size(6))
        #expect(store.defect(of: digest, bytes: 6, .contents) == .contents)
        #expect(store.defect(of: digest, bytes: nil, .contents) == .contents)
    }

    @Test(
        "a blob that somebody asked for since it was looked at is not removed",
        arguments: ["put", "batch", "upload", "renew", "nothing"]
    )
    func renewed(how: String) throws {
        try store.put(hello)
        let path = store.path(of: digest)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)],
            ofItemAtPath: path
        )
        var seen: StoredBlob?
        try store.forEachBlob { seen = $0 }
        let blob = try #require(seen)
        #expect(blob.modified == 1_000_000)
        switch how {
        case "put": try store.put(hello)
        case "batch": try store.batch().put(hello)
        case "upload":
            let upload = try store.begin(bytesMax: 5)
            try upload.append(hello)
            try upload.finish()
        case "renew": #expect(store.renew(digest))
        default: break
        }
        #expect(try store.remove(blob) == (how == "nothing"))
        #expect(store.contains(digest) == (how != "nothing"))
        #expect(store.renew(digest) == (how != "nothing"))
    }

    @Test("no bytes are a blob too")
    func empty() throws {
        let digest = try store.put([UInt8]())
        #expect(store.size(of: digest) == 0)
        #expect(try store.read(digest).isEmpty)
    }

    @Test("what is there already is not written again, however it comes")
    func twice() throws {
        try store.put(hello)
        let inode = try System.inode(store.path(of: digest))
        try store.put(hello)
        try store.put(fileAt: folder.write("file", hello), bytesMax: 5)
        let upload = try store.begin(bytesMax: 5)
        try upload.append(hello)
        try upload.finish(expecting: digest)
        let batch = store.batch()
        try batch.put(hello)
        try batch.commit()
        #expect(try System.inode(store.path(of: digest)) == inode)
        #expect(files.count == 1)
    }

    @Test("two uploads of the same bytes at once both end well")
    func race() throws {
        let uploads = [try store.begin(bytesMax: 5), try store.begin(bytesMax: 5)]
        for upload in uploads { try upload.append(hello) }
        for upload in uploads { #expect(try upload.finish() == digest) }
        #expect(files == ["2c/\(digest.hex)"])
    }

    @Test("a file is stored as a copy: changing it later changes nothing")
    func putFile() throws {
        let bytes = [UInt8](repeating: 7, count: 3 << 20)
        let path = try folder.write("big", bytes)
        let digest = try store.put(fileAt: path, bytesMax: bytes.count)
        try folder.write("big", "other")
        #expect(digest == Digest(of: bytes))
        #expect(try store.read(digest) == Data(bytes))
    }

    @Test("a file that is missing or over the limit is refused and leaves nothing")
    func putFileRefused() throws {
        let path = try folder.write("file", hello)
        #expect(throws: ArtifactError.tooLarge(bytesMax: 4)) {
            try store.put(fileAt: path, bytesMax: 4)
        }
        #expect(throws: ArtifactError.self) {
            try store.put(fileAt: path + "-not-there", bytesMax: 4)
        }
        #expect(files.isEmpty)
    }

    @Test("an upload in pieces is stored only when it is what was announced")
    func upload() throws {
        let upload = try store.begin(bytesMax: 10)
        try upload.append(Array("hel".utf8))
        try upload.append(Data("lo".utf8))
        #expect(!store.contains(digest))
        #expect(try upload.finish(expecting: digest) == digest)
        #expect(store.contains(digest))

        let wrong = try store.begin(bytesMax: 10)
        try wrong.append(Array("hell".utf8))
        let actual = Digest(of: Array("hell".utf8))
        #expect(throws: ArtifactError.mismatch(expected: digest, actual: actual)) {
            try wrong.finish(expecting: digest)
        }
        #expect(files == ["2c/\(digest.hex)"])
    }

    @Test("an upload over its limit, ended, or dropped leaves nothing")
    func uploadEnds() throws {
        let over = try store.begin(bytesMax: 4)
        #expect(throws: ArtifactError.tooLarge(bytesMax: 4)) { try over.append(hello) }
        #expect(throws: ArtifactError.self) { try over.append([1]) }
        #expect(throws: ArtifactError.self) { try over.finish() }
        let aborted = try store.begin(bytesMax: 4)
        try aborted.append([1])
        aborted.abort()
        do {
            let dropped = try store.begin(bytesMax: 4)
            try dropped.append([1])
        }
        #expect(files.isEmpty)
    }

    @Test("what a killed writer left is no blob, and is removed on request")
    func leftovers() throws {
        try folder.write("blobs/tmp/abc", "half")
        let reopened = try BlobStore(folder: store.folder)
        #expect(!reopened.contains(Digest(of: Array("half".utf8))))
        try reopened.put(hello)
        reopened.removeLeftovers()
        #expect(files == ["2c/\(digest.hex)"])
    }

    @Test("bytes that changed on disk are not handed out")
    func damaged() throws {
        try store.put(hello)
        let path = store.path(of: digest)
        for bytes in ["hallo", "hell"] {
            try FileManager.default.removeItem(atPath: path)
            try Data(bytes.utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: ArtifactError.damaged(digest)) { try store.read(digest) }
        }
    }

    @Test("what is not there is missing")
    func missing() throws {
        #expect(!store.contains(digest))
        #expect(store.size(of: digest) == nil)
        #expect(throws: ArtifactError.missing(digest)) { try store.read(digest) }
        #expect(throws: ArtifactError.missing(digest)) { try store.read(digest, in: 0..<1) }
        #expect(throws: ArtifactError.missing(digest)) {
            try store.link(digest, to: folder.file("x"))
        }
        #expect(throws: ArtifactError.missing(digest)) { try store.crc32(of: digest) }
    }

    @Test("a batch is visible only after its commit, all of it")
    func batch() throws {
        let batch = store.batch()
        let digests = try (0..<50).map { try batch.put([UInt8($0)]) }
        try batch.put([0])
        #expect(digests.allSatisfy { !store.contains($0) })
        try batch.commit()
        #expect(digests.allSatisfy { store.contains($0) })
        #expect(files.count == 50)
        try batch.commit()
    }

    @Test("a batch that is dropped leaves nothing")
    func droppedBatch() throws {
        do {
            let batch = store.batch()
            try batch.put(hello)
        }
        #expect(files.isEmpty)
    }

    @Test("a blob is linked to a path, making folders and replacing what is there")
    func link() throws {
        try store.put(hello)
        let path = folder.file("out/a/b.png")
        try store.link(digest, to: path)
        #expect(try System.inode(path) == System.inode(store.path(of: digest)))
        try FileManager.default.removeItem(atPath: path)
        try folder.write("out/a/b.png", "old")
        try store.link(digest, to: path)
        try store.link(digest, to: path)
        #expect(FileManager.default.contents(atPath: path) == Data(hello))
        #expect(System.files(in: folder.file("out")) == ["a/b.png"])
    }

    @Test(
        "on another file system a blob is copied",
        .enabled(if: OtherFileSystem.isThere, "/dev/shm is not another file system here")
    )
    func copy() throws {
        try store.put(hello)
        let other = "/dev/shm/snapfarm-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: other) }
        try store.link(digest, to: other + "/b.png")
        #expect(FileManager.default.contents(atPath: other + "/b.png") == Data(hello))
        #expect(System.files(in: other) == ["b.png"])
        let mode = try System.attributes(other + "/b.png")[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o444)
    }
}

enum OtherFileSystem {
    static var isThere: Bool {
        let files = FileManager.default
        guard
            let shared = try? files.attributesOfFileSystem(forPath: "/dev/shm"),
            let temporary = try? files.attributesOfFileSystem(
                forPath: files.temporaryDirectory.path
            )
        else { return false }
        let (one, other) = (shared[.systemNumber], temporary[.systemNumber])
        return (one as? NSNumber) != (other as? NSNumber)
    }
}

@Suite(
    "A full disk",
    .serialized,
    .enabled(if: SmallDisk.canMount, "needs root and mount(8) for a disk of 1 MB")
)
struct FullDiskTests {
    private let disk: SmallDisk
    private let store: BlobStore
    private let tooMuch = [UInt8](repeating: 1, count: 2 << 20)

    init() throws {
        disk = try SmallDisk()
        store = try BlobStore(folder: disk.path + "/blobs")
    }

    private func expectFull(_ body: () throws -> Void) throws {
        do {
            try body()
            Issue.record("there was room")
        } catch let error as ArtifactError {
            #expect(error.code == "disk-full")
            #expect(error.exit == .inputOutput)
        }
    }

    @Test("bytes, files, uploads and batches are refused and leave nothing behind")
    func blobs() throws {
        let file = try disk.outside.write("big", tooMuch)
        try expectFull { try store.put(tooMuch) }
        try expectFull { try store.put(fileAt: file, bytesMax: .max) }
        try expectFull { try store.batch().put(tooMuch) }
        #expect(System.files(in: disk.path).isEmpty)
        let small = try puttingWhenFree([1, 2, 3])
        #expect(try store.read(small) == Data([1, 2, 3]))
    }

    /// Stores bytes, and retries while the disk is full.
    ///
    /// A child of another test holds this process' open files until it runs its program. Until then
    /// the space of a removed file is not free.
    private func puttingWhenFree(_ bytes: [UInt8]) throws -> Digest {
        for _ in 0..<50 {
            if let digest = try? store.put(bytes) { return digest }
            usleep(100_000)
        }
        return try store.put(bytes)
    }

    @Test("an archive is refused and leaves what was there")
    func archive() throws {
        let path = disk.path + "/a.zip"
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let outside = try BlobStore(folder: disk.outside.path + "/blobs")
        let digest = try outside.put(tooMuch)
        let entry = ZipEntry(path: "a.png", blob: digest, size: tooMuch.count, crc32: 0)
        try expectFull { try ZipArchive([entry]).write(toFileAt: path, from: outside) }
        #expect(System.files(in: disk.path) == ["a.zip"])
        #expect(FileManager.default.contents(atPath: path) == Data("old".utf8))
    }
}

/// A file system of 1 MB in memory, unmounted by `deinit`.
final class SmallDisk: Sendable {
    let outside: TemporaryFolder
    let path: String

    static let canMount = (try? SmallDisk()) != nil

    init() throws {
        outside = try TemporaryFolder("disk")
        path = outside.file("small")
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
        let mount = try System.run(
            "mount",
            ["-t", "tmpfs", "-o", "size=1m", "snapfarm-test", path]
        )
        guard mount.status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit { _ = try? System.run("umount", ["-l", path]) }
}
