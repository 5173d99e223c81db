// Many pictures are written as one pack and its index, as gitformat-pack(5) says.
//
// PNG does not compress, so the zlib streams hold stored blocks. Neither do the bytes go through
// libgit2's indexer: it would hash them twice more with its collision-detecting SHA-1, which alone
// costs a quarter of what `git add` takes, and map the whole pack into memory. The caller has
// hashed every picture; nothing is visible before `finish`, and all of it is on the disk then.
import CFarmShims
import CGit2
import FarmCore
import Foundation

/// A pack of blobs on its way into a repository; dropped without a trace unless finished.
package final class PackStream {
    private let repository: GitRepository
    private let count: Int
    private let folder: String
    private let pack: HashedFile
    private var entries: [PackedEntry] = []
    /// Files that go unless they get their names.
    private var temporary: [String]

    /// `count` blobs must follow, exactly.
    package init(of count: Int, into repository: GitRepository) throws {
        self.repository = repository
        self.count = count
        folder = repository.path + "/objects/pack"
        pack = try HashedFile(prefix: "\(folder)/\(RepositoryFiles.packPrefix)")
        temporary = [pack.path]
        entries.reserveCapacity(count)
        try pack.append(PackFormat.head(count: count))
    }

    deinit { for path in temporary { unlink(path) } }

    /// `object` is what the caller found the bytes to be.
    package func append(blob bytes: Data, as object: ObjectID) throws {
        var entry = Data(PackFormat.entryHead(.blob, bytes: bytes.count))
        entry.reserveCapacity(bytes.count + bytes.count / storedBytesMax * 5 + 32)
        appendStoredStream(of: bytes, to: &entry)
        let offset = pack.position
        let crc = try entry.withUnsafeBytes { raw in
            try pack.append(raw)
            return farm_pack_crc32(0, raw.baseAddress, raw.count)
        }
        entries.append(PackedEntry(key: ObjectKey(object), crc: crc, offset: offset))
    }

    /// Ends the pack and makes its objects readable.
    package func finish() throws {
        precondition(entries.count == count, "the pack's head says how many blobs follow")
        let digest = try pack.finish()
        let index = try HashedFile(prefix: "\(folder)/\(RepositoryFiles.indexPrefix)")
        temporary.append(index.path)
        try PackIndex.write(entries, pack: digest, to: index)
        let name = digest.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        let base = "\(folder)/pack-\(name.joined())"
        // The index last: it is what makes a pack visible.
        for (file, suffix) in [(pack, ".pack"), (index, ".idx")] {
            try file.settle(at: base + suffix, doing: "name the pack \(base)\(suffix)")
            temporary.removeAll { $0 == file.path }
        }
        try RepositoryFiles.flushFolder(folder)
        try GitLibrary.check(
            git_odb_refresh(repository.objects),
            "finish a pack in \(repository.path)"
        )
    }
}

/// The most bytes of one stored block of deflate (RFC 1951 §3.2.4).
private let storedBytesMax = 65_535

func appendStoredStream(of bytes: Data, to stream: inout Data) {
    stream.append(contentsOf: [0x78, 0x01])
    var rest = bytes
    repeat {
        let block = rest.prefix(storedBytesMax)
        rest = rest.dropFirst(block.count)
        let count = UInt16(block.count)
        stream.append(contentsOf: [
            rest.isEmpty ? 1 : 0,
            UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
        ])
        stream.append(block)
    } while !rest.isEmpty
    let checksum = bytes.withUnsafeBytes { farm_git_adler32($0.baseAddress, $0.count) }
    stream.append(contentsOf: PackFormat.bigEndian(checksum))
}
