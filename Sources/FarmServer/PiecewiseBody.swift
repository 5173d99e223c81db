// Bytes that are read piece by piece while they are sent: a blob, or a zip that is computed.
import FarmCore
import Hummingbird
import Logging
import NIOCore

/// The body of an answer with a part of something large.
enum PiecewiseBody {
    private static let pieceBytes = 256 << 10

    /// Reads the first piece before the answer begins: what is missing or damaged is refused in words.
    ///
    /// What fails later can only end the connection, and is logged.
    static func of(
        _ whole: Range<Int>,
        _ logger: Logger,
        read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
    ) async throws -> ResponseBody {
        let end = min(whole.lowerBound + pieceBytes, whole.upperBound)
        let first = whole.isEmpty ? [] : try await read(whole.lowerBound..<end)
        return ResponseBody(contentLength: whole.count) { writer in
            try await writer.write(ByteBuffer(bytes: first))
            do {
                for start in stride(from: end, to: whole.upperBound, by: pieceBytes) {
                    let piece = start..<min(start + pieceBytes, whole.upperBound)
                    try await writer.write(ByteBuffer(bytes: try await read(piece)))
                }
            } catch let error as any ExplainedError {
                logger.error("an answer was cut off: \(error.message) \(error.remedy)")
                throw error
            }
            try await writer.finish(nil)
        }
    }
}
