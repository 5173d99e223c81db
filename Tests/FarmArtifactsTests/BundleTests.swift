import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Bundles")
struct BundleTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("bundle")
        try folder.write("tree/run.sh", "#!/bin/sh\n")
        chmod(folder.file("tree/run.sh"), 0o755)
        try folder.write("tree/pictures/a.png", "a")
        try folder.write("tree/pictures/deep/b.png", "b")
        try folder.write("tree/.git/config", "secret")
        try folder.write("tree/out/old.png", "old")
    }

    private func pack(
        _ globs: [String],
        from tree: String = "tree",
        to name: String = "b.zip",
        isBuilt: Bool = false,
        platform: String? = "here"
    ) throws -> PackedBundle {
        try BundlePacker(workTree: folder.file(tree), without: [folder.file("tree/out")]).pack(
            BundleSelection(globs: globs, isBuilt: isBuilt),
            platform: platform,
            toFileAt: folder.file(name)
        )
    }

    private func unpack(_ digest: Digest, from name: String = "b.zip") async throws -> BundleUse {
        try await BundleCache(folder: folder.file("cache"), platform: "here").use(digest) { path in
            try FileManager.default.copyItem(atPath: folder.file(name), toPath: path)
        }
    }

    private func mode(_ path: String) -> Int {
        let value = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return (value as? NSNumber)?.intValue ?? -1
    }

    @Test("what is packed is unpacked: the same files, read-only, programs executable")
    func roundTrip() async throws {
        let packed = try pack(["**"])
        #expect(packed.files == 3)
        let use = try await unpack(packed.digest)
        func text(_ name: String) -> String? {
            try? String(contentsOfFile: use.folder + "/" + name, encoding: .utf8)
        }
        #expect(text("run.sh") == "#!/bin/sh\n")
        #expect(text("pictures/a.png") == "a" && text("pictures/deep/b.png") == "b")
        #expect(text(".git/config") == nil && text("out/old.png") == nil)
        #expect(mode(use.folder + "/run.sh") == 0o555)
        #expect(mode(use.folder + "/pictures/a.png") == 0o444)
    }

    @Test("the same files give the same bytes, whatever their times and the order of the folder")
    func deterministic() throws {
        let first = try pack(["**"])
        try folder.write("twin/pictures/deep/b.png", "b")
        try folder.write("twin/pictures/a.png", "a")
        try folder.write("twin/run.sh", "#!/bin/sh\n")
        chmod(folder.file("twin/run.sh"), 0o700)
        #expect(try pack(["**"], from: "twin", to: "twin.zip").digest == first.digest)
        try folder.write("twin/pictures/a.png", "A")
        #expect(try pack(["**"], from: "twin", to: "twin.zip").digest != first.digest)
    }

    @Test("a bundle that is there is not fetched again")
    func once() async throws {
        let packed = try pack(["**"])
        let first = try await unpack(packed.digest)
        try FileManager.default.removeItem(atPath: folder.file("b.zip"))
        let second = try await unpack(packed.digest)
        #expect(first.folder == second.folder)
    }

    @Test("a pattern without a file, and a link out of the work tree, are refused by name")
    func refusals() throws {
        #expect(throws: BundleError.noMatch("*.swift")) { try pack(["**", "*.swift"]) }
        try folder.write("secret", "s")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("tree/link"),
            withDestinationPath: "../secret"
        )
        #expect(throws: BundleError.self) { try pack(["link"]) }
        #expect(try pack(["pictures/*.png"]).files == 1)
        try folder.write("tree/\(BundleIndex.name)", "{}")
        #expect(throws: BundleError.self) { try pack(["*.json"]) }
    }

    @Test("a link to a file of the work tree travels as that file")
    func links() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("tree/alias.png"),
            withDestinationPath: "pictures/a.png"
        )
        let use = try await unpack(try pack(["alias.png"]).digest)
        let kind = try FileManager.default.attributesOfItem(atPath: use.folder + "/alias.png")[
            .type
        ]
        #expect(kind as? FileAttributeType == .typeRegular)
    }

    @Test("programs built for another platform are refused before anything runs")
    func platform() async throws {
        let packed = try pack(["run.sh"], isBuilt: true, platform: "there")
        await #expect(throws: BundleError.platform(needs: "there", has: "here")) {
            try await unpack(packed.digest)
        }
        let scripts = try pack(["run.sh"], isBuilt: false, platform: "there")
        _ = try await unpack(scripts.digest)
    }

    @Test("what is not the promised zip is refused and leaves nothing")
    func foreign() async throws {
        let packed = try pack(["**"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("b.zip")))
        bytes[bytes.count / 2] ^= 1
        try folder.write("b.zip", bytes)
        await #expect(throws: ArtifactError.self) { try await unpack(packed.digest) }
        // A zip from another program, under its true digest.
        let plain = try ZipArchive([ZipEntry(path: "x", text: Data("x".utf8))])
        let store = try BlobStore(folder: folder.file("blobs"))
        let digest = try plain.write(toFileAt: folder.file("b.zip"), from: store)
        await #expect(throws: BundleError.self) { try await unpack(digest) }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("cache"))
        #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
    }

    @Test(
        "a bomb in a bundle is refused, by its claim or where its bytes exceed it, and leaves nothing",
        arguments: ["0xFFFFFFFE", "1000"]
    )
    func bomb(claim: String) async throws {
        let make = """
            import struct, sys, zipfile
            path, claim = sys.argv[1], int(sys.argv[2], 0)
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr("snapfarm-bundle.json", '{"version": 2, "executables": [], "links": {}, "isWritable": false}')
                for n in range(3):
                    z.writestr(f"zeros{n}", b"\\0" * (16 << 20))
            b = bytearray(open(path, "rb").read())
            at = b.index(b"PK\\x01\\x02") + 4
            for n in range(3):
                at = b.index(b"PK\\x01\\x02", at)
                struct.pack_into("<I", b, at + 24, claim)
                at += 4
            open(path, "wb").write(b)
            """
        try System.run("python3", ["-c", make, folder.file("b.zip"), claim])
        let digest = Digest(of: try Data(contentsOf: URL(fileURLWithPath: folder.file("b.zip"))))
        do {
            _ = try await unpack(digest)
            Issue.record("a bomb was unpacked")
        } catch let error as any ExplainedError {
            #expect(["bundle-too-large", "archive-damaged"].contains(error.code), "\(error)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("cache"))
        #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
    }

    @Test("bundles used longest ago make room, and one in use stays")
    func eviction() async throws {
        var uses: [BundleUse] = []
        var digests: [Digest] = []
        for name in ["one", "two", "three"] {
            try folder.write("many/\(name)/file", String(repeating: name, count: 1000))
            let packed = try pack(["\(name)/**"], from: "many", to: "\(name).zip")
            let cache = BundleCache(folder: folder.file("cache"), platform: "here", bytesMax: 1)
            let use = try await cache.use(packed.digest) { path in
                try FileManager.default.copyItem(atPath: folder.file("\(name).zip"), toPath: path)
            }
            digests.append(packed.digest)
            if name == "one" { uses.append(use) }
        }
        let present = digests.map {
            FileManager.default.fileExists(atPath: folder.file("cache/\($0.hex)"))
        }
        #expect(present == [true, false, true])
        withExtendedLifetime(uses) {}
    }
}
