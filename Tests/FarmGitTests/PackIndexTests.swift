import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmGit

@Suite("packs")
struct PackIndexTests {
    @Test("have offsets of more than 31 bits in their index, as Git reads them")
    func wideOffsets() throws {
        let folder = try TemporaryFolder("index")
        var generator = SeededGenerator(seed: 1)
        let offsets = [12, 1 << 31 - 1, 1 << 31, 1 << 32 + 5, 1 << 40]
        let entries = try offsets.map { offset in
            let data = Data("\(generator.next())".utf8)
            return PackedEntry(
                key: ObjectKey(try #require(ObjectID(ObjectID(ofBlob: data).hex))),
                crc: UInt32(truncatingIfNeeded: generator.next()),
                offset: offset
            )
        }
        let file = try HashedFile(prefix: folder.file("index_"))
        try PackIndex.write(entries, pack: [UInt8](repeating: 7, count: 20), to: file)
        let read = try PackIndex.read(file.path, packBytes: 1 << 41)
        #expect(read.map(\.offset) == offsets)
        #expect(read.map(\.crc) == entries.map(\.crc))
        let shown = try TestProcess.run(["sh", "-c", "git show-index < '\(file.path)'"])
        let expected = entries.sorted { $0.key < $1.key }.map { entry in
            let crc = String(entry.crc, radix: 16)
            let padded = String(repeating: "0", count: 8 - crc.count) + crc
            return "\(entry.offset) \(entry.key.object) (\(padded))\n"
        }
        #expect(shown.output == expected.joined())
    }

    @Test("are refused with an index that is cut, of another version or points outside")
    func damagedIndex() throws {
        let folder = try TemporaryFolder("index")
        let file = try HashedFile(prefix: folder.file("index_"))
        let key = ObjectKey(ObjectID(ofBlob: Data()))
        try PackIndex.write(
            [PackedEntry(key: key, crc: 1, offset: 5_000)],
            pack: [UInt8](repeating: 7, count: 20),
            to: file
        )
        let good = try Data(contentsOf: URL(fileURLWithPath: file.path))
        var other = good
        other[7] = 1
        var many = good
        many[8 + 255 * 4] = 0x7F
        for bytes in [good.dropLast(), other, many, Data()] {
            let path = try folder.write("bad", bytes)
            #expect(throws: GitError.self) { try PackIndex.read(path, packBytes: 10_000) }
        }
        #expect(throws: GitError.self) { try PackIndex.read(file.path, packBytes: 5_000) }
        #expect(try PackIndex.read(file.path, packBytes: 5_100).count == 1)
    }
}
