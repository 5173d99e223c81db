// The central directory of a zip from elsewhere: found from the end, read as a whole, and checked
// before any file of the archive is read.
import FarmCore
import Foundation

/// A reader of little-endian fields, one after the other.
///
/// A read beyond the end returns zeros and sets `isShort`.
struct ZipFields {
    private var bytes: ArraySlice<UInt8>
    private(set) var isShort = false

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    mutating func take16() -> UInt16 { UInt16(truncatingIfNeeded: take(2)) }
    mutating func take32() -> UInt32 { UInt32(truncatingIfNeeded: take(4)) }
    mutating func take64() -> UInt64 { take(8) }
    mutating func skip(_ count: Int) { _ = slice(count) }

    mutating func slice(_ count: Int) -> ArraySlice<UInt8> {
        if count > bytes.count { isShort = true }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    private mutating func take(_ count: Int) -> UInt64 {
        slice(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Reads and checks the central directory of one archive.
struct ZipDirectory {
    let file: ZipFile

    private static let ones16 = 0xFFFF
    private static let ones32 = 0xFFFF_FFFF

    private struct Location {
        var count: Int
        /// The range of the directory's bytes in the file.
        var range: Range<Int>
    }

    /// The fields of one central header; only its offsets are checked, against the archive's size.
    private struct Header {
        var path: String
        var name: [UInt8]
        var method: UInt16
        var crc32: UInt32
        var packedSize: Int
        var size: Int
        var offset: Int

        /// The least position at which the entry can end in the archive.
        var end: Int { offset + 30 + name.count + packedSize }
    }

    func entries() throws -> [ZipReader.Entry] {
        let location = try locate()
        guard location.count <= FarmLimits.archiveEntriesMax else {
            throw tooLarge("the files are", location.count, FarmLimits.archiveEntriesMax)
        }
        guard location.range.count <= FarmLimits.archiveDirectoryBytesMax else {
            throw tooLarge(
                "the bytes of the directory are",
                location.range.count,
                FarmLimits.archiveDirectoryBytesMax
            )
        }
        var fields = ZipFields(try file.bytes(location.range)[...])
        var headers: [Header] = []
        var unpacked = 0
        for _ in 0..<location.count {
            guard let header = try header(&fields, before: location.range.lowerBound) else {
                continue
            }
            unpacked += header.size
            guard unpacked <= FarmLimits.archiveBytesMax else {
                throw tooLarge("the unpacked bytes are", unpacked, FarmLimits.archiveBytesMax)
            }
            headers.append(header)
        }
        guard fields.count == 0, !fields.isShort else {
            throw malformed("its directory has another size than it says")
        }
        return try placed(headers, before: location.range.lowerBound)
    }

    // MARK: the end of the archive

    private func locate() throws -> Location {
        let tailCount = min(file.size, 22 + Self.ones16)
        let start = file.size - tailCount
        let tail = try file.bytes(start..<file.size)
        guard let index = endRecord(in: tail) else { throw malformed("it has no end record") }
        var fields = ZipFields(tail[(index + 4)...])
        let disks = [fields.take16(), fields.take16()]
        let counts = [Int(fields.take16()), Int(fields.take16())]
        let size = Int(fields.take32())
        let offset = Int(fields.take32())
        let end = start + index
        if counts.contains(Self.ones16) || size == Self.ones32 || offset == Self.ones32,
            let large = try locateLarge(before: end)
        {
            return large
        }
        guard disks == [0, 0], counts[0] == counts[1] else {
            throw malformed("it is one part of several")
        }
        return try location(count: counts[1], offset: UInt64(offset), size: UInt64(size), end: end)
    }

    /// Returns the index in `tail` of the end record whose comment ends the file, or `nil` if there
    /// is none.
    private func endRecord(in tail: [UInt8]) -> Int? {
        guard tail.count >= 22 else { return nil }
        for index in stride(from: tail.count - 22, through: 0, by: -1)
        where tail[index] == 0x50 && tail[index + 1] == 0x4B && tail[index + 2] == 5
            && tail[index + 3] == 6
        {
            let comment = Int(tail[index + 20]) | Int(tail[index + 21]) << 8
            if index + 22 + comment == tail.count { return index }
        }
        return nil
    }

    /// Returns the directory's location by the zip64 end record, or `nil` if there is none and the
    /// 32-bit numbers count.
    private func locateLarge(before end: Int) throws -> Location? {
        guard end >= 20 + 56 else { return nil }
        var locator = ZipFields(try file.bytes(end - 20..<end)[...])
        guard locator.take32() == 0x0706_4B50 else { return nil }
        locator.skip(4)
        guard let offset = Int(exactly: locator.take64()), offset <= end - 20 - 56 else {
            throw malformed("its zip64 end record is not where it says")
        }
        var fields = ZipFields(try file.bytes(offset..<offset + 56)[...])
        guard fields.take32() == 0x0606_4B50 else {
            throw malformed("its zip64 end record is not where it says")
        }
        fields.skip(12)
        let disks = [fields.take32(), fields.take32()]
        let counts = [fields.take64(), fields.take64()]
        guard disks == [0, 0], counts[0] == counts[1], let count = Int(exactly: counts[1]) else {
            throw malformed("it is one part of several")
        }
        let size = fields.take64()
        return try location(count: count, offset: fields.take64(), size: size, end: offset)
    }

    private func location(
        count: Int,
        offset: UInt64,
        size: UInt64,
        end: Int
    ) throws -> Location {
        guard let offset = Int(exactly: offset), let size = Int(exactly: size), offset <= end,
            size <= end - offset
        else { throw malformed("its directory lies outside of it") }
        return Location(count: count, range: offset..<offset + size)
    }

    // MARK: one header

    /// Reads one central header; returns `nil` for a folder.
    private func header(_ fields: inout ZipFields, before limit: Int) throws -> Header? {
        guard fields.take32() == 0x0201_4B50 else {
            throw malformed("its directory is damaged")
        }
        let madeBy = fields.take16()
        fields.skip(2)
        let flags = fields.take16()
        let method = fields.take16()
        fields.skip(4)
        let crc32 = fields.take32()
        let packed = fields.take32()
        let size = fields.take32()
        let counts = (Int(fields.take16()), Int(fields.take16()), Int(fields.take16()))
        fields.skip(4)
        let attributes = fields.take32()
        let offset = fields.take32()
        let name = Array(fields.slice(counts.0))
        let extra = fields.slice(counts.1)
        fields.skip(counts.2)
        guard !fields.isShort else { throw malformed("its directory is cut off") }

        let path = try safePath(name)
        let isFolder = name.last == UInt8(ascii: "/")
        try checkKind(path, isFolder: isFolder, madeBy: madeBy, attributes: attributes)
        let sizes = try wide(size: size, packed: packed, offset: offset, extra, path)
        let header = Header(
            path: path,
            name: name,
            method: method,
            crc32: crc32,
            packedSize: sizes.packed,
            size: sizes.size,
            offset: sizes.offset
        )
        guard header.end <= limit else { throw malformed("a file lies outside of it") }
        if isFolder { return nil }
        try checkMethod(header, flags: flags)
        return header
    }

    private func safePath(_ name: [UInt8]) throws -> String {
        guard let text = String(validating: name, as: UTF8.self) else {
            throw unsafe(String(decoding: name, as: UTF8.self), "is not UTF-8")
        }
        let normal = text.precomposedStringWithCanonicalMapping
        let file = normal.hasSuffix("/") ? String(normal.dropLast()) : normal
        guard ZipPaths.isSafe(file) else {
            throw unsafe(normal, "is not a safe relative path")
        }
        return file
    }

    private func checkKind(
        _ path: String,
        isFolder: Bool,
        madeBy: UInt16,
        attributes: UInt32
    ) throws {
        // Modes count only from a Unix or macOS program (APPNOTE 4.4.2).
        guard madeBy >> 8 == 3 || madeBy >> 8 == 19 else { return }
        let kind = mode_t(truncatingIfNeeded: attributes >> 16) & S_IFMT
        guard kind == 0 || kind == (isFolder ? S_IFDIR : S_IFREG) else {
            throw unsafe(path, "is a link or a special file")
        }
    }

    private func checkMethod(_ header: Header, flags: UInt16) throws {
        guard flags & 1 == 0, flags & 1 << 13 == 0 else {
            throw unsupported(header, "is encrypted")
        }
        guard header.method == 0 || header.method == 8 else {
            throw unsupported(header, "is packed by method \(header.method)")
        }
        guard header.method == 8 || header.size == header.packedSize else {
            throw malformed("a stored file has two sizes")
        }
    }

    /// Returns sizes and offset of a header: its 32-bit numbers, each replaced by that of the zip64
    /// field if it is all ones.
    private func wide(
        size: UInt32,
        packed: UInt32,
        offset: UInt32,
        _ extra: ArraySlice<UInt8>,
        _ path: String
    ) throws -> (size: Int, packed: Int, offset: Int) {
        var large = largeField(extra)
        func value(_ narrow: UInt32) throws -> Int {
            guard narrow == UInt32(Self.ones32), large != nil else { return Int(narrow) }
            let wide = large?.take64() ?? 0
            // Far beyond any archive, but the sum of two must not overflow.
            guard large?.isShort == false, wide < UInt64(1) << 60 else {
                throw malformed("a zip64 field is cut off")
            }
            return Int(wide)
        }
        let sizes = (try value(size), try value(packed), try value(offset))
        return (sizes.0, sizes.1, sizes.2)
    }

    private func largeField(_ extra: ArraySlice<UInt8>) -> ZipFields? {
        var fields = ZipFields(extra)
        while fields.count >= 4 {
            let id = fields.take16()
            let body = fields.slice(Int(fields.take16()))
            if id == 1 { return ZipFields(body) }
        }
        return nil
    }

    // MARK: overlapping entries

    private func placed(_ headers: [Header], before limit: Int) throws -> [ZipReader.Entry] {
        let order = headers.indices.sorted { headers[$0].offset < headers[$1].offset }
        var ends = [Int](repeating: limit, count: headers.count)
        for (index, next) in zip(order, order.dropFirst()) {
            ends[index] = headers[next].offset
            guard headers[index].end <= ends[index] else {
                throw unsafe(headers[next].path, "shares bytes with another file")
            }
        }
        return zip(headers, ends).map { header, end in
            ZipReader.Entry(
                path: header.path,
                size: header.size,
                packedSize: header.packedSize,
                method: header.method,
                crc32: header.crc32,
                name: header.name,
                place: header.offset..<end
            )
        }
    }

    // MARK: refusals

    private func malformed(_ fact: String) -> ZipReadError {
        .malformed(path: file.path, fact: fact)
    }

    private func unsafe(_ entry: String, _ fact: String) -> ZipReadError {
        .unsafeEntry(path: file.path, entry: entry, fact: fact)
    }

    private func unsupported(_ header: Header, _ fact: String) -> ZipReadError {
        .unsupported(path: file.path, entry: header.path, fact: fact)
    }

    private func tooLarge(_ what: String, _ count: Int, _ countMax: Int) -> ZipReadError {
        .tooLarge(path: file.path, what: what, count: count, countMax: countMax)
    }
}
