// Writes an archive, or a part of one, in bounded memory.
import FarmCore
import FarmFiles
import Foundation

extension ZipArchive {
    /// Passes the archive's bytes to `sink` in order, at most 1 MiB at a time; with a range, only
    /// those.
    package func write(
        _ range: Range<Int>? = nil,
        from blobs: some BlobReading,
        to sink: (UnsafeRawBufferPointer) throws(ArtifactError) -> Void
    ) throws(ArtifactError) {
        try forEachPiece(in: range ?? 0..<size) { piece throws(ArtifactError) in
            switch piece {
            case .bytes(let bytes): try Self.lend(bytes, to: sink)
            case .blob(let digest, let whole):
                var at = whole.lowerBound
                while at < whole.upperBound {
                    let next = min(at + BlobStore.chunkBytes, whole.upperBound)
                    try Self.lend(try blobs.read(digest, in: at..<next), to: sink)
                    at = next
                }
            }
        }
    }

    /// Writes the archive to a file, in place of any file there, in one step; it is durable when
    /// this returns.
    ///
    /// - Returns: the SHA-256 of the file.
    @discardableResult
    package func write(
        toFileAt path: String,
        from blobs: some BlobReading
    ) throws(ArtifactError) -> Digest {
        let file = try Posix.newFile(path + ".")
        var digest = DigestStream()
        do throws(ArtifactError) {
            try write(from: blobs) { chunk throws(ArtifactError) in
                digest.append(chunk)
                try Posix.durably { () throws(FileFailure) in try file.append(chunk) }
            }
            try Posix.durably { () throws(FileFailure) in
                try file.setMode(0o644)
                try file.flush()
                try file.settle(at: path)
                try DurableFile.flushFolder(of: path)
            }
        } catch {
            file.discard()
            throw error
        }
        return digest.finish()
    }

    private static func lend(
        _ bytes: [UInt8],
        to sink: (UnsafeRawBufferPointer) throws(ArtifactError) -> Void
    ) throws(ArtifactError) {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(ArtifactError) in try sink(raw) }
        }
        try result.get()
    }
}
