// A file of an archive. All its fields are known before the first byte is written, so that sizes
// are exact and ranges are cheap.
import CZlib
import FarmCore
import Foundation

/// A file of a zip archive, with all fields of its headers.
package struct ZipEntry: Hashable, Sendable {
    /// The source of the bytes that the archive stores.
    package enum Source: Hashable, Sendable {
        case blob(Digest)
        /// The bytes in the form in which the archive stores them.
        case inline([UInt8])
    }

    /// The relative path of the file, with `/` between folders.
    package let path: String
    let source: Source
    /// The compression method: 0 stored, 8 deflated (APPNOTE 4.4.5).
    let method: UInt16
    let crc32: UInt32
    /// The number of bytes that the file takes in the archive, without headers.
    let packedSize: Int
    /// The number of bytes of the unpacked file.
    let size: Int

    /// Makes the entry of a blob, stored uncompressed: pictures are compressed already.
    ///
    /// `size` and `crc32` are the blob's own; see ``BlobStore/crc32(of:)``.
    package init(path: String, blob: Digest, size: Int, crc32: UInt32) {
        self.path = path
        self.source = .blob(blob)
        self.method = 0
        self.crc32 = crc32
        self.packedSize = size
        self.size = size
    }

    /// Makes the entry of a text; deflated if that makes it smaller.
    package init(path: String, text: some ContiguousBytes) throws(ArtifactError) {
        let bytes = text.withUnsafeBytes { [UInt8]($0) }
        let packed = try Deflate.raw(bytes)
        let smaller = packed.count < bytes.count
        self.path = path
        self.source = .inline(smaller ? packed : bytes)
        self.method = smaller ? 8 : 0
        self.crc32 = Deflate.crc32(bytes)
        self.packedSize = smaller ? packed.count : bytes.count
        self.size = bytes.count
    }
}

extension BlobStore {
    /// Returns the CRC-32 of a blob's bytes, for a zip entry; reads all of them.
    package func crc32(of digest: Digest) throws(ArtifactError) -> UInt32 {
        guard contains(digest) else { throw .missing(digest) }
        var sum: UInt32 = 0
        try Self.forEachChunk(of: path(of: digest)) { chunk throws(ArtifactError) in
            sum = Deflate.crc32(chunk, after: sum)
        }
        return sum
    }
}

/// The functions of zlib that an archive needs.
enum Deflate {
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { crc32($0, after: 0) }
    }

    static func crc32(_ bytes: UnsafeRawBufferPointer, after sum: UInt32) -> UInt32 {
        UInt32(
            truncatingIfNeeded: crc32_z(
                uLong(sum),
                bytes.bindMemory(to: UInt8.self).baseAddress,
                bytes.count
            )
        )
    }

    /// Deflates bytes at level 6, without a header; the result depends only on the bytes and on
    /// zlib's version.
    static func raw(_ bytes: [UInt8]) throws(ArtifactError) -> [UInt8] {
        var stream = z_stream()
        let noHeader: Int32 = -15
        guard
            deflateInit2_(
                &stream,
                6,
                Z_DEFLATED,
                noHeader,
                8,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            ) == Z_OK
        else { throw .noMemory }
        defer { deflateEnd(&stream) }
        // zlib counts input in 32 bits; larger texts are stored.
        guard bytes.count < Int(Int32.max) else { return bytes }
        var input = bytes
        let room = Int(deflateBound(&stream, uLong(bytes.count)))
        var ending = Z_OK
        let packed = [UInt8](unsafeUninitializedCapacity: room) { out, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = out.baseAddress
                stream.avail_out = UInt32(room)
                ending = deflate(&stream, Z_FINISH)
            }
            count = room - Int(stream.avail_out)
        }
        guard ending == Z_STREAM_END else { throw .noMemory }
        return packed
    }
}
