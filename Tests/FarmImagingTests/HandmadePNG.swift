// PNG files made byte by byte, so that tests can choose filters, chunks and mistakes. Their pixels
// are stored, not deflated.
import FarmCore
import FarmImaging
import Foundation

enum HandmadePNG {
    /// Pairs of filters for two files, by row and repeated.
    static let filterings: [([UInt8], [UInt8])] = [
        ([0], [1]), ([1], [2]), ([2], [3]), ([3], [4]), ([4], [0]), ([4], [4]), ([3], [3]),
        ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0]), ([4, 3, 2, 1, 0], [4, 3, 2, 1, 0]),
    ]

    /// Writes a picture as RGBA, or as RGB without its alpha.
    static func file(
        _ picture: Bitmap,
        filters: [UInt8],
        channels: Int = 4,
        pieces: Int = 1,
        between: (String, [UInt8])? = nil,
        extra: [(String, [UInt8])] = []
    ) throws -> [UInt8] {
        let rows = filtered(picture, filters, channels)
        let data = stored(rows)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let type: UInt8 = channels == 4 ? 6 : 2
        let head = big32(UInt32(picture.width)) + big32(UInt32(picture.height))
        file += chunk("IHDR", head + [8, type, 0, 0, 0])
        for (name, bytes) in extra { file += chunk(name, bytes) }
        let length = (data.count + pieces - 1) / pieces
        for start in stride(from: 0, to: data.count, by: length) {
            if start > 0, let between { file += chunk(between.0, between.1) }
            file += chunk("IDAT", Array(data[start..<min(start + length, data.count)]))
        }
        return file + chunk("IEND", [])
    }

    /// Writes another size into the header, with its checksum.
    static func setSize(_ width: Int, _ height: Int, in file: inout [UInt8]) {
        let head = big32(UInt32(width)) + big32(UInt32(height)) + file[24..<29]
        file.replaceSubrange(8..<33, with: chunk("IHDR", head))
    }

    private static func filtered(
        _ picture: Bitmap,
        _ filters: [UInt8],
        _ channels: Int
    ) -> [UInt8] {
        let pixels = picture.pixels
        let step = channels
        var above = [Int](repeating: 0, count: picture.width * step)
        var out: [UInt8] = []
        for y in 0..<picture.height {
            var row: [Int] = []
            for x in 0..<picture.width {
                let at = (y * picture.width + x) * 4
                row += pixels[at..<at + step].map(Int.init)
            }
            let filter = filters[y % filters.count]
            out.append(filter)
            for i in row.indices {
                let left = i >= step ? row[i - step] : 0
                let corner = i >= step ? above[i - step] : 0
                let guess =
                    switch filter {
                    case 1: left
                    case 2: above[i]
                    case 3: (left + above[i]) / 2
                    case 4: paeth(left, above[i], corner)
                    default: 0
                    }
                out.append(UInt8(truncatingIfNeeded: row[i] - guess))
            }
            above = row
        }
        return out
    }

    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> Int {
        let estimate = left + up - corner
        let distances = [(left, 0), (up, 1), (corner, 2)].map { (abs(estimate - $0.0), $0.1, $0.0) }
        return distances.min { ($0.0, $0.1) < ($1.0, $1.1) }?.2 ?? left
    }

    /// Returns a zlib stream of stored blocks.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let count = min(bytes.count - start, 65_535)
            let isLast: UInt8 = start + count == bytes.count ? 1 : 0
            let size = UInt16(count)
            out += [isLast, UInt8(size & 255), UInt8(size >> 8)]
            out += [UInt8(~size & 255), UInt8(~size >> 8)]
            out += bytes[start..<start + count]
            start += count
        } while start < bytes.count
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        return out + big32(sums.1 << 16 | sums.0)
    }

    static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + bytes
        return big32(UInt32(bytes.count)) + body + big32(checksum(body))
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }

    static func big32(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
