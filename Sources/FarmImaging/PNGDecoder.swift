// Decodes PNG to pixels. The header is checked before anything is allocated, then every checksum,
// and only then are pixels made. The work is done in C, for the reasons in farm_png.h.
//
// Memory: the samples, which have a limit; as much again while RGB becomes RGBA or 16-bit rows are
// interlaced; and the file. The largest picture takes 0.9 GB, or 1.1 GB if libpng decodes it and
// its stream goes on after the last row: it is then first rewritten without the rest.
import CFarmShims
import FarmCore
import Foundation

/// Decodes PNG files.
package enum PNGDecoder {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The number of bytes of the signature, and of IHDR with its frame.
    private static let headBytes = 8 + 25
    private static let depthAt = 24
    private static let interlacedAt = 28

    /// Decodes a whole file to straight RGBA without colour management.
    ///
    /// - Throws: `PictureError`, quickly, for anything that is not an intact PNG under the limits.
    package static func decode(_ file: some ContiguousBytes) throws(PictureError) -> Bitmap {
        try borrow(file) { bytes throws(PictureError) in try ScannedPNG(bytes).bitmap() }
    }

    /// Decodes like `decode`, but always with libpng, the slower of the two ways.
    ///
    /// - Throws: `PictureError` like `decode`.
    package static func decodeByLibpng(
        _ file: some ContiguousBytes
    ) throws(PictureError) -> Bitmap {
        try borrow(file) { bytes throws(PictureError) in try ScannedPNG(bytes).bitmapByLibpng() }
    }

    /// Returns width and height from the header alone; the rest of the file may be broken.
    ///
    /// - Throws: `PictureError` for another kind of file and for pictures over the limits.
    package static func size(of file: some ContiguousBytes) throws(PictureError) -> PixelSize {
        try borrow(file) { bytes throws(PictureError) in try checkedSize(bytes) }
    }

    /// Checks the header and every checksum, and that the file is whole, without decoding pixels.
    ///
    /// - Throws: `PictureError` like `decode`, except for faults that only the pixels show.
    package static func check(_ file: some ContiguousBytes) throws(PictureError) {
        try borrow(file) { bytes throws(PictureError) in _ = try ScannedPNG(bytes) }
    }

    static func borrow<Value, Failure: Error>(
        _ file: some ContiguousBytes,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = file.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            return Result { () throws(Failure) in try body(bytes) }
        }
        return try result.get()
    }

    static func checkedSize(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(PictureError) -> PixelSize {
        guard bytes.count > 0 else { throw .empty }
        guard bytes.starts(with: signature) else {
            // A file cut within the signature is a truncated PNG, not another kind of file.
            if signature.starts(with: bytes) { throw .truncated(atByte: bytes.count) }
            throw .notPNG(FileKindProbe.kind(of: bytes))
        }
        guard bytes.count <= FarmLimits.pictureBytesMax else { throw .tooManyBytes(bytes.count) }
        guard bytes.count >= headBytes else { throw .truncated(atByte: bytes.count) }
        let type = Array(bytes[12..<16])
        if type == Array("CgBI".utf8) { throw .appleOptimised }
        guard type == Array("IHDR".utf8) else { throw .invalid("the first chunk is not IHDR") }
        let size = PixelSize(width: big32(bytes, at: 16), height: big32(bytes, at: 20))
        guard (1...0x7FFF_FFFF).contains(size.width), (1...0x7FFF_FFFF).contains(size.height)
        else { throw .invalid("IHDR names an impossible size, \(size)") }
        // Neither factor has more than 31 bits: the product cannot overflow.
        guard size.width * size.height <= FarmLimits.picturePixelsMax else {
            throw .tooManyPixels(size)
        }
        let isDeep = bytes[depthAt] == 16
        let isTwice = isDeep && bytes[interlacedAt] != 0
        let memory = size.width * size.height * (isTwice ? 16 : isDeep ? 8 : 4)
        guard memory <= FarmLimits.pictureMemoryBytesMax else {
            throw .tooMuchMemory(size, bytes: memory)
        }
        return size
    }

    static func check(
        _ status: Int32,
        _ info: farm_png_info,
        _ size: PixelSize
    ) throws(PictureError) {
        switch UInt32(status) {
        case FARM_PNG_OK.rawValue: return
        case FARM_PNG_TRUNCATED.rawValue: throw .truncated(atByte: info.offset)
        case FARM_PNG_CHECKSUM.rawValue: throw .checksum(chunk: text(info.chunk))
        case FARM_PNG_NO_MEMORY.rawValue: throw .noMemory(size)
        default: throw .invalid(text(info.text))
        }
    }

    /// Returns the text of a C string in a fixed array; our C code always ends it with NUL.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { raw in
            String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func big32(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
