// Writes one pack of chosen objects. An entry that stands whole in an old pack is copied as it is,
// after its CRC-32 was checked against the index: nothing is inflated or hashed again. A delta is
// copied too where its base was written before it, and only its distance is new; the other deltas
// and loose objects are written whole.
//
// The pack and its index are complete and on the disk before either gets its name.
import CFarmShims
import CGit2
import FarmCore
import Foundation

/// A pack that has its name.
struct WrittenPack {
    /// Path without `.pack`.
    var base: String
    /// Of the pack and its index.
    var bytes: Int
    var count: Int
}

final class PackFilter {
    /// Bytes of one object that is read whole: four times the largest picture.
    private static let wholeBytesMax = FarmLimits.pictureBytesMax * 4

    private let table: ObjectTable
    private let repository: GitRepository
    private let before: (PruneStep) throws -> Void
    private let output: HashedFile
    private var written: [PackedEntry] = []
    private var offsets: [ObjectKey: Int] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: pruneBufferBytes,
        alignment: 16
    )

    /// Writes the objects into the folder `pack`; those not in `table` are in an alternate.
    static func write(
        _ keys: [ObjectKey],
        from table: ObjectTable,
        of repository: GitRepository,
        into pack: String,
        before: @escaping (PruneStep) throws -> Void
    ) throws -> WrittenPack {
        try before(.startPack)
        let filter = try PackFilter(table, repository, into: pack, before)
        do {
            return try filter.write(keys, into: pack)
        } catch let error as any ExplainedError {
            // A full disk gets its bytes back at once; after a crash the next prune does this.
            unlink(filter.output.path)
            throw error
        }
    }

    private init(
        _ table: ObjectTable,
        _ repository: GitRepository,
        into pack: String,
        _ before: @escaping (PruneStep) throws -> Void
    ) throws {
        self.table = table
        self.repository = repository
        self.before = before
        output = try HashedFile(template: pack + "/" + Leftovers.packPrefix + "XXXXXX")
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
        let index = try HashedFile(template: pack + "/" + Leftovers.indexPrefix + "XXXXXX")
        try PackIndex.write(written, pack: digest, to: index)
        let name = digest.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        let base = pack + "/pack-" + name
        try before(.revealPack)
        guard rename(output.path, base + ".pack") == 0 else {
            throw systemError("name the pack \(base).pack")
        }
        try before(.revealIndex)
        guard rename(index.path, base + ".idx") == 0 else {
            throw systemError("name the index \(base).idx")
        }
        try before(.flushFolder)
        try flushFolder(pack)
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
                throw PruneError.damaged(
                    file: repository.path,
                    fact: "the object \(key.object) has \(bytes.count) bytes"
                )
            }
            return try Self.entry(kind, bytes)
        }
        guard let bytes else {
            throw PruneError.objectMissing(key.object, store: repository.path)
        }
        try output.append(bytes)
        note(key, crc: crc(0, bytes), at: start)
    }

    /// Pictures do not compress; folders and commits do.
    private static func entry(
        _ kind: git_object_t,
        _ bytes: UnsafeRawBufferPointer
    ) throws -> [UInt8] {
        guard let packed = PackFormat.Kind(rawValue: UInt8(clamping: kind.rawValue)) else {
            throw ReferenceStoreError.git(doing: "pack an object", reason: "its kind is unknown")
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

    private func damaged(_ file: InputFile, _ entry: PackedEntry) -> PruneError {
        .damaged(
            file: file.path,
            fact: "the object \(entry.key.object) at \(entry.offset) is damaged"
        )
    }
}
