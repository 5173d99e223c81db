// Reads a zip from elsewhere (PKWARE APPNOTE 6.3.10) without unpacking it: stored and deflated
// files, zip64, names in UTF-8. All its fields are claims to be checked.
//
// Invariants
//   - No byte belongs to two entries, so that few bytes never unpack into a huge file twice.
//   - No more memory is used than the caller allows and the packed bytes can really hold.
//   - Bytes are passed on only if their size and CRC match the directory.
import FarmCore
import FarmFiles
import Foundation

/// An open zip archive; may be read from many threads at once.
package final class ZipReader: Sendable {
    /// A file of the archive, as the directory describes it.
    package struct Entry: Hashable, Sendable {
        /// The path of the file, safe and relative, in NFC: archivers of macOS write decomposed
        /// names.
        package let path: String
        /// The size of the unpacked file in bytes, by the directory.
        package let size: Int
        let packedSize: Int
        /// The compression method: 0 stored, 8 deflated.
        let method: UInt16
        let crc32: UInt32
        /// The bytes of the file's name in the archive.
        let name: [UInt8]
        /// The range of the archive's bytes from the file's local header to the start of the next
        /// one.
        let place: Range<Int>
    }

    /// The files of the archive, in the order of the directory; folders are left out.
    package let entries: [Entry]
    private let byPath: [String: Int]
    let file: ZipFile

    /// The most bytes that unpacking makes of one packed byte: 258 from each 2 bits (RFC 1951),
    /// 1032 from a byte.
    private static let expansionMax = 1_032
    private static let chunkBytes = 1 << 20

    /// Opens an archive and checks its whole directory.
    ///
    /// - Throws: `ZipReadError`, and `ArtifactError` if the disk fails.
    package init(fileAt path: String) throws {
        file = try ZipFile(path)
        entries = try ZipDirectory(file: file).entries()
        var byPath: [String: Int] = [:]
        for (index, entry) in entries.enumerated() {
            guard byPath.updateValue(index, forKey: entry.path) == nil else {
                throw ZipReadError.unsafeEntry(
                    path: path,
                    entry: entry.path,
                    fact: "is there twice"
                )
            }
        }
        self.byPath = byPath
    }

    /// The path of the archive, as the caller gave it.
    package var path: String { file.path }

    /// Returns the file of the archive at a path, or `nil` if there is none.
    package func entry(_ path: String) -> Entry? { byPath[path].map { entries[$0] } }

    /// Returns all bytes of an unpacked file, with its size and CRC checked.
    ///
    /// - Throws: `ZipReadError.tooLarge` beyond `bytesMax`, before anything is unpacked.
    package func read(_ entry: Entry, bytesMax: Int) throws -> Data {
        var data = Data()
        try forEachChunk(of: entry, bytesMax: bytesMax) { data.append(contentsOf: $0) }
        return data
    }

    /// Unpacks one file of the archive to a path, in place of any file there, in one step.
    package func extract(_ entry: Entry, toFileAt target: String, bytesMax: Int) throws {
        let copy = try Posix.newFile(target + ".")
        do {
            try forEachChunk(of: entry, bytesMax: bytesMax) { chunk in
                try Posix.durably { () throws(FileFailure) in try copy.append(chunk) }
            }
            try Posix.durably { () throws(FileFailure) in try copy.settle(at: target) }
        } catch {
            copy.discard()
            throw error
        }
    }

    /// Passes the unpacked bytes of a file to `body` in order, then checks their size and CRC;
    /// until it returns, the bytes are unproven.
    func forEachChunk(
        of entry: Entry,
        bytesMax: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard entry.size <= bytesMax else {
            throw ZipReadError.tooLarge(
                path: path,
                what: "the bytes of \(entry.path.prefix(200).debugDescription) are",
                count: entry.size,
                countMax: bytesMax
            )
        }
        guard entry.size / Self.expansionMax <= entry.packedSize else {
            throw damaged(entry, "claims more bytes than it can hold")
        }
        var sum: UInt32 = 0
        var count = 0
        let take: (UnsafeRawBufferPointer) throws -> Void = { chunk in
            count += chunk.count
            guard count <= entry.size else {
                throw self.damaged(entry, "unpacks to more than its \(entry.size) bytes")
            }
            sum = Deflate.crc32(chunk, after: sum)
            try body(chunk)
        }
        let data = try dataRange(of: entry)
        if entry.method == 0 {
            try forEachStored(in: data, take)
        } else {
            try inflate(data, of: entry, take)
        }
        guard count == entry.size else {
            throw damaged(entry, "unpacks to \(count) bytes instead of \(entry.size)")
        }
        guard sum == entry.crc32 else { throw damaged(entry, "does not match its checksum") }
    }

    func forEachStored(
        in range: Range<Int>,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var at = range.lowerBound
        while at < range.upperBound {
            let next = min(at + Self.chunkBytes, range.upperBound)
            try file.bytes(at..<next).withUnsafeBytes { try body($0) }
            at = next
        }
    }

    private func inflate(
        _ range: Range<Int>,
        of entry: Entry,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let stream = try Inflater()
        var at = range.lowerBound
        while at < range.upperBound, !stream.isAtEnd {
            let next = min(at + Self.chunkBytes, range.upperBound)
            let packed = try file.bytes(at..<next)
            let used = try stream.feed(packed, body)
            guard let used else { throw damaged(entry, "is not a deflated file") }
            at += used
        }
        guard stream.isAtEnd, at == range.upperBound else {
            throw damaged(entry, "does not end where the directory says")
        }
    }

    /// Returns the range of a file's packed bytes; checks that the local header agrees with the
    /// directory.
    func dataRange(of entry: Entry) throws -> Range<Int> {
        let start = entry.place.lowerBound
        let header = try file.bytes(start..<start + 30)
        var fields = ZipFields(header[...])
        guard fields.take32() == 0x0403_4B50 else {
            throw damaged(entry, "has no header of its own")
        }
        fields.skip(4)
        let method = fields.take16()
        fields.skip(16)
        let nameCount = Int(fields.take16())
        let extraCount = Int(fields.take16())
        let name = start + 30..<start + 30 + nameCount
        let data = name.upperBound + extraCount
        guard method == entry.method, nameCount == entry.name.count,
            data + entry.packedSize <= entry.place.upperBound,
            try file.bytes(name) == entry.name
        else { throw damaged(entry, "has two headers that disagree") }
        return data..<data + entry.packedSize
    }

    private func damaged(_ entry: Entry, _ fact: String) -> ZipReadError {
        .damaged(path: path, entry: entry.path, fact: fact)
    }
}
