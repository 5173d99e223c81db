// Thumbnails by the digest of their picture: `<folder>/<version>/ab/<hex>.png`.
//
// Invariants
//   - A thumbnail is a view: it is made from the picture's own bytes, may be removed at any time,
//     and only pages for people show it.
//   - A file gets its name when it is complete. One that a power cut emptied is made again.
//   - The folder never keeps much more than its limit; the oldest go first.
import FarmCore
import FarmFiles
import Foundation
import Synchronization

/// A folder of thumbnails; safe for many threads and processes at once.
package final class Thumbnails: Sendable {
    /// The version of the thumbnails, raised when the same picture gets another one than before.
    private static let version = "1"
    /// The most thumbnails that one process makes at once, each of another picture.
    private static let turnsMax = 8
    /// The last bytes of every PNG: the chunk IEND with its checksum.
    private static let ending: [UInt8] = [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
    /// The most bytes of one thumbnail: those of its pixels, and a little more.
    private static let thumbnailBytesMax = 1 << 20
    /// The share of the folder's limit that remains after a removal, so that not every new picture
    /// causes one.
    private static let keptShare = 0.9

    private let folder: String
    private let bytesMax: Int
    private let make: @Sendable (Data) throws -> Data
    private let turns = (0..<turnsMax).map { _ in NSLock() }
    /// The bytes of all thumbnails: those at the last count and those added since, or `nil` before
    /// the first count.
    private let bytes = Mutex<Int?>(nil)

    /// Makes the folder of thumbnails; `make` returns the PNG of a picture's thumbnail, or throws
    /// the picture's fault.
    package init(
        folder: String,
        bytesMax: Int = FarmLimits.thumbnailsBytesMax,
        make: @escaping @Sendable (Data) throws -> Data
    ) throws(ArtifactError) {
        self.folder = folder + "/" + Self.version
        self.bytesMax = bytesMax
        self.make = make
        try Posix.makeFolders(self.folder)
    }

    /// Returns the thumbnail of a picture; calls `read` for the picture if there is no thumbnail
    /// yet.
    ///
    /// Blocks while it makes one.
    ///
    /// - Throws: `ArtifactError.mismatch` if `read` returns other bytes than the digest's, and the
    ///   errors of `read` and `make`; no file is kept then.
    package func png(of digest: Digest, reading read: () throws -> Data) throws -> Data {
        if let kept = kept(digest) { return kept }
        let turn = turns[Int(digest.hex.utf8.first ?? 0) % turns.count]
        return try turn.withLock {
            // Another thread may have made it meanwhile.
            if let kept = kept(digest) { return kept }
            let picture = try read()
            let actual = Digest(of: picture)
            guard actual == digest else {
                throw ArtifactError.mismatch(expected: digest, actual: actual)
            }
            let made = try make(picture)
            try keep(made, of: digest)
            return made
        }
    }

    private func path(of digest: Digest) -> String {
        "\(folder)/\(digest.hex.prefix(2))/\(digest.hex).png"
    }

    private func kept(_ digest: Digest) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path(of: digest)) else { return nil }
        defer { try? file.close() }
        guard let bytes = try? file.read(upToCount: Self.thumbnailBytesMax),
            bytes.suffix(Self.ending.count).elementsEqual(Self.ending)
        else { return nil }
        return bytes
    }

    /// Writes a thumbnail to the folder without a flush: after a power cut it is made again.
    private func keep(_ thumbnail: Data, of digest: Digest) throws(ArtifactError) {
        let path = path(of: digest)
        try Posix.makeFolders(path.parentFolder)
        let file = try Posix.newFile(path + ".")
        do throws(ArtifactError) {
            try Posix.durably { () throws(FileFailure) in
                try file.append(thumbnail)
                try file.settle(at: path)
            }
        } catch {
            file.discard()
            throw error
        }
        bytes.withLock { bytes in
            let total = (bytes ?? self.count()) + thumbnail.count
            bytes = total > bytesMax ? self.shrink() : total
        }
    }

    // MARK: the limit

    private func files() -> [(path: String, times: FileTimes)] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (names ?? []).compactMap { name in
            let path = folder + "/" + name
            return FileTimes(of: path).map { (path, $0) }
        }
    }

    private func count() -> Int { files().reduce(0) { $0 + $1.times.bytes } }

    /// Removes the oldest thumbnails until the others are under the limit; returns their number of
    /// bytes.
    private func shrink() -> Int {
        let limit = Int(Double(bytesMax) * Self.keptShare)
        let newest = files().sorted {
            ($0.times.modified, $0.path) > ($1.times.modified, $1.path)
        }
        var kept = 0
        for file in newest {
            if kept + file.times.bytes > limit {
                Posix.remove(file.path)
            } else {
                kept += file.times.bytes
            }
        }
        return kept
    }
}
