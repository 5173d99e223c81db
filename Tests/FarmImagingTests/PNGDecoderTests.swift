import FarmCore
import FarmImaging
import FarmTesting
import Testing

@Suite("PNG files")
struct PNGDecoderTests {
    private let small = Pictures.make(5, 4) { x, y in
        [UInt8(x * 50), UInt8(y * 60), UInt8(x ^ y), UInt8(255 - x)]
    }

    @Test("what is encoded decodes to the same pixels, and always to the same bytes")
    func roundTrip() throws {
        var random = SeededGenerator.announced()
        for _ in 0..<20 {
            let width = Int.random(in: 1...40, using: &random)
            let height = Int.random(in: 1...40, using: &random)
            let rows = Int.random(in: 1...3, using: &random)
            let picture = Pictures.make(width, height) { x, y in
                // Repeated rows take the other filter.
                [UInt8(x * 7 & 255), UInt8(y / rows * 11 & 255), 3, UInt8(x * 5 & 255)]
            }
            let file = try PNGEncoder.encode(picture)
            #expect(try PNGDecoder.decode(file) == picture)
            #expect(try PNGEncoder.encode(picture) == file)
            #expect(try PNGDecoder.size(of: file) == picture.size)
        }
    }

    @Test("a truncated picture is refused with the byte it ends at, wherever it ends")
    func truncated() throws {
        let file = try PNGEncoder.encode(small)
        for count in 1..<file.count {
            #expect(throws: PictureError.truncated(atByte: count)) {
                try PNGDecoder.decode(Array(file.prefix(count)))
            }
        }
    }

    @Test("a picture with any one bit flipped is refused")
    func flipped() throws {
        let file = try PNGEncoder.encode(small)
        for bit in 0..<file.count * 8 {
            var broken = file
            broken[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: PictureError.self, "bit \(bit)") { try PNGDecoder.decode(broken) }
        }
    }

    @Test("a damaged chunk is named")
    func checksum() throws {
        var file = try PNGEncoder.encode(small)
        file[50] ^= 0xFF
        #expect(throws: PictureError.checksum(chunk: "IDAT")) { try PNGDecoder.decode(file) }
        file = try PNGEncoder.encode(small)
        file[29] ^= 0xFF
        #expect(throws: PictureError.checksum(chunk: "IHDR")) { try PNGDecoder.decode(file) }
    }

    @Test("bytes after the last chunk are ignored")
    func trailing() throws {
        let file = try PNGEncoder.encode(small) + [1, 2, 3]
        #expect(try PNGDecoder.decode(file) == small)
    }

    @Test(
        "what is not a PNG is named",
        arguments: [
            (Array("\u{FEFF} <!DOCTYPE html>".utf8), PictureError.notPNG(.markup)),
            (Array("version https://git-lfs.github.com/spec/v1\n".utf8), .notPNG(.lfsPointer)),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0, 16], .notPNG(.jpeg)),
            (Array("GIF89a".utf8), .notPNG(.gif)),
            (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), .notPNG(.webp)),
            (Array("hello".utf8), .notPNG(.unknown)),
            ([], .empty),
        ] as [([UInt8], PictureError)]
    )
    func otherFiles(bytes: [UInt8], error: PictureError) {
        #expect(throws: error) { try PNGDecoder.decode(bytes) }
        #expect(error.exit == .invalidInput)
        #expect(!error.message.isEmpty && !error.remedy.isEmpty)
    }

    @Test("Apple's private variant is named")
    func appleOptimised() throws {
        var file = Pictures.header(width: 1, height: 1)
        file.replaceSubrange(12..<16, with: Array("CgBI".utf8))
        #expect(throws: PictureError.appleOptimised) { try PNGDecoder.decode(file) }
    }

    @Test("an animated PNG is refused, and not taken as its first frame")
    func animated() throws {
        let control: (String, [UInt8]) = ("acTL", HandmadePNG.big32(2) + HandmadePNG.big32(0))
        let animated = try HandmadePNG.file(small, filters: [0], extra: [control])
        #expect(throws: PictureError.animated) { try PNGDecoder.decode(animated) }
        #expect(throws: PictureError.animated) { try PNGDecoder.decodeByLibpng(animated) }
        #expect(throws: PictureError.animated) { try PNGDecoder.check(animated) }
        // Behind the pixels the chunk has no meaning, and viewers show a still picture.
        let file = try HandmadePNG.file(small, filters: [0])
        let still = file.dropLast(12) + HandmadePNG.chunk(control.0, control.1) + file.suffix(12)
        #expect(try PNGDecoder.decode(Array(still)) == small)
    }

    @Test("a picture over the pixel limit is refused by its header, with its size")
    func bomb() {
        let file = Pictures.header(width: 60_000, height: 60_000)
        let error = PictureError.tooManyPixels(PixelSize(width: 60_000, height: 60_000))
        #expect(throws: error) { try PNGDecoder.decode(file) }
        #expect(throws: error) { try PNGDecoder.size(of: file) }
        #expect(error.message.contains("60000×60000"))
    }

    @Test(
        "a header with an impossible size is refused",
        arguments: [(0, 1), (1, 0), (0xFFFF_FFFF, 1), (0x8000_0000, 0x8000_0000)]
            as [(UInt32, UInt32)]
    )
    func impossibleSize(width: UInt32, height: UInt32) {
        #expect(throws: PictureError.self) {
            try PNGDecoder.size(of: Pictures.header(width: width, height: height))
        }
    }

    @Test("a file over the byte limit is refused")
    func tooManyBytes() {
        let file =
            Pictures.header(width: 1, height: 1)
            + [UInt8](repeating: 0, count: FarmLimits.pictureBytesMax)
        #expect(throws: PictureError.tooManyBytes(file.count)) { try PNGDecoder.decode(file) }
    }

    @Test("the size is read from a file whose rest is missing")
    func sizeOnly() throws {
        let size = try PNGDecoder.size(of: Pictures.header(width: 750, height: 1334))
        #expect(size == PixelSize(width: 750, height: 1334))
    }
}
