// Writes many pictures as one pack and its index (gitformat-pack(5)).
//
// PNG does not compress, so the zlib streams contain stored blocks. The bytes do not go through
// libgit2's indexer either: it would map the whole pack into memory, and hash every picture twice
// more with its collision-detecting SHA-1, which alone costs a quarter of the time of `git add`.
// The caller has hashed every picture. Nothing is visible before `finish`, and then all of it is on
// the disk.
import CFarmShims
import CGit2
import FarmCore
import Foundation

/// A pack of blobs that is being written to a repository.
///
/// Unless it is finished, it leaves no file.
package final class PackStream {
    private let repository: GitRepository
    private let count: Int
    private let folder: String
    private let pack: HashedFile
    private var entries: [PackedEntry] = []
    /// The paths of files to delete unless they get their final names.
    private var temporary: [String]

    /// Starts a pack of exactly `count` blobs.
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

    /// Appends a blob; `object` must be the id of `bytes`.
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
        // The index is last, because it makes a pack visible.
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

/// The largest size of a stored block of deflate in bytes (RFC 1951 §3.2.4).
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
