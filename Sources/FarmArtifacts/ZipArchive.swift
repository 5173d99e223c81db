// A zip as a computed view: the position of each byte follows from the entries alone. So its size
// is known before it is made, any range can be made by itself, and the same entries give the same
// bytes. Format: PKWARE APPNOTE 6.3.10; no data descriptors, UTF-8 names, times of 1980-01-01.
//
//   for each entry: local header, stored bytes     | in the order of the paths' bytes
//   for each entry: central header                 |
//   end record, before it the zip64 end record and locator if a number needs it
import FarmCore
import Foundation

/// A source of blobs that reads any range of their bytes.
package protocol BlobReading {
    /// Returns exactly the bytes of a range of a blob.
    func read(_ digest: Digest, in range: Range<Int>) throws(ArtifactError) -> [UInt8]
}

/// A piece of an archive: bytes, or a range of a blob.
package enum ZipPiece: Hashable, Sendable {
    case bytes([UInt8])
    case blob(Digest, Range<Int>)
}

/// A zip archive of named files, whose bytes are computed when they are read.
package struct ZipArchive: Sendable {
    /// The files of the archive, in its order.
    package let entries: [ZipEntry]
    /// The size of the whole archive, in bytes.
    package let size: Int
    /// The position of each entry's local header, in bytes.
    private let offsets: [Int]
    /// The position of each entry's central header, in bytes.
    private let centralOffsets: [Int]
    private let centralEnd: Int
    private let centralStart: Int

    /// Makes an archive of files and computes the position of each.
    ///
    /// - Throws: `ArtifactError` for a path that is absolute, leaves the archive, occurs twice, or
    ///   is also the folder of another.
    package init(_ files: [ZipEntry]) throws(ArtifactError) {
        let entries = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        try ZipPaths.check(entries.map(\.path))
        var at = 0
        var offsets: [Int] = []
        for entry in entries {
            offsets.append(at)
            at += ZipRecords.localSize(entry) + entry.packedSize
        }
        self.centralStart = at
        var centralOffsets: [Int] = []
        for (entry, offset) in zip(entries, offsets) {
            centralOffsets.append(at)
            at += ZipRecords.centralSize(entry, offset: offset)
        }
        self.entries = entries
        self.offsets = offsets
        self.centralOffsets = centralOffsets
        self.centralEnd = at
        self.size =
            at
            + ZipRecords.end(count: entries.count, central: centralStart..<centralEnd).count
    }

    /// Passes the pieces of a range of the archive to `body` in order.
    ///
    /// - Precondition: the range lies within `0..<size`.
    package func forEachPiece(
        in range: Range<Int>,
        _ body: (ZipPiece) throws(ArtifactError) -> Void
    ) throws(ArtifactError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= size, "a range of the archive")
        for index in Self.indices(of: offsets, from: range.lowerBound) {
            guard offsets[index] < range.upperBound else { break }
            let header = ZipRecords.local(entries[index])
            try emit(header, at: offsets[index], in: range, body)
            try emit(entries[index], at: offsets[index] + header.count, in: range, body)
        }
        for index in Self.indices(of: centralOffsets, from: range.lowerBound) {
            guard centralOffsets[index] < range.upperBound else { break }
            let header = ZipRecords.central(entries[index], offset: offsets[index])
            try emit(header, at: centralOffsets[index], in: range, body)
        }
        let end = ZipRecords.end(count: entries.count, central: centralStart..<centralEnd)
        try emit(end, at: centralEnd, in: range, body)
    }

    /// Returns the bytes of a range of the archive, for callers that may not block a thread.
    ///
    /// - Precondition: the range lies within `0..<size`.
    package func bytes(in range: Range<Int>, from blobs: any BlobKeeping) async throws -> [UInt8] {
        var pieces: [ZipPiece] = []
        try forEachPiece(in: range) { piece throws(ArtifactError) in pieces.append(piece) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for piece in pieces {
            switch piece {
            case .bytes(let text): bytes += text
            case .blob(let digest, let part): bytes += try await blobs.read(digest, in: part)
            }
        }
        return bytes
    }

    /// Returns the indices of `starts` from the last one at or before `position` to the end.
    private static func indices(of starts: [Int], from position: Int) -> Range<Int> {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, 0)..<starts.count
    }

    private func emit(
        _ entry: ZipEntry,
        at start: Int,
        in range: Range<Int>,
        _ body: (ZipPiece) throws(ArtifactError) -> Void
    ) throws(ArtifactError) {
        switch entry.source {
        case .inline(let bytes): try emit(bytes, at: start, in: range, body)
        case .blob(let digest):
            let wanted = range.clamped(to: start..<start + entry.packedSize)
            guard !wanted.isEmpty else { return }
            try body(.blob(digest, wanted.lowerBound - start..<wanted.upperBound - start))
        }
    }

    private func emit(
        _ bytes: [UInt8],
        at start: Int,
        in range: Range<Int>,
        _ body: (ZipPiece) throws(ArtifactError) -> Void
    ) throws(ArtifactError) {
        let wanted = range.clamped(to: start..<start + bytes.count)
        guard !wanted.isEmpty else { return }
        if wanted.count == bytes.count { return try body(.bytes(bytes)) }
        try body(.bytes(Array(bytes[wanted.lowerBound - start..<wanted.upperBound - start])))
    }
}
