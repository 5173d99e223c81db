import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Zips from elsewhere")
struct ZipReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("zipreader") }

    private static let texts = [
        "manifest.json": String(repeating: "{\"a\": 1}\n", count: 5_000),
        "job/iPhone-X\u{280}/ログイン/failed_a.png": "PNG",
        "empty.txt": "",
    ]

    /// Runs Python on a zip's path; `path` names the zip.
    private func python(_ script: String, _ path: String) throws {
        let head = "import struct, sys, zipfile\npath = sys.argv[1]\n"
        let result = try System.run("python3", ["-c", head + script, path])
        try #require(result.status == 0, "\(result.output)")
    }

    private func refusal(_ path: String, _ body: (ZipReader) throws -> Void = { _ in }) -> String {
        do {
            try body(ZipReader(fileAt: path))
            return "none"
        } catch let error as ZipReadError {
            return error.code
        } catch {
            return "\(error)"
        }
    }

    private func readAll(_ zip: ZipReader) throws {
        for entry in zip.entries { _ = try zip.read(entry, bytesMax: 1 << 20) }
    }

    @Test("an archive of our own is read back, file by file")
    func ours() throws {
        let store = try BlobStore(folder: folder.file("blobs"))
        let digest = try store.put(Data("PNG".utf8))
        var entries = [
            ZipEntry(path: "a/b.png", blob: digest, size: 3, crc32: try store.crc32(of: digest))
        ]
        for (path, text) in Self.texts {
            entries.append(try ZipEntry(path: path, text: Data(text.utf8)))
        }
        let path = folder.file("ours.zip")
        try ZipArchive(entries).write(toFileAt: path, from: store)
        let zip = try ZipReader(fileAt: path)
        #expect(zip.entries.count == 4)
        for (name, text) in Self.texts {
            let entry = try #require(zip.entry(name))
            #expect(entry.size == text.utf8.count)
            #expect(try zip.read(entry, bytesMax: 1 << 20) == Data(text.utf8))
        }
        let picture = try #require(zip.entry("a/b.png"))
        #expect(try zip.read(picture, bytesMax: 3) == Data("PNG".utf8))
    }

    @Test("a zip of 70,000 files, which needs zip64, is read")
    func manyFiles() throws {
        let entries = try (0..<70_000).map { index in
            try ZipEntry(path: "f\(index)", text: Data("\(index)".utf8))
        }
        let path = folder.file("many.zip")
        let store = try BlobStore(folder: folder.file("blobs"))
        try ZipArchive(entries).write(toFileAt: path, from: store)
        let zip = try ZipReader(fileAt: path)
        #expect(zip.entries.count == 70_000)
        let last = try #require(zip.entry("f69999"))
        #expect(try zip.read(last, bytesMax: 10) == Data("69999".utf8))
    }

    @Test("an entry that a streaming writer ended by a descriptor and zip64 is read")
    func streamed() throws {
        let path = folder.file("streamed.zip")
        try python(
            """
            class Pipe:
                def __init__(self, f): self.f = f
                def write(self, b): return self.f.write(b)
                def flush(self): self.f.flush()
            with open(path, "wb") as f:
                with zipfile.ZipFile(Pipe(f), "w", zipfile.ZIP_DEFLATED) as z:
                    with z.open("large", "w", force_zip64=True) as e: e.write(b"abc" * 1000)
                    z.writestr("stored", b"xyz", zipfile.ZIP_STORED)
            """,
            path
        )
        let zip = try ZipReader(fileAt: path)
        let large = try #require(zip.entry("large"))
        #expect(try zip.read(large, bytesMax: 3_000).count == 3_000)
        let stored = try #require(zip.entry("stored"))
        #expect(try zip.read(stored, bytesMax: 10) == Data("xyz".utf8))
    }

    @Test("a zip of the zip program with folders is read", .enabled(if: System.has("zip")))
    func infoZip() throws {
        try folder.write("in/deep/a.txt", String(repeating: "a", count: 9_999))
        try folder.write("in/deep/ログ.txt", "b")
        let path = folder.file("info.zip")
        let command = "cd '\(folder.file("in"))' && zip -qr '\(path)' ."
        #expect(try System.run("sh", ["-c", command]).status == 0)
        let zip = try ZipReader(fileAt: path)
        #expect(Set(zip.entries.map(\.path)) == ["deep/a.txt", "deep/ログ.txt"])
        try readAll(zip)
    }

    @Test("decomposed names of macOS are found under their composed form")
    func decomposed() throws {
        let path = folder.file("mac.zip")
        try python(
            """
            with zipfile.ZipFile(path, "w") as z: z.writestr("cafe\\u0301.png", b"x")
            """,
            path
        )
        #expect(try ZipReader(fileAt: path).entry("caf\u{E9}.png") != nil)
    }

    @Test(
        "names that lead out of the archive, links and doubles are refused",
        arguments: [
            "z.writestr('../evil.png', b'x')", "z.writestr('/etc/evil', b'x')",
            "z.writestr('a/../../evil', b'x')", "z.writestr('a//b', b'x')",
            "z.writestr('a\\nb', b'x')",
            "z.writestr('../\\u0301evil', b'x')", "z.writestr('a\\u0600/../../evil', b'x')",
            "z.writestr('x/./y', b'x')",
            "i = zipfile.ZipInfo('link'); i.create_system = 3; i.external_attr = 0o120777 << 16; z.writestr(i, b'/etc/passwd')",
            "i = zipfile.ZipInfo('pipe'); i.create_system = 3; i.external_attr = 0o010644 << 16; z.writestr(i, b'')",
            "import warnings; warnings.simplefilter('ignore'); z.writestr('a', b'1'); z.writestr('a', b'2')",
            "z.writestr('caf\\u00e9', b'1'); z.writestr('cafe\\u0301', b'2')",
        ]
    )
    func unsafeNames(_ writing: String) throws {
        let path = folder.file("unsafe.zip")
        try python("with zipfile.ZipFile(path, 'w') as z:\n    \(writing)\n", path)
        #expect(refusal(path) == "archive-entry-unsafe")
    }

    /// Edits of a zip: `c` is the offset of the first central header, `e` of the end record.
    private static let edits: [(change: String, code: String)] = [
        ("b[c+8] |= 1", "archive-unsupported"),
        ("b[c+10] = 12", "archive-unsupported"),
        ("b[c+16] ^= 1", "archive-damaged"),
        ("b[0] = 0", "archive-damaged"),
        ("b[30] ^= 1", "archive-damaged"),
        ("b[8] = 0", "archive-damaged"),
        ("b[26] = 200", "archive-damaged"),
        ("b[45] ^= 255", "archive-damaged"),
        ("b[c] = 0", "archive-malformed"),
        ("b[e+16] ^= 1", "archive-malformed"),
        ("b[e+10] = 9", "archive-malformed"),
        ("b[e+4] = 1", "archive-malformed"),
        ("struct.pack_into('<I', b, c+42, 2**31)", "archive-malformed"),
        ("struct.pack_into('<I', b, e+12, 2**31)", "archive-malformed"),
        ("struct.pack_into('<I', b, e+16, 2**32-1)", "archive-malformed"),
        ("struct.pack_into('<I', b, c+24, 2**20)", "archive-damaged"),
        ("struct.pack_into('<I', b, c+24, 5)", "archive-damaged"),
        ("del b[-1]", "archive-malformed"),
        ("del b[40:60]", "archive-malformed"),
        ("b[:] = b'PK'", "archive-malformed"),
        ("b[:] = b''", "archive-malformed"),
    ]

    @Test("every broken field is refused, and nothing crashes", arguments: edits)
    func brokenFields(_ edit: (change: String, code: String)) throws {
        let path = folder.file("edited.zip")
        try python(
            """
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr("name.txt", b"hello, hello, hello, hello" * 9)
            b = bytearray(open(path, "rb").read())
            c = b.index(b"PK\\x01\\x02"); e = b.index(b"PK\\x05\\x06")
            \(edit.change)
            open(path, "wb").write(b)
            """,
            path
        )
        #expect(refusal(path, readAll) == edit.code)
    }

    @Test("two files that share bytes are refused, so that nothing unpacks twice")
    func overlap() throws {
        let path = folder.file("overlap.zip")
        try python(
            """
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr("a", b"0" * 100000); z.writestr("b", b"0" * 100000)
            b = bytearray(open(path, "rb").read())
            first = b.index(b"PK\\x01\\x02"); second = b.index(b"PK\\x01\\x02", first + 4)
            b[second+42:second+46] = b[first+42:first+46]
            open(path, "wb").write(b)
            """,
            path
        )
        #expect(refusal(path) == "archive-entry-unsafe")
    }

    @Test("a bomb is refused by its claim, and by its bytes where the claim lies")
    func bomb() throws {
        let path = folder.file("bomb.zip")
        let make = """
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr("zeros", b"\\0" * (64 << 20))

            """
        try python(make, path)
        #expect(refusal(path, readAll) == "archive-too-large")
        try python(
            make + """
                b = bytearray(open(path, "rb").read())
                c = b.index(b"PK\\x01\\x02"); struct.pack_into("<I", b, c+24, 1000)
                open(path, "wb").write(b)
                """,
            path
        )
        #expect(refusal(path, readAll) == "archive-damaged")
    }

    @Test("random damage never crashes, and never yields other bytes")
    func fuzz() throws {
        let path = folder.file("good.zip")
        let store = try BlobStore(folder: folder.file("blobs"))
        let entries = try Self.texts.map { try ZipEntry(path: $0.key, text: Data($0.value.utf8)) }
        try ZipArchive(entries).write(toFileAt: path, from: store)
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var generator = SeededGenerator(seed: 7)
        let damaged = folder.file("damaged.zip")
        for _ in 0..<400 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
            }
            try bytes.write(to: URL(fileURLWithPath: damaged))
            guard let zip = try? ZipReader(fileAt: damaged) else { continue }
            for entry in zip.entries {
                guard let read = try? zip.read(entry, bytesMax: 1 << 20),
                    let text = Self.texts[entry.path]
                else { continue }
                #expect(read == Data(text.utf8))
            }
        }
    }

    @Test("a file that is not there is named")
    func absent() {
        #expect(refusal(folder.file("none.zip")) == "archive-unreadable")
    }

    @Test("a file is unpacked to a path, whole or not at all")
    func extract() throws {
        let path = folder.file("outer.zip")
        try python("with zipfile.ZipFile(path, 'w') as z: z.writestr('in', b'inner')", path)
        let zip = try ZipReader(fileAt: path)
        let entry = try #require(zip.entry("in"))
        let target = folder.file("inner")
        #expect(throws: ZipReadError.self) {
            try zip.extract(entry, toFileAt: target, bytesMax: 4)
        }
        #expect(!FileManager.default.fileExists(atPath: target))
        try zip.extract(entry, toFileAt: target, bytesMax: 5)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "inner")
    }
}
