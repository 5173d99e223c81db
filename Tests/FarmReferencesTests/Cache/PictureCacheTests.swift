import FarmCore
import FarmFiles
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

/// A cache in a temporary folder, with pictures whose reads are counted.
private final class CacheFixture {
    let folder: TemporaryFolder
    let cache: PictureCache
    private(set) var bytes: [ObjectID: Data] = [:]
    private(set) var readCount = 0
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    init(bytesMax: Int = 1 << 20) throws {
        folder = try TemporaryFolder("cache")
        cache = try PictureCache(at: folder.file("cache"), bytesMax: bytesMax)
    }

    func references(_ texts: [String], bytes count: Int = 100) throws -> [Reference] {
        try texts.map { text in
            let data = Data((text + String(repeating: ".", count: count - text.count)).utf8)
            bytes[ObjectID(ofBlob: data)] = data
            return Reference(id: try id("c", "Suite/\(text)"), objectID: ObjectID(ofBlob: data))
        }
    }

    @discardableResult
    func materialise(
        _ references: [Reference],
        _ target: String = "out",
        after seconds: Double = 0
    ) throws -> MaterialisedPictures {
        try cache.materialise(
            references: references,
            into: folder.file(target),
            now: now + seconds,
            layout: { "\($0.suite)/\($0.name).png" },
            read: { object in
                readCount += 1
                return bytes[object] ?? Data()
            }
        )
    }

    func place(_ reference: Reference) -> String {
        folder.file("cache/\(reference.objectID.hex.prefix(2))/\(reference.objectID)")
    }

    func content(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder.file(path)))
    }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

struct PictureCacheTests {
    @Test("pictures are read once and then linked, read-only, out of the cache")
    func links() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a", "b"])
        let cold = try fixture.materialise(references, "one")
        let warm = try fixture.materialise(references, "two")
        #expect(cold.readCount == 2 && cold.readBytes == 200)
        #expect(warm.readCount == 0 && warm.linked == 2 && warm.copied == 0)
        #expect(fixture.readCount == 2)
        let path = fixture.folder.file("two/Suite/a.png")
        #expect(try fixture.content("two/Suite/a.png") == fixture.bytes[references[0].objectID])
        #expect(try fixture.mode(path) == 0o444)
        let links = try FileManager.default.attributesOfItem(atPath: path)[.referenceCount]
        #expect(links as? Int == 3)
    }

    @Test("a second process's cache at the same place finds what the first put there")
    func shared() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a"])
        try fixture.materialise(references)
        let other = try PictureCache(at: fixture.folder.file("cache"))
        let result = try other.materialise(
            references: references,
            into: fixture.folder.file("other"),
            now: fixture.now,
            layout: { "\($0.name).png" },
            read: { _ in throw StoreFixture.Missing() }
        )
        #expect(result.linked == 1)
    }

    @Test("pictures for isolated tests are copies, and no write to them reaches the cache")
    func copies() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a"])
        try fixture.materialise(references, "one")
        let cache = try PictureCache(at: fixture.folder.file("cache"), placing: .copied)
        let result = try cache.materialise(
            references: references,
            into: fixture.folder.file("other"),
            now: fixture.now,
            layout: { "\($0.name).png" },
            read: { _ in throw StoreFixture.Missing() }
        )
        #expect(result.copied == 1 && result.linked == 0)
        let copy = fixture.folder.file("other/a.png")
        #expect(chmod(copy, 0o644) == 0)
        try #require(FileHandle(forWritingAtPath: copy)).write(contentsOf: Data("X".utf8))
        #expect(try fixture.materialise(references, "two").repaired.isEmpty)
    }

    @Test(
        "a damaged picture is noticed at its next use and replaced",
        arguments: ["overwritten", "truncated", "cut by a crash", "link"]
    )
    func damage(kind: String) throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a"])
        try fixture.materialise(references, "one")
        let place = fixture.place(references[0])
        chmod(place, 0o644)
        switch kind {
        case "overwritten":
            try #require(FileHandle(forWritingAtPath: place)).write(contentsOf: Data("X".utf8))
        case "truncated": truncate(place, 10)
        case "cut by a crash":
            var status = stat()
            stat(place, &status)
            truncate(place, 10)
            utimensat(AT_FDCWD, place, [status.st_mtim, status.st_mtim], 0)
        default:
            unlink(place)
            symlink("/etc/passwd", place)
        }
        chmod(place, 0o444)
        let result = try fixture.materialise(references, "two")
        #expect(result.repaired == [references[0].objectID])
        #expect(try fixture.content("two/Suite/a.png") == fixture.bytes[references[0].objectID])
        #expect(try fixture.materialise(references, "three").repaired.isEmpty)
    }

    @Test("a sound picture whose time was changed is hashed and kept, not read again")
    func touched() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a"])
        try fixture.materialise(references, "one")
        let place = fixture.place(references[0])
        try FileManager.default.setAttributes([.modificationDate: fixture.now], ofItemAtPath: place)
        let result = try fixture.materialise(references, "two")
        #expect(result.repaired.isEmpty && result.readCount == 0)
        #expect(try fixture.mode(place) == 0o444)
    }

    @Test("verify finds rot that keeps size, time and mode, and removes it")
    func rot() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a", "b"])
        try fixture.materialise(references, "one")
        let place = fixture.place(references[0])
        var status = stat()
        stat(place, &status)
        chmod(place, 0o644)
        try #require(FileHandle(forWritingAtPath: place)).write(contentsOf: Data("X".utf8))
        chmod(place, 0o444)
        utimensat(AT_FDCWD, place, [status.st_mtim, status.st_mtim], 0)
        let result = try fixture.cache.verify()
        #expect(result.damaged == [references[0].objectID] && result.soundCount == 1)
        #expect(try fixture.materialise(references, "two").readCount == 1)
    }

    @Test("bytes other than asked for are refused and never kept")
    func foreign() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a"])
        let expected = PictureCacheError.bytesDiffer(
            references[0].objectID,
            actual: ObjectID(ofBlob: Data("other".utf8))
        )
        #expect(throws: expected) {
            try fixture.cache.materialise(
                references: references,
                into: fixture.folder.file("one"),
                now: fixture.now,
                layout: { "\($0.name).png" },
                read: { _ in Data("other".utf8) }
            )
        }
        #expect(try fixture.materialise(references, "two").readCount == 1)
    }

    @Test("over the limit the shard that was used longest ago goes, and what others share stays")
    func eviction() throws {
        let fixture = try CacheFixture(bytesMax: 650)
        let first = try fixture.references(["a", "b", "shared"])
        let second = try fixture.references(["c", "d", "shared"])
        try fixture.materialise(first, "1", after: 1)
        try fixture.materialise(second, "2", after: 2)
        try fixture.materialise(first, "3", after: 3)
        // The cache holds 500 bytes; two more pictures exceed its limit.
        try fixture.materialise(try fixture.references(["e", "f"]), "4", after: 4)
        let before = fixture.readCount
        try fixture.materialise(first, "5", after: 5)
        #expect(fixture.readCount == before)
        try fixture.materialise(second, "6", after: 6)
        #expect(fixture.readCount == before + 2)
        #expect(try fixture.content("2/Suite/c.png").count == 100)
    }

    @Test("pictures evicted between look and link are put back")
    func race() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a", "b", "c"])
        try fixture.materialise(references, "one")
        let tiny = try PictureCache(at: fixture.folder.file("cache"), bytesMax: 0)
        #expect(try tiny.evict(now: fixture.now).evictedCount == 3)
        #expect(try fixture.materialise(references, "two").readCount == 3)
    }

    @Test("a temporary file of a killed process goes after an hour, and not before")
    func leftovers() throws {
        let fixture = try CacheFixture()
        let left = try fixture.folder.write("cache/ab/.snapfarm-tmp-1-1", "half")
        let written = Date()
        try fixture.cache.evict(now: written + 60)
        #expect(FileManager.default.fileExists(atPath: left))
        try fixture.cache.evict(now: written + 3_700)
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    @Test("what lies in the way is replaced, and no link leads out of the folder")
    func hostileTarget() throws {
        let fixture = try CacheFixture()
        let references = try fixture.references(["a"])
        let outside = try fixture.folder.write("outside/a.png", "precious")
        try fixture.folder.write("one/other.txt", "")
        try FileManager.default.createDirectory(
            atPath: fixture.folder.file("two/Suite"),
            withIntermediateDirectories: true
        )
        symlink(outside, fixture.folder.file("two/Suite/a.png"))
        try fixture.materialise(references, "two")
        #expect(try fixture.content("outside/a.png") == Data("precious".utf8))
        #expect(try fixture.content("two/Suite/a.png").count == 100)

        symlink(fixture.folder.file("outside"), fixture.folder.file("one/Suite"))
        #expect(throws: GuardedFolderError.throughLink(fixture.folder.file("one/Suite"))) {
            try fixture.materialise(references, "one")
        }
        for path in ["../a.png", "/a.png", "x//a.png", "./a.png"] {
            #expect(throws: GuardedFolderError.unsafePath(path)) {
                try fixture.cache.materialise(
                    references: references,
                    into: fixture.folder.file("three"),
                    now: fixture.now,
                    layout: { _ in path },
                    read: { _ in Data() }
                )
            }
        }
    }
}
