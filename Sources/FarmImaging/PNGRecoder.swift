// Makes a smaller PNG of the same picture, for references that are kept for years. It is slow and
// runs only if a team asks for it.
//
// Invariants
//   - The result decodes to exactly the pixels of the source; this is checked every time.
//   - The chunks that define how pixels are shown (colour profile, gamma, density) are kept.
import CFarmShims
import FarmCore
import Foundation

/// Makes PNG files smaller without changing what they show.
package enum PNGRecoder {
    /// The names of the chunks that define how pixels are shown; all others are dropped.
    private static let kept: Set<String> = ["cICP", "iCCP", "sRGB", "gAMA", "cHRM", "pHYs"]

    /// Returns a smaller file of the same picture, or `nil` if there is none, or if the picture has
    /// more than 8 bits per sample.
    ///
    /// - Throws: `PictureError` for anything that is not an intact PNG under the limits.
    package static func smaller(_ file: Data) throws(PictureError) -> Data? {
        let bitmap = try PNGDecoder.decode(file)
        let bytes = [UInt8](file)
        guard !bitmap.isDeep, let chunks = chunks(of: bytes) else { return nil }
        // A profile is for grey or for colour, and the pixels do not show which.
        let hasProfile = chunks.contains { $0.name == "iCCP" }
        let isGrey = bytes[colourTypeAt] & 2 == 0
        guard !(hasProfile && isGrey) else { return nil }
        let head = chunks.filter { kept.contains($0.name) }.flatMap { bytes[$0.range] }
        let made = try encode(bitmap, mayBeGrey: !hasProfile, head: head)
        guard made.count < file.count else { return nil }
        let result = Data(made)
        // A faulty result of the encoder must not become a reference.
        guard try PNGDecoder.decode(result) == bitmap else { return nil }
        return result
    }

    private static let colourTypeAt = 8 + 8 + 9

    private static func encode(
        _ bitmap: Bitmap,
        mayBeGrey: Bool,
        head: [UInt8]
    ) throws(PictureError) -> [UInt8] {
        let width = UInt32(bitmap.width)
        let height = UInt32(bitmap.height)
        let room = farm_png_recode_bound(width, height, head.count)
        let file = [UInt8](unsafeUninitializedCapacity: room) { out, count in
            count = bitmap.pixels.withUnsafeBufferPointer { pixels in
                head.withUnsafeBufferPointer { head in
                    farm_png_recode(
                        pixels.baseAddress,
                        width,
                        height,
                        mayBeGrey ? 1 : 0,
                        head.baseAddress,
                        head.count,
                        out.baseAddress,
                        room
                    )
                }
            }
        }
        guard !file.isEmpty else { throw .noMemory(bitmap.size) }
        return file
    }

    /// Returns the names and byte ranges of the chunks before the first pixels, or `nil` if a
    /// length leads out of the file.
    private static func chunks(of bytes: [UInt8]) -> [(name: String, range: Range<Int>)]? {
        var found: [(name: String, range: Range<Int>)] = []
        var start = 8
        while start + 12 <= bytes.count {
            let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = start + 12 + length
            guard end <= bytes.count else { return nil }
            let name = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
            if name == "IDAT" { return found }
            found.append((name, start..<end))
            start = end
        }
        return nil
    }
}
