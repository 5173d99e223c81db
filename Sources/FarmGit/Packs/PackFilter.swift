// Writes one pack of chosen objects. An entry that is whole in an old pack is copied as it is,
// after its CRC-32 was checked against the index; nothing is inflated or hashed again. A delta is
// also copied if its base was written before; only its distance changes. Other deltas and loose
// objects are written whole.
//
// The pack and its index are complete and on the disk before they get their names.
import CFarmShims
import CGit2
import FarmCore
import Foundation

/// A finished pack with its final name.
package struct WrittenPack {
    /// The path of the pack without the extension `.pack`.
    package let base: String
    /// The size of the pack and its index, in bytes.
    package let bytes: Int
    package let count: Int
}

/// A change of the disk that is about to be made while a pack is written.
package enum PackStep: Sendable {
    case startPack
    case writeEntry
    case finishPack
    case writeIndex
    case revealPack
    case revealIndex
    case flushFolder
}

extension WrittenPack {
    /// The number of objects that `fault` reads and hashes.
    private static let samplesMax = 200

    /// Opens the pack alone, looks up every object in it, and reads some of them.
    ///
    /// Returns a description of the fault, or `nil` if the pack has all objects.
    package func fault(holding keys: [ObjectKey]) throws(GitError) -> String? {
        var database: OpaquePointer?
        try GitLibrary.check(git_odb_new(&database), "verify \(base).pack")
        defer { git_odb_free(database) }
        var backend: OpaquePointer?
        try GitLibrary.check(git_odb_backend_one_pack(&backend, base + ".idx"), "open \(base).idx")
        try GitLibrary.check(git_odb_add_backend(database, backend, 1), "open \(base).idx")
        let stride = max(1, keys.count / Self.samplesMax)
        for (index, key) in keys.enumerated() {
            var oid = key.oid
            guard git_odb_exists_ext(database, &oid, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) == 1
            else { return "\(key.object) is not in it" }
            guard index.isMultiple(of: stride) else { continue }
            var raw: OpaquePointer?
            let code = git_odb_read(&raw, database, &oid)
            git_odb_object_free(raw)
            guard code == 0 else {
                return "\(key.object) cannot be read: \(GitLibrary.reason(code))"
            }
        }
        return nil
    }
}

/// Writes one pack from entries of other packs.
package final class PackFilter {
    /// The number of bytes that are read or written at once.
    private static let bufferBytes = 1 << 20
    /// The size of the largest object that is read whole, in bytes: four times the largest picture.
    private static let wholeBytesMax = FarmLimits.pictureBytesMax * 4

    private let table: ObjectTable
    private let repository: GitRepository
    private let before: (PackStep) throws -> Void
    private let output: HashedFile
    private var written: [PackedEntry] = []
    private var offsets: [ObjectKey: Int] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PackFilter.bufferBytes,
        alignment: 16
    )

    /// Writes a pack of the objects `keys` into the folder `pack`.
    ///
    /// Objects that are not in `table` are in an alternate.
    package static func write(
        _ keys: [ObjectKey],
        from table: ObjectTable,
        of repository: GitRepository,
        into pack: String,
        before: @escaping (PackStep) throws -> Void
    ) throws -> WrittenPack {
        try before(.startPack)
        let filter = try PackFilter(table, repository, into: pack, before)
        do {
            return try filter.write(keys, into: pack)
        } catch let error as any ExplainedError {
            // Frees the bytes at once if the disk is full. After a crash the next prune removes the
            // file.
            filter.output.discard()
            throw error
        }
    }

    private init(
        _ table: ObjectTable,
        _ repository: GitRepository,
        into pack: String,
        _ before: @escaping (PackStep) throws -> Void
    ) throws {
        self.table = table
        self.repository = repository
        self.before = before
        output = try HashedFile(prefix: pack + "/" + RepositoryFiles.packPrefix)
    }

    deinit { buffer.deallocate() }

    private func write(_ keys: [ObjectKey], into pack: String) throws -> WrittenPack {
        let elsewhere = ObjectTable.Place(pack: ObjectTable.Place.loose, entry: .max)
        let places = keys.map { ($0, table.places[$0] ?? elsewhere) }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        written.reserveCapacity(places.count)
        try output.append(PackFormat.head(count: places.count))
        var source: (pack: Int, file: InputFile)?
        for (key, place) in places {
            try before(.writeEntry)
            guard place.pack != ObjectTable.Place.loose else {
                try writeWhole(key)
                continue
            }
            let file =
                if let source, source.pack == place.pack {
                    source.file
                } else {
                    try InputFile(table.packs[place.pack].base + ".pack")
                }
            source = (place.pack, file)
            try copy(place, from: file)
        }
        return try finish(into: pack)
    }

    private func finish(into pack: String) throws -> WrittenPack {
        try before(.finishPack)
        let digest = try output.finish()
        try before(.writeIndex)
        let index = try HashedFile(prefix: pack + "/" + RepositoryFiles.indexPrefix)
        try PackIndex.write(written, pack: digest, to: index)
        let name = digest.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        let base = pack + "/pack-" + name
        try before(.revealPack)
        try output.settle(at: base + ".pack", doing: "name the pack \(base).pack")
        try before(.revealIndex)
        try index.settle(at: base + ".idx", doing: "name the index \(base).idx")
        try before(.flushFolder)
        try RepositoryFiles.flushFolder(pack)
        return WrittenPack(
            base: base,
            bytes: output.position + index.position,
            count: written.count
        )
    }

    // MARK: entries

    private func copy(_ place: ObjectTable.Place, from file: InputFile) throws {
        let pack = table.packs[place.pack]
        let entry = pack.entries[place.entry]
        let size = pack.bytes(of: place.entry)
        let first = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(size, buffer.count)])
        try file.read(first, at: entry.offset)
        guard let head = EntryHead(UnsafeRawBufferPointer(first), at: entry.offset) else {
            throw damaged(file, entry)
        }
        let start = output.position
        var newHead: [UInt8] = []
        switch head.kind {
        case .commit, .tree, .blob, .tag: break
        case .offsetDelta, .referenceDelta:
            let base = head.base ?? head.baseOffset.flatMap { pack.key(at: $0) }
            guard let base, let target = offsets[base] else { return try writeWhole(entry.key) }
            newHead = Array(first[..<head.sizeBytes])
            newHead[0] = newHead[0] & 0x8F | PackFormat.Kind.offsetDelta.rawValue << 4
            newHead += PackFormat.distance(start - target)
        }
        let skipped = newHead.isEmpty ? 0 : head.bytes
        var crc = crc(0, newHead)
        try output.append(newHead)
        var old = crc32(0, UnsafeRawBufferPointer(first))
        let rest = UnsafeRawBufferPointer(rebasing: first[skipped...])
        crc = crc32(crc, rest)
        try output.append(rest)
        var done = first.count
        while done < size {
            let count = min(size - done, buffer.count)
            let chunk = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            try file.read(chunk, at: entry.offset + done)
            old = crc32(old, UnsafeRawBufferPointer(chunk))
            if !newHead.isEmpty { crc = crc32(crc, UnsafeRawBufferPointer(chunk)) }
            try output.append(UnsafeRawBufferPointer(chunk))
            done += count
        }
        guard old == entry.crc else { throw damaged(file, entry) }
        note(entry.key, crc: newHead.isEmpty ? old : crc, at: start)
    }

    private func writeWhole(_ key: ObjectKey) throws {
        let start = output.position
        let bytes: [UInt8]? = try repository.withObject(key) { kind, bytes in
            guard bytes.count <= Self.wholeBytesMax else {
                throw GitError.damaged(
                    file: repository.path,
                    fact: "the object \(key.object) has \(bytes.count) bytes"
                )
            }
            return try Self.entry(kind, bytes)
        }
        guard let bytes else {
            throw GitError.objectMissing(
                key.object,
                what: "a kept object",
                repository: repository.path
            )
        }
        try output.append(bytes)
        note(key, crc: crc(0, bytes), at: start)
    }

    /// Returns the bytes of a pack's entry for an object.
    ///
    /// Folders and commits are compressed; pictures do not compress.
    private static func entry(
        _ kind: GitObjectKind,
        _ bytes: UnsafeRawBufferPointer
    ) throws -> [UInt8] {
        guard let packed = PackFormat.Kind(rawValue: kind.rawValue) else {
            throw GitError.git(doing: "pack an object", reason: "its kind is unknown")
        }
        let head = PackFormat.entryHead(packed, bytes: bytes.count)
        if packed != .blob {
            let capacity = farm_pack_deflate_bound(bytes.count)
            let stream = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                count = farm_pack_deflate(
                    bytes.baseAddress,
                    bytes.count,
                    buffer.baseAddress,
                    capacity
                )
            }
            if !stream.isEmpty { return head + stream }
        }
        var stream = Data()
        appendStoredStream(of: Data(bytes), to: &stream)
        return head + stream
    }

    private func note(_ key: ObjectKey, crc: UInt32, at offset: Int) {
        written.append(PackedEntry(key: key, crc: crc, offset: offset))
        offsets[key] = offset
    }

    private func crc(_ crc: UInt32, _ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { crc32(crc, $0) }
    }

    private func crc32(_ crc: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        farm_pack_crc32(crc, bytes.baseAddress, bytes.count)
    }

    private func damaged(_ file: InputFile, _ entry: PackedEntry) -> GitError {
        .damaged(
            file: file.path,
            fact: "the object \(entry.key.object) at \(entry.offset) is damaged"
        )
    }
}
