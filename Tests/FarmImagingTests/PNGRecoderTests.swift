import FarmCore
import FarmImaging
import Foundation
import Testing

@Suite("Smaller files of the same pixels")
struct PNGRecoderTests {
    /// Complete chunks with their checksums, as other programs write them.
    private static let sRGB: [UInt8] = [
        0, 0, 0, 1, 0x73, 0x52, 0x47, 0x42, 0, 0xAE, 0xCE, 0x1C, 0xE9,
    ]
    private static let gamma: [UInt8] = [
        0, 0, 0, 4, 0x67, 0x41, 0x4D, 0x41, 0, 0, 0xB1, 0x8F, 0x0B, 0xFC, 0x61, 0x05,
    ]
    private static let density: [UInt8] = [
        0, 0, 0, 9, 0x70, 0x48, 0x59, 0x73, 0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1, 0, 0x9A, 0x9C,
        0x18,
    ]

    private static func file(_ bitmap: Bitmap, with chunks: [[UInt8]] = []) throws -> Data {
        let bytes = try PNGEncoder.encode(bitmap)
        return Data(bytes[..<33] + chunks.flatMap(\.self) + bytes[33...])
    }

    private static let gradient = Pictures.make(64, 48) { x, y in
        [UInt8(x * 4), UInt8(y * 5), UInt8((x + y) * 2), 255]
    }

    @Test(
        "opaque, translucent, grey and single pixels come back as they were, in a smaller file",
        arguments: [
            gradient,
            Pictures.make(64, 48) { x, y in [UInt8(x * 4), UInt8(y * 5), 7, UInt8(x + y)] },
            Pictures.make(64, 48) { x, y in [UInt8(x + y), UInt8(x + y), UInt8(x + y), 255] },
            Pictures.make(64, 48) { x, y in [UInt8(x), UInt8(x), UInt8(x), UInt8(200 - y)] },
            // The colours of fully transparent pixels must be kept as well.
            Pictures.make(33, 9) { x, y in [UInt8(x * 7), UInt8(y), 3, x % 2 == 0 ? 0 : 255] },
            Pictures.flat(1, 1, [9, 8, 7, 255]),
        ]
    )
    func samePixels(bitmap: Bitmap) throws {
        let source = try Self.file(bitmap)
        let smaller = try #require(try PNGRecoder.smaller(source))
        #expect(smaller.count < source.count)
        #expect(try PNGDecoder.decode(smaller) == bitmap)
        #expect(try PNGRecoder.smaller(source) == smaller, "the same bytes every time")
        #expect(try PNGRecoder.smaller(smaller) == nil, "and nothing more to gain")
    }

    @Test("what says how pixels are shown is kept, byte for byte and in order")
    func keptChunks() throws {
        let chunks = [Self.gamma, Self.sRGB, Self.density]
        let source = try Self.file(Self.gradient, with: chunks)
        let smaller = try #require(try PNGRecoder.smaller(source))
        #expect([UInt8](smaller[33..<33 + chunks.joined().count]) == Array(chunks.joined()))
        #expect(try PNGDecoder.decode(smaller) == Self.gradient)
    }

    @Test("what is no picture, or cut off, is refused")
    func refused() throws {
        #expect(throws: PictureError.self) { try PNGRecoder.smaller(Data("no picture".utf8)) }
        var cut = try Self.file(Self.gradient)
        cut.removeLast(20)
        let truncated = cut
        #expect(throws: PictureError.self) { try PNGRecoder.smaller(truncated) }
    }
}
