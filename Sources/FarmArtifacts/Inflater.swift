// Raw inflate in bounded memory. zlib keeps pointers to its own state, so the stream stays at one
// address while it is open.
import CZlib

/// Unpacks one deflated file; not safe from two threads at once.
final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the last byte of the file is unpacked.
    private(set) var isAtEnd = false

    private static let chunkBytes = 256 << 10

    init() throws(ArtifactError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let noHeader: Int32 = -15
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, noHeader, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            throw .noMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Passes the unpacked form of `packed` to `body`; takes at most 4 GB.
    ///
    /// Returns how many packed bytes belonged to the file, or `nil` if they are not deflated.
    func feed(
        _ packed: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int? {
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.chunkBytes,
            alignment: 16
        )
        defer { room.deallocate() }
        // zlib does not write to its input; its field is not const only by default.
        var input = packed
        return try input.withUnsafeMutableBufferPointer { input -> Int? in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            defer { stream.pointee.next_in = nil }
            repeat {
                stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                let code = CZlib.inflate(stream, Z_NO_FLUSH)
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                    return nil
                }
                isAtEnd = code == Z_STREAM_END
                let made = room.count - Int(stream.pointee.avail_out)
                if made > 0 { try body(UnsafeRawBufferPointer(rebasing: room[..<made])) }
            } while !isAtEnd && stream.pointee.avail_out == 0
            return input.count - Int(stream.pointee.avail_in)
        }
    }
}
