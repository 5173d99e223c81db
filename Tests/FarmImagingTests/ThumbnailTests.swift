// Tests of thumbnails of pictures made by code, down to single pixels.
import FarmCore
import FarmImaging
import Foundation
import Testing

@Suite("thumbnails")
struct ThumbnailTests {
    @Test(
        "a thumbnail keeps the picture's proportions and is never larger than the picture",
        arguments: [
            (1, 1, 1, 1), (100, 100, 100, 100), (1_125, 2_436, 176, 382),
            (1_125, 20_000, 61, 1_096),
            (1, 50_000, 1, 4_096), (100_000, 1, 4_096, 1), (10_000, 10_000, 260, 260),
        ]
    )
    func size(width: Int, height: Int, toWidth: Int, toHeight: Int) {
        let size = Thumbnail.size(of: PixelSize(width: width, height: height))
        #expect(size == PixelSize(width: toWidth, height: toHeight))
    }

    @Test("each pixel counts in one place, and its colour by its alpha")
    func averages() {
        // 520 × 520: each pixel of the thumbnail stands for 2 × 2.
        let picture = Pictures.make(520, 520) { x, y in
            // Of every four pixels, one is white, two are black, and one is a transparent red.
            switch (x % 2, y % 2) {
            case (0, 0): [255, 255, 255, 255]
            case (1, 1): [255, 0, 0, 0]
            default: [0, 0, 0, 255]
            }
        }
        let small = Thumbnail.scaled(picture)
        #expect(small.size == PixelSize(width: 260, height: 260))
        let colour: [UInt8] = [85, 85, 85, 191]
        #expect(small == Pictures.flat(260, 260, colour))
    }

    @Test("a picture of one colour stays so, and one that is small enough is the same")
    func plain() {
        let flat = Thumbnail.scaled(Pictures.flat(777, 333, [10, 20, 30, 255]))
        #expect(flat == Pictures.flat(flat.width, flat.height, [10, 20, 30, 255]))
        let clear = Thumbnail.scaled(Pictures.flat(600, 300, [9, 9, 9, 0]))
        #expect(clear == Pictures.flat(clear.width, clear.height, [0, 0, 0, 0]))
        let small = Pictures.gradient(30, 20)
        #expect(Thumbnail.scaled(small) == small)
    }

    @Test("the largest long page becomes a small PNG, the same each time")
    func longPage() throws {
        let file = try Data(PNGEncoder.encode(Pictures.flat(1_125, 2_000, Pictures.white)))
        let made = try Thumbnail.png(of: file)
        #expect(try Thumbnail.png(of: file) == made)
        #expect(try PNGDecoder.size(of: made) == PixelSize(width: 195, height: 346))
        #expect(made.count < 20_000)
    }

    @Test("what is no intact picture has no thumbnail")
    func broken() throws {
        let file = try Data(PNGEncoder.encode(Pictures.gradient(40, 40)))
        #expect(throws: PictureError.self) { try Thumbnail.png(of: file.prefix(100)) }
        #expect(throws: PictureError.self) { try Thumbnail.png(of: Data("GIF89a".utf8)) }
        #expect(throws: PictureError.empty) { try Thumbnail.png(of: Data()) }
    }
}
