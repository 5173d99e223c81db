import FarmCore
import FarmImaging
import Foundation
import Testing

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
