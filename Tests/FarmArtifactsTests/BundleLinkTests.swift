import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmArtifacts

@Suite("Links and places of bundles")
struct BundleLinkTests {
    private let folder: TemporaryFolder
    private let cache: BundleCache
    private let files = FileManager.default

    init() throws {
        folder = try TemporaryFolder("bundle-links")
        cache = BundleCache(folder: folder.file("cache"), platform: "here")
        try folder.write("tree/App.app/App", "app")
        try folder.write("tree/App.app/Frameworks/Kit.framework/Versions/A/Kit", "kit")
        for program in ["App", "Frameworks/Kit.framework/Versions/A/Kit"] {
            chmod(folder.file("tree/App.app/" + program), 0o755)
        }
        try link("App.app/Frameworks/Kit.framework/Versions/Current", "A")
        try link("App.app/Frameworks/Kit.framework/Kit", "Versions/Current/Kit")
    }

    private func link(_ path: String, _ target: String) throws {
        try files.createSymbolicLink(
            atPath: folder.file("tree/" + path),
            withDestinationPath: target
        )
    }

    private func pack(
        _ globs: [String],
        files: [String] = [],
        isWritable: Bool = false
    ) throws -> PackedBundle {
        var selection = BundleSelection(globs: globs, files: files)
        selection.isWritable = isWritable
        return try BundlePacker(workTree: folder.file("tree")).pack(
            selection,
            platform: nil,
            toFileAt: folder.file("b.zip")
        )
    }

    private func unpack(_ digest: Digest) async throws -> BundleUse {
        try await cache.use(digest) { path in
            try FileManager.default.copyItem(atPath: folder.file("b.zip"), toPath: path)
        }
    }

    private func mode(_ path: String) throws -> Int {
        let value = try files.attributesOfItem(atPath: path)[.posixPermissions]
        return (value as? NSNumber)?.intValue ?? -1
    }

    // MARK: links

    @Test("a framework keeps its links and programs, in an app that its driver writes beside")
    func framework() async throws {
        let use = try await unpack(try pack(["App.app/**"], isWritable: true).digest)
        let kit = use.folder + "/App.app/Frameworks/Kit.framework"
        #expect(try files.destinationOfSymbolicLink(atPath: kit + "/Versions/Current") == "A")
        #expect(try files.destinationOfSymbolicLink(atPath: kit + "/Kit") == "Versions/Current/Kit")
        #expect(try String(contentsOfFile: kit + "/Kit", encoding: .utf8) == "kit")
        #expect(try mode(kit + "/Versions/A/Kit") == 0o755)
        #expect(try mode(use.folder + "/App.app") & 0o200 != 0)
    }

    @Test("a link to a folder that does not travel, or to nothing, is refused by its name")
    func outside() throws {
        try folder.write("tree/other/file", "x")
        try link("App.app/shared", "../other")
        let error = #expect(throws: BundleError.self) { try pack(["App.app/**"]) }
        #expect(error?.message.contains("App.app/shared") == true)
        _ = try pack(["App.app/**", "other/**"])
        try link("App.app/gone", "nothing")
        #expect(throws: BundleError.self) { try pack(["App.app/**", "other/**"]) }
    }

    @Test("a link into the bundle by a way that does not travel is copied as a file")
    func otherWay() async throws {
        try folder.write("tree/data/real/file", "x")
        try link("data/alias", "real")
        try link("data/named", "alias/file")
        let use = try await unpack(try pack([], files: ["data/real/file", "data/named"]).digest)
        let named = use.folder + "/data/named"
        #expect(
            try files.attributesOfItem(atPath: named)[.type] as? FileAttributeType == .typeRegular
        )
        #expect(try String(contentsOfFile: named, encoding: .utf8) == "x")
    }

    @Test(
        "a zip whose links lead out, or lie where something else is, is refused and leaves nothing",
        arguments: [
            (["x"], ["out": "../elsewhere"]), (["x"], ["out": "/etc"]),
            (["x"], ["a/out": "b/../../.."]), (["x"], ["../out": "x"]), (["x"], ["x": "y"]),
            (["a/x"], ["a": "b"]), (["x"], ["a": "b", "a/c": "x"]),
        ] as [([String], [String: String])]
    )
    func hostile(names: [String], links: [String: String]) async throws {
        let index = BundleIndex(executables: [], links: links, platform: nil)
        var entries = try names.map { try ZipEntry(path: $0, text: Data("x".utf8)) }
        entries.append(try ZipEntry(path: BundleIndex.name, text: JSONEncoder().encode(index)))
        let store = try BlobStore(folder: folder.file("blobs"))
        let digest = try ZipArchive(entries).write(toFileAt: folder.file("b.zip"), from: store)
        await #expect(throws: BundleError.self) { try await unpack(digest) }
        let left = try files.contentsOfDirectory(atPath: folder.file("cache"))
        #expect(left.allSatisfy { $0.hasSuffix(".lock") }, "\(left)")
    }

    // MARK: sizes

    @Test("more bytes than a bundle may have are refused before anything is packed, by the largest")
    func tooLarge() throws {
        let path = try folder.write("tree/App.app/Assets.car", "")
        let bytes = off_t(FarmLimits.bundleBytesMax)
        try #require(truncate(path, bytes) == 0)
        let error = #expect(throws: BundleError.self) { try pack(["App.app/**"]) }
        #expect(error?.message.contains("App.app/Assets.car (\(Int(bytes).grouped))") == true)
        #expect(!files.fileExists(atPath: folder.file("b.zip")))
    }

    // MARK: places

    @Test(
        "a bundle lies at the path of its build for one lease after another, and leaves nothing there"
    )
    func place() async throws {
        let use = try await unpack(try pack(["App.app/**"]).digest)
        let path = folder.file("builder/app")
        do {
            let place = try #require(try cache.place(use, at: path, proofs: []))
            #expect(files.fileExists(atPath: path + "/App.app/App"))
            #expect(try cache.place(use, at: path, proofs: []) == nil)
            withExtendedLifetime(place) {}
        }
        #expect(throws: (any Error).self) { try files.destinationOfSymbolicLink(atPath: path) }
        // The link of a worker that was killed.
        try files.createSymbolicLink(
            atPath: path,
            withDestinationPath: folder.file("cache/gone")
        )
        let place = try #require(try cache.place(use, at: path, proofs: []))
        #expect(files.fileExists(atPath: path + "/App.app/App"))
        withExtendedLifetime(place) {}
    }

    @Test("a bundle of another user's worker is waited for, and its link stays")
    func otherCache() async throws {
        let use = try await unpack(try pack(["App.app/**"]).digest)
        let other = "/other/cache/" + Digest(of: Data()).hex
        try link("place", other)
        let path = folder.file("tree/place")
        #expect(try cache.place(use, at: path, proofs: []) == nil)
        #expect(try files.destinationOfSymbolicLink(atPath: path) == other)
    }

    @Test("what somebody put at the path stays, and says so, but for the work tree itself")
    func taken() async throws {
        let use = try await unpack(try pack(["App.app/**"]).digest)
        let proofs = ["", "App.app/App"]
        do {
            let own = try #require(try cache.place(use, at: folder.file("tree"), proofs: proofs))
            withExtendedLifetime(own) {}
        }
        #expect(files.fileExists(atPath: folder.file("tree/App.app/App")))
        chmod(folder.file("tree/App.app/App"), 0o644)
        try folder.write("tree/App.app/App", "another build")
        try link("somewhere", "/")
        try folder.write("tree/file", "x")
        for path in ["tree", "tree/somewhere", "tree/file", "cache/inside"] {
            #expect(throws: BundleError.self) {
                try cache.place(use, at: folder.file(path), proofs: proofs)
            }
        }
        #expect(try files.destinationOfSymbolicLink(atPath: folder.file("tree/somewhere")) == "/")
    }
}
