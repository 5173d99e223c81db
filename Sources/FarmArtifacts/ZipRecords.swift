// The records of a zip as bytes. A number that does not fit its 32 or 16 bits is written as all
// ones and again, in full, in a zip64 record (APPNOTE 4.5.3, 4.3.14).

enum ZipRecords {
    /// The date of every entry: 1980-01-01, the first day of the format (months and days start at
    /// 1).
    private static let date: UInt16 = 1 << 5 | 1
    private static let time: UInt16 = 0
    /// The flags of every entry: bit 11 means that names are UTF-8.
    private static let flags: UInt16 = 1 << 11
    private static let ones32 = 0xFFFF_FFFF
    private static let ones16 = 0xFFFF
    /// The program that made the archive: version 6.3 for UTF-8 names, on Unix, so that readers use
    /// the file modes.
    private static let madeBy: UInt16 = 3 << 8 | 63
    /// The file mode of every entry: a regular file, rw-r--r--.
    private static let attributes: UInt32 = 0o100644 << 16

    static func localSize(_ entry: ZipEntry) -> Int {
        30 + entry.path.utf8.count + (isLarge(entry) ? 20 : 0)
    }

    static func centralSize(_ entry: ZipEntry, offset: Int) -> Int {
        let extra = (isLarge(entry) ? 16 : 0) + (offset >= ones32 ? 8 : 0)
        return 46 + entry.path.utf8.count + (extra > 0 ? extra + 4 : 0)
    }

    static func local(_ entry: ZipEntry) -> [UInt8] {
        var record = Record()
        record.put(UInt32(0x0403_4B50))
        record.put(needed(isLarge(entry)))
        putCommon(entry, into: &record)
        record.put(UInt16(isLarge(entry) ? 20 : 0))
        record.bytes += Array(entry.path.utf8)
        if isLarge(entry) { putLarge(entry, offset: nil, into: &record) }
        return record.bytes
    }

    static func central(_ entry: ZipEntry, offset: Int) -> [UInt8] {
        let farAway = offset >= ones32
        let extra = centralSize(entry, offset: offset) - 46 - entry.path.utf8.count
        var record = Record()
        record.put(UInt32(0x0201_4B50))
        record.put(madeBy)
        record.put(needed(extra > 0))
        putCommon(entry, into: &record)
        record.put(UInt16(extra))
        record.put(UInt16(0))  // comment
        record.put(UInt16(0))  // disk
        record.put(UInt16(0))  // internal attributes
        record.put(attributes)
        record.put(UInt32(min(offset, ones32)))
        record.bytes += Array(entry.path.utf8)
        if extra > 0 { putLarge(entry, offset: farAway ? offset : nil, into: &record) }
        return record.bytes
    }

    static func end(count: Int, central: Range<Int>) -> [UInt8] {
        var record = Record()
        if count >= ones16 || central.count >= ones32 || central.lowerBound >= ones32 {
            putZip64End(count: count, central: central, into: &record)
        }
        record.put(UInt32(0x0605_4B50))
        record.put(UInt16(0))  // this disk
        record.put(UInt16(0))  // disk of the central directory
        record.put(UInt16(min(count, ones16)))
        record.put(UInt16(min(count, ones16)))
        record.put(UInt32(min(central.count, ones32)))
        record.put(UInt32(min(central.lowerBound, ones32)))
        record.put(UInt16(0))  // comment
        return record.bytes
    }

    private static func isLarge(_ entry: ZipEntry) -> Bool {
        entry.size >= ones32 || entry.packedSize >= ones32
    }

    /// Returns the version of the zip format that a reader must support.
    private static func needed(_ zip64: Bool) -> UInt16 { zip64 ? 45 : 20 }

    /// Appends the fields that both headers of an entry share, from the flags to the length of the
    /// name.
    private static func putCommon(_ entry: ZipEntry, into record: inout Record) {
        record.put(flags)
        record.put(entry.method)
        record.put(time)
        record.put(date)
        record.put(entry.crc32)
        record.put(UInt32(isLarge(entry) ? ones32 : entry.packedSize))
        record.put(UInt32(isLarge(entry) ? ones32 : entry.size))
        record.put(UInt16(entry.path.utf8.count))
    }

    private static func putLarge(_ entry: ZipEntry, offset: Int?, into record: inout Record) {
        var numbers: [Int] = isLarge(entry) ? [entry.size, entry.packedSize] : []
        if let offset { numbers.append(offset) }
        record.put(UInt16(1))
        record.put(UInt16(numbers.count * 8))
        for number in numbers { record.put(UInt64(number)) }
    }

    private static func putZip64End(
        count: Int,
        central: Range<Int>,
        into record: inout Record
    ) {
        record.put(UInt32(0x0606_4B50))
        record.put(UInt64(44))  // bytes of this record after this number
        record.put(madeBy)
        record.put(needed(true))
        record.put(UInt32(0))  // this disk
        record.put(UInt32(0))  // disk of the central directory
        record.put(UInt64(count))
        record.put(UInt64(count))
        record.put(UInt64(central.count))
        record.put(UInt64(central.lowerBound))
        record.put(UInt32(0x0706_4B50))
        record.put(UInt32(0))  // disk of the zip64 end record
        record.put(UInt64(central.upperBound))
        record.put(UInt32(1))  // disks
    }

    /// Appends little-endian numbers, one after the other.
    private struct Record {
        var bytes: [UInt8] = []

        mutating func put(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
    }
}
