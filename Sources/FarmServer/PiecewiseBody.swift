// Bodies that are read piece by piece while they are sent: a blob, or a zip that is computed.
import FarmArtifacts
import FarmCore
import Hummingbird
import Logging
import NIOCore

/// The body of an answer with a part of a large file.
enum PiecewiseBody {
    private static let pieceBytes = 256 << 10

    /// Returns a body with the bytes of a range.
    ///
    /// The first piece is read before the answer begins, so that missing or damaged bytes become an
    /// explained refusal. A later failure is logged and ends the connection. With the `digest` of a
    /// whole blob, the last piece is sent only if all pieces have that digest.
    static func of(
        _ whole: Range<Int>,
        digest: Digest? = nil,
        _ logger: Logger,
        read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
    ) async throws -> ResponseBody {
        let end = min(whole.lowerBound + pieceBytes, whole.upperBound)
        let first = whole.isEmpty ? [] : try await read(whole.lowerBound..<end)
        let begun = SentBytes(digest, of: whole.count)
        let stream = try begun.adding(first)
        return ResponseBody(contentLength: whole.count) { writer in
            try await writer.write(ByteBuffer(bytes: first))
            var stream = stream
            do {
                for start in stride(from: end, to: whole.upperBound, by: pieceBytes) {
                    let piece = start..<min(start + pieceBytes, whole.upperBound)
                    let bytes = try await read(piece)
                    stream = try stream.adding(bytes)
                    try await writer.write(ByteBuffer(bytes: bytes))
                }
            } catch let error as any ExplainedError {
                logger.error("an answer was cut off: \(error.message) \(error.remedy)")
                throw error
            }
            try await writer.finish(nil)
        }
    }
}

/// The digest of the bytes of a blob that have been read so far.
private struct SentBytes {
    private let digest: Digest?
    private let count: Int
    private var stream = DigestStream()

    /// Begins a check of `count` bytes; `digest` is `nil` for bytes that cannot be checked.
    init(_ digest: Digest?, of count: Int) {
        self.digest = digest
        self.count = count
    }

    /// Returns this check with more bytes of the blob added.
    ///
    /// - Throws: `ArtifactError.damaged` at the last bytes if the blob has another digest.
    func adding(_ bytes: [UInt8]) throws -> SentBytes {
        guard let digest else { return self }
        var next = self
        bytes.withUnsafeBytes { next.stream.append($0) }
        guard next.stream.count < count || next.stream.finish() == digest else {
            throw ArtifactError.damaged(digest)
        }
        return next
    }
}
