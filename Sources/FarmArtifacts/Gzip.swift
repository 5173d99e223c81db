// One file packed with gzip (RFC 1952). The header is always the same, so equal bytes have equal
// packed bytes, with one version of zlib.
import FarmCore
import Foundation

package enum Gzip {
    /// Magic number, deflate, no flags, no time, no extra flags, unknown system.
    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
    private static let trailerBytes = 8

    /// Returns the packed form of a file.
    package static func packed(_ bytes: Data) throws(ArtifactError) -> Data {
        let plain = Array(bytes)
        var packed = Data(header)
        packed += try Deflate.raw(plain)
        for number in [Deflate.crc32(plain), UInt32(truncatingIfNeeded: plain.count)] {
            packed += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return packed
    }

    /// Returns the file that was packed by ``packed(_:)``, or `nil` if the bytes are damaged, have
    /// another header, or unpack to more than `bytesMax`.
    package static func unpacked(_ packed: Data, bytesMax: Int) throws(ArtifactError) -> Data? {
        let packed = Array(packed)
        guard packed.count > header.count + trailerBytes, packed.starts(with: header) else {
            return nil
        }
        let trailer = packed.suffix(trailerBytes)
        let inflater = try Inflater()
        var plain = Data()
        let body = Array(packed.dropFirst(header.count).dropLast(trailerBytes))
        let used = try? inflater.feed(body) { part in
            guard plain.count + part.count <= bytesMax else { throw TooLarge() }
            plain.append(contentsOf: part)
        }
        guard used == body.count, inflater.isAtEnd else { return nil }
        let sums = [Deflate.crc32(Array(plain)), UInt32(truncatingIfNeeded: plain.count)]
        let expected = sums.flatMap { sum in
            (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
        }
        return expected == Array(trailer) ? plain : nil
    }

    private struct TooLarge: Error {}
}
