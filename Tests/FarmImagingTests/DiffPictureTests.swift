import FarmCore
import Foundation
import Testing

@testable import FarmImaging

@Suite("Drawn differences")
struct DiffPictureTests {
    private func pixel(_ picture: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
        let at = (y * picture.width + x) * 4
        return Array(picture.pixels[at..<at + 4])
    }

    @Test("changed pixels are magenta, the rest is a faded grey of the reference")
    func colours() throws {
        let reference = Pictures.make(4, 1) { x, _ in
            x < 2 ? Pictures.black : Pictures.white
        }
        let capture = Pictures.painted(reference, [1, 0, 0, 255]) { x, _ in x == 1 }
        let diff = try DiffPicture.draw(reference: reference, capture: capture)
        #expect(pixel(diff, 0, 0) == [192, 192, 192, 255])
        #expect(pixel(diff, 1, 0) == DiffPicture.changedColour)
        #expect(pixel(diff, 2, 0) == [255, 255, 255, 255])
    }

    @Test("the canvas covers both pictures; what one lacks is striped, what both lack is grey")
    func sizes() throws {
        let reference = Pictures.flat(20, 8, Pictures.white)
        let capture = Pictures.flat(8, 20, Pictures.white)
        let diff = try DiffPicture.draw(reference: reference, capture: capture)
        #expect(diff.size == PixelSize(width: 20, height: 20))
        #expect(pixel(diff, 7, 7) == [255, 255, 255, 255])
        #expect(pixel(diff, 8, 0) == DiffPicture.changedColour)
        #expect(pixel(diff, 12, 0) == [255, 255, 255, 255])
        #expect(pixel(diff, 0, 8) == DiffPicture.changedColour)
        #expect(pixel(diff, 10, 10) == [128, 128, 128, 255])
    }

    @Test("each class has its look: gold, tinted, hatched")
    func classes() throws {
        let reference = Pictures.flat(16, 16, Pictures.black)
        var map = [PixelClasses.Class](repeating: .same, count: 256)
        map[1] = .antiAliased
        map[2] = .noise
        map[3] = .changed
        for x in 0..<16 { map[8 * 16 + x] = .ignored }
        let diff = try DiffPicture.draw(
            reference: reference,
            capture: reference,
            classes: PixelClasses(size: reference.size, classes: map)
        )
        #expect(pixel(diff, 0, 0) == [192, 192, 192, 255])
        #expect(pixel(diff, 1, 0) == DiffPicture.antiAliasedColour)
        #expect(pixel(diff, 2, 0) == [204, 153, 204, 255])
        #expect(pixel(diff, 3, 0) == DiffPicture.changedColour)
        let hatched = (0..<8).map { pixel(diff, $0, 8)[0] }
        #expect(hatched == [96, 96, 192, 192, 192, 192, 192, 192])
    }

    @Test("below rows that were inserted nothing is in the changed colour")
    func aligned() throws {
        let list = Scene.list(rows: 5, height: 240)
        let capture = list.sized(200, 248).moved(from: 87, by: 8)
        let diff = try DiffPicture.draw(reference: list.painted(), capture: capture.painted())
        #expect(diff.size == PixelSize(width: 200, height: 248))
        let rows = (0..<248).filter { y in
            (0..<200).contains { pixel(diff, $0, y) == DiffPicture.changedColour }
        }
        #expect(rows == Array(87..<95))
    }

    @Test("stripes of removed rows fall where those of inserted rows rise")
    func stripes() throws {
        let small = Pictures.flat(8, 4, Pictures.white)
        let large = Pictures.flat(8, 12, Pictures.white)
        let inserted = try DiffPicture.draw(reference: small, capture: large)
        let removed = try DiffPicture.draw(reference: large, capture: small)
        let white: [UInt8] = [255, 255, 255, 255]
        for y in 4..<12 {
            for x in 0..<8 {
                let rises = (x + y) % 8 < 4
                let falls = (x - y + 16) % 8 < 4
                #expect(pixel(inserted, x, y) == (rises ? DiffPicture.changedColour : white))
                #expect(pixel(removed, x, y) == (falls ? DiffPicture.changedColour : white))
            }
        }
    }

    @Test("three-up: the pictures and the diff side by side, small changes not averaged away")
    func threeUp() throws {
        let reference = Pictures.flat(300, 200, Pictures.black)
        let capture = Pictures.painted(reference, Pictures.white) { x, y in x == 150 && y == 100 }
        let sheet = try DiffPicture.threeUp(
            reference: reference,
            capture: capture,
            widthMax: 98,
            heightMax: 1_000
        )
        #expect(sheet.size == PixelSize(width: 98, height: 20))
        #expect(pixel(sheet, 0, 0) == [0, 0, 0, 255])
        #expect(pixel(sheet, 30, 0) == [64, 64, 64, 255])
        #expect(pixel(sheet, 34 + 15, 10) == [3, 3, 3, 255])
        #expect(pixel(sheet, 68 + 15, 10) == DiffPicture.changedColour)
        #expect(pixel(sheet, 68 + 16, 10) == [192, 192, 192, 255])
        let tiny = try DiffPicture.threeUp(
            reference: reference,
            capture: capture,
            widthMax: 0,
            heightMax: 0
        )
        #expect(tiny.size == PixelSize(width: 11, height: 1))
    }

    @Test("three-up: never scaled up; of pictures of two sizes each has its own")
    func threeUpSizes() throws {
        let sheet = try DiffPicture.threeUp(
            reference: Pictures.flat(10, 4, Pictures.black),
            capture: Pictures.flat(6, 8, Pictures.white),
            widthMax: 10_000,
            heightMax: 10_000
        )
        #expect(sheet.size == PixelSize(width: 38, height: 8))
        #expect(pixel(sheet, 9, 3) == [0, 0, 0, 255])
        #expect(pixel(sheet, 9, 4) == [128, 128, 128, 255])
        #expect(pixel(sheet, 14 + 5, 7) == [255, 255, 255, 255])
        #expect(pixel(sheet, 14 + 6, 7) == [128, 128, 128, 255])
    }

    @Test("the same pictures give the same file")
    func deterministic() throws {
        let reference = Pictures.make(33, 17) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        let capture = Pictures.painted(reference, Pictures.white) { x, y in x * y % 7 == 0 }
        let files = try (0..<2).map { _ in
            try PNGEncoder.encode(DiffPicture.draw(reference: reference, capture: capture))
        }
        #expect(files[0] == files[1])
    }

    @Test("a canvas over the pixel limit is refused, though both pictures are small")
    func canvas() {
        let high = Pictures.flat(1, 10_001, Pictures.black)
        let wide = Pictures.flat(10_001, 1, Pictures.black)
        #expect(throws: PictureError.tooManyPixels(PixelSize(width: 10_001, height: 10_001))) {
            try DiffPicture.draw(reference: high, capture: wide)
        }
        let result = PictureComparer.compare(reference: high, capture: wide, policy: .exact)
        #expect(result.difference?.differing == 10_000)
    }
}

@Suite("One look at a picture")
struct PictureLookTests {
    @Test("one colour everywhere is flat, one other pixel is not")
    func flat() {
        let picture = Pictures.flat(9, 7, [1, 2, 3, 4])
        #expect(PictureLook(picture).isFlat)
        let dotted = Pictures.painted(picture, [1, 2, 3, 5]) { x, y in x == 8 && y == 6 }
        #expect(!PictureLook(dotted).isFlat)
        #expect(PictureLook(Pictures.flat(1, 1, Pictures.black)).isFlat)
    }

    @Test("the pixel digest is over width, height and RGBA")
    func digest() {
        let look = PictureLook(Pictures.make(2, 1) { x, _ in [UInt8(x), 2, 3, 255] })
        let bytes: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 1, 0, 2, 3, 255, 1, 2, 3, 255]
        #expect(look.pixelDigest == Digest(of: bytes))
        #expect(look.size == PixelSize(width: 2, height: 1))
    }

    @Test("pictures that differ only below one 8-bit step have different digests")
    func lowBits() {
        let size = PixelSize(width: 1, height: 1)
        let plain = Bitmap(size: size, pixels: [5, 5, 5, 255])
        let fine = Bitmap(size: size, pixels: [5, 5, 5, 255], lowBytes: [5, 5, 6, 255])
        #expect(PictureLook(plain).pixelDigest != PictureLook(fine).pixelDigest)
    }
}
