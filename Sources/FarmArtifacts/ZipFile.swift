// An archive's file on disk. Any thread may read at any offset.
import Foundation

/// An open archive file of a known size; its path may go away meanwhile.
final class ZipFile: Sendable {
    /// The path of the file, as the caller gave it.
    let path: String
    /// The size of the file in bytes when it was opened.
    let size: Int
    private let file: PosixFile

    init(_ path: String) throws {
        guard let file = try PosixFile.reading(path) else {
            throw ZipReadError.unreadable(path: path)
        }
        self.path = path
        size = try file.size()
        self.file = file
    }

    /// Returns exactly the bytes of a range of the file.
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= size else { throw isCutOff }
        var failure: (any Error)?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            do {
                let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<range.count])
                count = try file.read(into: wanted, at: range.lowerBound)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard bytes.count == range.count else { throw isCutOff }
        return bytes
    }

    private var isCutOff: ZipReadError {
        .malformed(path: path, fact: "it ends too early")
    }
}
