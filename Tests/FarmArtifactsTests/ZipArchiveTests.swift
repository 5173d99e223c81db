import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Testing

/// Blobs of any size whose bytes are all zero.
struct Zeros: BlobReading {
    func read(_ digest: Digest, in range: Range<Int>) throws(ArtifactError) -> [UInt8] {
        [UInt8](repeating: 0, count: range.count)
    }
}

@Suite("Zip archives")
struct ZipArchiveTests {
    private let folder: TemporaryFolder
    private let store: BlobStore

    init() throws {
        folder = try TemporaryFolder("zip")
        store = try BlobStore(folder: folder.path + "/blobs")
    }

    private func blob(_ path: String, _ bytes: [UInt8]) throws -> ZipEntry {
        let digest = try store.put(bytes)
        return try ZipEntry(
            path: path,
            blob: digest,
            size: bytes.count,
            crc32: store.crc32(of: digest)
        )
    }

    private func sample() throws -> [ZipEntry] {
        [
            try blob(
                "job/iPhone Xʀ/ログイン/diff_a.png",
                [UInt8](repeating: 3, count: 2_500_000) + Array(0...255)
            ),
            try ZipEntry(
                path: "manifest.json",
                text: Data(String(repeating: "{}\n", count: 999).utf8)
            ),
            try ZipEntry(path: "short.txt", text: Data("a".utf8)),
            try ZipEntry(path: "empty.txt", text: Data()),
            try blob("job/a.png", [1, 2, 3]),
        ]
    }

    private func bytes(_ archive: ZipArchive, _ range: Range<Int>? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try archive.write(range, from: store) { bytes += $0 }
        return bytes
    }

    /// Returns Python's listing of a zip: path, size, CRC-32 and SHA-256 of each file.
    private func listing(_ path: String) throws -> System.Ending {
        let script = """
            import hashlib, sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as archive:
                assert archive.testzip() is None
                for info in archive.infolist():
                    digest = hashlib.sha256(archive.read(info)).hexdigest()
                    print(info.filename, info.file_size, info.date_time[0], digest)
            """
        return try System.run("python3", ["-X", "utf8", "-c", script, path])
    }

    @Test("unzip and Python read back every file", .enabled(if: System.has("unzip")))
    func readBack() throws {
        let archive = try ZipArchive(sample())
        let path = folder.file("out.zip")
        let digest = try archive.write(toFileAt: path, from: store)
        let unzip = try System.run("unzip", ["-t", path])
        #expect(unzip.status == 0, "\(unzip.output)")
        let python = try listing(path)
        #expect(python.status == 0, "\(python.output)")
        let big = [UInt8](repeating: 3, count: 2_500_000) + Array(0...255)
        let text = Data(String(repeating: "{}\n", count: 999).utf8)
        #expect(
            python.output == """
                empty.txt 0 1980 \(Digest(of: Data()).hex)
                job/a.png 3 1980 \(Digest(of: [1, 2, 3]).hex)
                job/iPhone Xʀ/ログイン/diff_a.png 2500256 1980 \(Digest(of: big).hex)
                manifest.json 2997 1980 \(Digest(of: text).hex)
                short.txt 1 1980 \(Digest(of: Data("a".utf8)).hex)

                """
        )
        let file = try #require(FileManager.default.contents(atPath: path))
        #expect(Digest(of: file) == digest)
        #expect(file.count == archive.size)
    }

    @Test("the same entries in any order give the same bytes, of the promised size")
    func deterministic() throws {
        let entries = try sample()
        let first = try bytes(ZipArchive(entries))
        #expect(try bytes(ZipArchive(entries.reversed())) == first)
        #expect(try ZipArchive(entries).size == first.count)
    }

    @Test("texts are deflated, pictures and what would grow are stored")
    func methods() throws {
        let archive = try ZipArchive(sample())
        // 2,500,256 stored bytes, and 2,997 that shrink to almost nothing.
        #expect((2_500_256..<2_501_200).contains(archive.size))
    }

    @Test("an archive of nothing is a valid archive")
    func empty() throws {
        let archive = try ZipArchive([])
        #expect(archive.size == 22)
        let path = folder.file("empty.zip")
        try archive.write(toFileAt: path, from: store)
        #expect(try listing(path).status == 0)
    }

    @Test("any range is the same as that part of the whole")
    func ranges() throws {
        let archive = try ZipArchive([
            blob("a", Array(0..<40)), blob("b", []), ZipEntry(path: "c", text: Data("xy".utf8)),
        ])
        let whole = try bytes(archive)
        #expect(whole.count == archive.size)
        for start in 0...whole.count {
            for length in [0, 1, 2, 31, 50, 200] {
                let range = start..<min(start + length, whole.count)
                #expect(try bytes(archive, range) == Array(whole[range]), "\(range)")
            }
        }
    }

    @Test(
        "a path that would leave the archive or is no path is refused",
        arguments: [
            "", "/a", "../a", "a/../b", "a/./b", "a//b", "a/", ".", "..", "a\u{0}b", "a\nb",
            "../\u{301}evil", "a/..\u{600}/../b", "\u{600}/../b",
        ]
    )
    func unsafePaths(path: String) throws {
        let entry = try ZipEntry(path: path, text: Data())
        #expect(throws: ArtifactError.unsafePath(path)) { try ZipArchive([entry]) }
    }

    @Test("a path that is there twice, or is also a folder, is refused")
    func duplicates() throws {
        for paths in [["a", "a"], ["a", "a/b"], ["a", "a.b", "a/b/c"]] {
            let entries = try paths.map { try ZipEntry(path: $0, text: Data()) }
            #expect(throws: ArtifactError.duplicatePath("a")) { try ZipArchive(entries) }
        }
        let long = try ZipEntry(path: String(repeating: "a", count: 65_536), text: Data())
        #expect(throws: ArtifactError.self) { try ZipArchive([long]) }
    }

    @Test("a blob that is gone, or shorter than announced, ends the writing with its name")
    func brokenBlobs() throws {
        let digest = try store.put([1, 2, 3])
        let longer = ZipEntry(path: "a", blob: digest, size: 4, crc32: 0)
        #expect(throws: ArtifactError.damaged(digest)) { try bytes(ZipArchive([longer])) }
        let other = Digest(of: [9])
        let missing = ZipEntry(path: "a", blob: other, size: 4, crc32: 0)
        let path = folder.file("broken.zip")
        #expect(throws: ArtifactError.missing(other)) {
            try ZipArchive([missing]).write(toFileAt: path, from: store)
        }
        #expect(!System.files(in: folder.path).contains { $0.hasPrefix("broken.zip") })
    }
}

@Suite("Zip archives beyond 4 GiB and 65,535 files")
struct Zip64Tests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("zip64") }

    /// Writes the archive with holes for the zeros of the blobs.
    private func writeSparse(_ archive: ZipArchive, to path: String) throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var at = 0
        try archive.forEachPiece(in: 0..<archive.size) { piece throws(ArtifactError) in
            switch piece {
            case .bytes(let bytes):
                do {
                    try file.seek(toOffset: UInt64(at))
                    try file.write(contentsOf: Data(bytes))
                } catch {
                    throw .system(operation: "write", path: path, text: "\(error)")
                }
                at += bytes.count
            case .blob(_, let range): at += range.count
            }
        }
        #expect(at == archive.size)
    }

    @Test("large files, and files behind them, are found by Python and unzip")
    func large() throws {
        let zeros = Digest(of: [0])
        let archive = try ZipArchive([
            ZipEntry(path: "a-5GB", blob: zeros, size: 5_000_000_000, crc32: 0),
            ZipEntry(path: "c-below", blob: zeros, size: 0xFFFF_FFFE, crc32: 0),
            ZipEntry(path: "d.txt", text: Data("behind the large ones".utf8)),
        ])
        let path = folder.file("large.zip")
        try writeSparse(archive, to: path)
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as archive:
                for info in archive.infolist():
                    archive.open(info).read(10)
                    print(info.filename, info.file_size, info.compress_size)
                print(archive.read("d.txt").decode())
            """
        let python = try System.run("python3", ["-c", script, path])
        #expect(
            python.output == """
                a-5GB 5000000000 5000000000
                c-below 4294967294 4294967294
                d.txt 21 21
                behind the large ones

                """
        )
        let unzip = try System.run("unzip", ["-p", path, "d.txt"])
        #expect(unzip.output == "behind the large ones")
    }

    @Test("a file of exactly the number that means zip64 is found by Python")
    func ambiguous() throws {
        // unzip 6.0 cannot read it: it takes the next file's size for another zip64 marker.
        let archive = try ZipArchive([
            ZipEntry(path: "a", blob: Digest(of: [0]), size: 0xFFFF_FFFF, crc32: 0),
            ZipEntry(path: "b", text: Data("behind".utf8)),
        ])
        let path = folder.file("limit.zip")
        try writeSparse(archive, to: path)
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as archive:
                print(archive.getinfo("a").file_size, archive.read("b").decode())
            """
        let python = try System.run("python3", ["-c", script, path])
        #expect(python.output == "4294967295 behind\n")
    }

    @Test("a range in the middle of a large file takes no more than that range")
    func range() throws {
        let entry = ZipEntry(
            path: "a",
            blob: Digest(of: [0]),
            size: 50_000_000_000,
            crc32: 0
        )
        let archive = try ZipArchive([entry])
        var count = 0
        try archive.write(40_000_000_000..<40_003_000_000, from: Zeros()) { chunk in
            #expect(chunk.count <= 1 << 20)
            count += chunk.count
        }
        #expect(count == 3_000_000)
    }

    @Test("65,535 files and more are counted in full", arguments: [65_534, 65_535])
    func many(count: Int) throws {
        let archive = try ZipArchive(
            (0..<count).map {
                ZipEntry(path: "\($0)", blob: Digest(of: []), size: 0, crc32: 0)
            }
        )
        let path = folder.file("many.zip")
        let written = try archive.write(toFileAt: path, from: Zeros())
        #expect(written.hex.count == 64)
        let script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).infolist()))"
        let python = try System.run("python3", ["-c", script, path])
        #expect(python.output == "\(count)\n")
    }
}
