// Tests of PNG files that inflate to more or fewer bytes than their header says. All samples are
// zero, so ten million of them take a few kilobytes.
import FarmCore
import FarmImaging
import Testing

@Suite("pictures that inflate to another size")
struct SurplusPixelsTests {
    /// Kinds of pictures with 10×10 pixels: a name, IHDR's last bytes, and the inflated bytes.
    static let kinds: [(name: String, head: [UInt8], bytes: Int)] = [
        ("RGBA", [8, 6, 0, 0, 0], 10 * 41),
        ("RGB", [8, 2, 0, 0, 0], 10 * 31),
        ("grey of one bit", [1, 0, 0, 0, 0], 10 * 3),
        ("RGBA of 16 bits", [16, 6, 0, 0, 0], 10 * 81),
        // The passes have 2×2, 1×2, 3×1, 2×3, 5×2, 5×5 and 10×5 pixels.
        ("interlaced RGBA", [8, 6, 0, 0, 1], 400 + 2 + 2 + 1 + 3 + 2 + 5 + 5),
        ("interlaced RGBA of 16 bits", [16, 6, 0, 0, 1], 800 + 2 + 2 + 1 + 3 + 2 + 5 + 5),
    ]

    @Test("a picture of exactly its header's bytes is decoded", arguments: kinds.indices)
    func exact(kind: Int) throws {
        let kind = Self.kinds[kind]
        let file = Self.file(kind.head, inflated: kind.bytes)
        #expect(try PNGDecoder.decode(file).size == PixelSize(width: 10, height: 10))
        #expect(try PNGDecoder.decodeByLibpng(file) == PNGDecoder.decode(file))
    }

    @Test(
        "bytes of pixels beyond the header's are ignored, however many",
        arguments: kinds.indices,
        [1, 32_768, 65_536, 10_000_000]
    )
    func surplus(kind: Int, more: Int) throws {
        let kind = Self.kinds[kind]
        let exact = try PNGDecoder.decode(Self.file(kind.head, inflated: kind.bytes))
        let file = Self.file(kind.head, inflated: kind.bytes + more)
        #expect(try PNGDecoder.decode(file) == exact)
        #expect(try PNGDecoder.decodeByLibpng(file) == exact)
    }

    @Test("nothing is inflated beyond the header's bytes: a stream without an end is a picture too")
    func endless() throws {
        for kind in Self.kinds {
            let exact = try PNGDecoder.decode(Self.file(kind.head, inflated: kind.bytes))
            // A decoder that inflates ten million bytes, 25,000 times the picture, finds that they
            // break off.
            let file = Self.file(kind.head, inflated: kind.bytes + 10_000_000, without: 8)
            #expect(file.count < 100_000)
            #expect(try PNGDecoder.decode(file) == exact, "\(kind.name)")
            #expect(try PNGDecoder.decodeByLibpng(file) == exact, "\(kind.name)")
        }
        let cut = Self.file(Self.kinds[0].head, inflated: Self.kinds[0].bytes, without: 8)
        #expect(throws: PictureError.self) { try PNGDecoder.decode(cut) }
    }

    @Test("bytes of pixels that are missing are the reason", arguments: kinds.indices)
    func missing(kind: Int) {
        let kind = Self.kinds[kind]
        let file = Self.file(kind.head, inflated: kind.bytes - 1)
        let error = PictureError.invalid("it has too few bytes of pixels")
        #expect(throws: error) { try PNGDecoder.decode(file) }
        #expect(throws: error) { try PNGDecoder.decodeByLibpng(file) }
    }

    @Test("a picture without any pixels is no lack of memory", arguments: kinds.indices)
    func none(kind: Int) {
        let chunks = Self.head(Self.kinds[kind].head, side: 10) + HandmadePNG.chunk("IEND", [])
        let error = PictureError.invalid("its compressed pixels break off")
        #expect(throws: error) { try PNGDecoder.decode(chunks) }
        #expect(throws: error) { try PNGDecoder.decodeByLibpng(chunks) }
    }

    @Test(
        "a picture whose samples take too much memory is refused by its header",
        arguments: [
            (10_000, [8, 6, 0, 0, 0], nil), (7_071, [16, 6, 0, 0, 0], nil),
            (7_072, [16, 6, 0, 0, 0], 400_105_472), (5_000, [16, 6, 0, 0, 1], nil),
            (5_001, [16, 6, 0, 0, 1], 400_160_016),
        ] as [(Int, [UInt8], Int?)]
    )
    func memory(side: Int, head: [UInt8], bytes: Int?) throws {
        let file = Self.file(head, inflated: 10, side: side)
        let size = PixelSize(width: side, height: side)
        guard let bytes else {
            #expect(try PNGDecoder.size(of: file) == size)
            return
        }
        let error = PictureError.tooMuchMemory(size, bytes: bytes)
        #expect(throws: error) { try PNGDecoder.decode(file) }
        #expect(error.code == "picture-too-large" && error.exit == .invalidInput)
        #expect(error.message.contains("over the limit of 400,000,000 bytes"))
    }

    // MARK: files

    private static func head(_ head: [UInt8], side: Int) -> [UInt8] {
        let sides = HandmadePNG.big32(UInt32(side)) + HandmadePNG.big32(UInt32(side))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + HandmadePNG.chunk("IHDR", sides + head)
    }

    /// Returns a file; the last `cut` bytes of the compressed pixels are missing.
    private static func file(
        _ head: [UInt8],
        inflated count: Int,
        side: Int = 10,
        without cut: Int = 0
    ) -> [UInt8] {
        Self.head(head, side: side)
            + HandmadePNG.chunk("IDAT", Array(zeros(count).dropLast(cut)))
            + HandmadePNG.chunk("IEND", [])
    }

    /// Returns a zlib stream of zeros: one byte, then repetitions of the last 258 bytes.
    private static func zeros(_ count: Int) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var byte: UInt8 = 0
        var filled: UInt8 = 0
        func put(_ bits: UInt32, _ count: Int) {
            for index in 0..<count {
                byte |= UInt8(bits >> index & 1) << filled
                filled += 1
                if filled == 8 {
                    out.append(byte)
                    (byte, filled) = (0, 0)
                }
            }
        }
        // The last block, with the fixed codes, whose bits are written from the highest on.
        put(1, 1)
        put(1, 2)
        let literal: UInt32 = 0b0000_1100
        let repetition: UInt32 = 0b1010_0011
        put(literal, 8)
        for _ in 0..<(count - 1) / 258 {
            put(repetition, 8)
            put(0, 5)
        }
        for _ in 0..<(count - 1) % 258 { put(literal, 8) }
        put(0, 7)
        if filled > 0 { out.append(byte) }
        return out + HandmadePNG.big32(UInt32(count % 65_521) << 16 | 1)
    }
}
