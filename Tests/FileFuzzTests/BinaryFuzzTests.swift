import FarmArtifacts
import FarmCore
import FarmImaging
import FarmTesting
import Foundation
import Testing

@Suite("fuzzed pictures and archives", .serialized)
struct BinaryFuzzTests {
    @Test("a changed picture is decoded alike in both ways, or refused by both")
    func png() throws {
        try FuzzRun(kind: "png").run { mutator in
            let file = PNGMaker.file(&mutator)
            let quick = Result { () throws(PictureError) in try PNGDecoder.decode(file) }
            let slow = Result { () throws(PictureError) in try PNGDecoder.decodeByLibpng(file) }
            switch (quick, slow) {
            case (.success(let one), .success(let other)): #expect(one == other)
            case (.failure(let one), .failure(let other)): #expect(one == other)
            default: Issue.record("seed \(mutator.random.seed): \(quick) and \(slow)")
            }
            do { try PNGDecoder.check(file) } catch { return .strange }
            return .known
        }
    }

    @Test("a changed zip is refused, or gives only files that lie inside and have their size")
    func zip() throws {
        let folder = try TemporaryFolder("fuzz-zip")
        let store = try BlobStore(folder: folder.file("blobs"))
        try FuzzRun(kind: "zip").run { mutator in
            let path = folder.file("case.zip")
            try Self.archive(&mutator).write(toFileAt: path, from: store)
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            Self.change(&bytes, &mutator)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let reader: ZipReader
            do { reader = try ZipReader(fileAt: path) } catch is ZipReadError { return .strange }
            for entry in reader.entries {
                let names = Array(entry.path.utf8).split(
                    separator: UInt8(ascii: "/"),
                    omittingEmptySubsequences: false
                )
                #expect(names.allSatisfy { !$0.isEmpty && !$0.elementsEqual("..".utf8) })
                do {
                    #expect(try reader.read(entry, bytesMax: 1 << 20).count == entry.size)
                } catch is ZipReadError {}
            }
            return .known
        }
    }

    private static func archive(_ mutator: inout Mutator) throws -> ZipArchive {
        var entries: [String: ZipEntry] = [:]
        for index in 0...mutator.below(6) {
            let text = String(repeating: "{\"a\": \(index)}\n", count: mutator.below(200))
            let path =
                mutator.once(in: 4) ? "a/\(mutator.name())/\(index)" : "job/cell/\(index).png"
            guard ZipPaths.isSafe(path) else { continue }
            entries[path] = try ZipEntry(path: path, text: Data(text.utf8))
        }
        return try ZipArchive(Array(entries.values))
    }

    /// Changes names in place, sizes and offsets of the directory, and sometimes any byte.
    private static func change(_ bytes: inout [UInt8], _ mutator: inout Mutator) {
        switch mutator.below(6) {
        case 0, 1: break
        case 2:
            // The same name in both places, so that only the rule for names can refuse it.
            let new = mutator.pick([
                "jo/../x", "/ob/cel", "job\\cel", "../\u{301}xx", "\u{600}/jobx",
            ])
            let (old, to) = (Array("job/cell".utf8), Array(new.utf8))
            guard old.count >= to.count else { return }
            let padded = to + Array(repeating: UInt8(ascii: "x"), count: old.count - to.count)
            for at in bytes.indices where bytes[at...].starts(with: old) {
                bytes.replaceSubrange(at..<at + old.count, with: padded)
            }
        case 3:
            let marks: [[UInt8]] = [[0x50, 0x4B, 1, 2], [0x50, 0x4B, 5, 6], [0x50, 0x4B, 3, 4]]
            let mark = mutator.pick(marks)
            let places = bytes.indices.filter { bytes[$0...].starts(with: mark) }
            guard !places.isEmpty else { return }
            let at = mutator.pick(places) + 4 + mutator.below(40)
            guard at < bytes.count else { return }
            let value = mutator.pick([0, 1, 0x7F, 0x80, 0xFF] as [UInt8])
            for index in at..<min(at + 1 + mutator.below(4), bytes.count) { bytes[index] = value }
        default: bytes = mutator.damaged(bytes)
        }
    }
}
