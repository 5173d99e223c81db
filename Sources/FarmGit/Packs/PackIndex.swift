// Git's pack index, version 2 (gitformat-pack): a fan-out table of 256 counts; then, for all
// objects sorted by id, the ids, the CRC-32 of their entries, and their offsets. Offsets of 2 GiB
// and more are in a table of 64-bit numbers. At the end are the pack's SHA-1 and the index's own.
import FarmCore
import Foundation

/// An object of a pack.
package struct PackedEntry {
    package var key: ObjectKey
    /// The CRC-32 of the entry's bytes in the pack.
    package var crc: UInt32
    /// The offset in the pack at which the entry starts, in bytes.
    package var offset: Int
}

/// Reads and writes the indexes of packs.
package enum PackIndex {
    private static let magic: [UInt8] = [0xFF, 0x74, 0x4F, 0x63, 0, 0, 0, 2]
    private static let headBytes = 8 + 256 * 4
    private static let tailBytes = 40
    /// The smallest offset that is stored in the table of 64-bit numbers.
    private static let wideOffsetMin = 1 << 31

    /// Returns the entries of an index, in the order of the pack; `packBytes` bounds their offsets.
    package static func read(_ path: String, packBytes: Int) throws -> [PackedEntry] {
        let file = try InputFile(path)
        // Read whole: 32 bytes for each object of one pack.
        let bytes = try [UInt8](unsafeUninitializedCapacity: file.bytes) { buffer, count in
            try file.read(UnsafeMutableRawBufferPointer(buffer), at: 0)
            count = file.bytes
        }
        let found = try bytes.withUnsafeBytes { raw in
            try entries(raw, path: path, packBytes: packBytes)
        }
        return found.sorted { $0.offset < $1.offset }
    }

    private static func entries(
        _ bytes: UnsafeRawBufferPointer,
        path: String,
        packBytes: Int
    ) throws -> [PackedEntry] {
        guard bytes.count >= headBytes + tailBytes, bytes.prefix(8).elementsEqual(magic) else {
            throw GitError.damaged(file: path, fact: "it is not a pack index of version 2")
        }
        let count = Int(number(bytes, at: headBytes - 4))
        let crcs = headBytes + count * ObjectKey.byteCount
        let offsets = crcs + count * 4
        let wide = offsets + count * 4
        let wideCount = (bytes.count - tailBytes - wide) / 8
        guard wide + tailBytes <= bytes.count,
            wide + wideCount * 8 + tailBytes == bytes.count
        else { throw GitError.damaged(file: path, fact: "it has a wrong size") }
        var entries: [PackedEntry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            var offset = Int(number(bytes, at: offsets + index * 4))
            if offset >= wideOffsetMin {
                let place = offset - wideOffsetMin
                guard place < wideCount else {
                    throw GitError.damaged(file: path, fact: "an offset is missing")
                }
                let value: UInt64 = bytes.loadUnaligned(
                    fromByteOffset: wide + place * 8,
                    as: UInt64.self
                )
                offset = Int(clamping: UInt64(bigEndian: value))
            }
            guard offset >= PackFormat.headBytes, offset < packBytes - PackFormat.tailBytes else {
                throw GitError.damaged(
                    file: path,
                    fact: "the offset \(offset) is not in the pack"
                )
            }
            entries.append(
                PackedEntry(
                    key: ObjectKey(bytes, at: headBytes + index * ObjectKey.byteCount),
                    crc: number(bytes, at: crcs + index * 4),
                    offset: offset
                )
            )
        }
        return entries
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Writes the index of a pack to a new file, durably.
    package static func write(_ entries: [PackedEntry], pack digest: [UInt8], to file: HashedFile)
        throws
    {
        let sorted = entries.sorted { $0.key < $1.key }
        var bytes = magic
        var counts = [Int](repeating: 0, count: 256)
        for entry in sorted { counts[Int(entry.key.firstByte)] += 1 }
        var total = 0
        for count in counts {
            total += count
            bytes += PackFormat.bigEndian(UInt32(total))
        }
        for entry in sorted { bytes += entry.key.bytes }
        for entry in sorted { bytes += PackFormat.bigEndian(entry.crc) }
        var wide: [UInt8] = []
        for entry in sorted {
            if entry.offset < wideOffsetMin {
                bytes += PackFormat.bigEndian(UInt32(entry.offset))
            } else {
                bytes += PackFormat.bigEndian(UInt32(wideOffsetMin + wide.count / 8))
                withUnsafeBytes(of: UInt64(entry.offset).bigEndian) { wide += $0 }
            }
        }
        try file.append(bytes + wide + digest)
        _ = try file.finish()
    }
}

/// The format of a pack (gitformat-pack).
package enum PackFormat {
    package static let headBytes = 12
    package static let tailBytes = 20

    package enum Kind: UInt8 {
        case commit = 1
        case tree = 2
        case blob = 3
        case tag = 4
        case offsetDelta = 6
        case referenceDelta = 7
    }

    package static func head(count: Int) -> [UInt8] {
        Array("PACK".utf8) + bigEndian(2) + bigEndian(UInt32(count))
    }

    package static func bigEndian(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Encodes kind and size: four bits of the size, then seven bits at a time, lowest first.
    package static func entryHead(_ kind: Kind, bytes: Int) -> [UInt8] {
        var rest = bytes >> 4
        var head = [kind.rawValue << 4 | UInt8(bytes & 15) | (rest > 0 ? 0x80 : 0)]
        while rest > 0 {
            let low = UInt8(rest & 127)
            rest >>= 7
            head.append(low | (rest > 0 ? 0x80 : 0))
        }
        return head
    }

    /// Encodes the distance back to a delta's base: seven bits at a time, highest first.
    ///
    /// Each later byte adds an offset of one, so that no distance has two encodings.
    package static func distance(_ value: Int) -> [UInt8] {
        var bytes = [UInt8(value & 127)]
        var rest = value >> 7
        while rest > 0 {
            rest -= 1
            bytes.insert(UInt8(rest & 127) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}

/// The part of a pack's entry before its zlib stream.
package struct EntryHead {
    package var kind: PackFormat.Kind
    /// The number of bytes that encode kind and size, without the delta's base.
    package var sizeBytes: Int
    /// The number of all bytes before the zlib stream.
    package var bytes: Int
    /// The offset of the delta's base, or `nil` if this is not an offset delta.
    package var baseOffset: Int?
    /// The id of the delta's base, or `nil` if this is not a reference delta.
    package var base: ObjectKey?

    /// Parses the head of the entry at `offset`; returns `nil` if the bytes are not one.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let first = bytes.first, let kind = PackFormat.Kind(rawValue: first >> 4 & 7) else {
            return nil
        }
        var place = 1
        while bytes[place - 1] & 0x80 != 0 {
            guard place < min(bytes.count, 10) else { return nil }
            place += 1
        }
        self.kind = kind
        sizeBytes = place
        switch kind {
        case .offsetDelta:
            guard place < bytes.count else { return nil }
            var distance = Int(bytes[place] & 127)
            while bytes[place] & 0x80 != 0 {
                place += 1
                guard place < min(bytes.count, sizeBytes + 9) else { return nil }
                distance = (distance + 1) << 7 | Int(bytes[place] & 127)
            }
            place += 1
            guard distance > 0, distance < offset else { return nil }
            baseOffset = offset - distance
        case .referenceDelta:
            guard place + ObjectKey.byteCount <= bytes.count else { return nil }
            base = ObjectKey(bytes, at: place)
            place += ObjectKey.byteCount
        case .commit, .tree, .blob, .tag: break
        }
        self.bytes = place
    }
}
