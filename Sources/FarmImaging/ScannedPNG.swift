// A file whose header is within the limits and whose checksums are all right. Decoding, the
// expensive part, is separate, so that a comparison can scan both files before it decodes either.
import CFarmShims
import FarmCore

/// A PNG that may be decoded.
///
/// It borrows the file's bytes, so it must not outlive them.
struct ScannedPNG {
    let bytes: UnsafeBufferPointer<UInt8>
    let size: PixelSize
    private(set) var info: farm_png_info

    /// Checks the header, the size limits and all checksums, and that there is one frame.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(PictureError) {
        self.bytes = bytes
        size = try PNGDecoder.checkedSize(bytes)
        info = farm_png_info()
        let status = farm_png_scan(
            bytes.baseAddress,
            bytes.count,
            FarmLimits.pictureChunksMax,
            &info
        )
        try PNGDecoder.check(status, info, size)
        guard info.animated == 0 else { throw .animated }
    }

    /// The checksums of the tags that define how samples become colours.
    var tags: ColourTags { ColourTags(info) }

    /// Returns the inflated stream of a plain picture, or `nil` for any other picture and for a
    /// stream that only libpng can judge.
    func stream() throws(PictureError) -> PlainStream? {
        let pixelBytes = withUnsafePointer(to: info) { farm_png_plain($0) }
        guard pixelBytes > 0 else { return nil }
        let stream = try PlainStream(size: size, pixelBytes: pixelBytes)
        let status = withUnsafePointer(to: info) { info in
            farm_png_inflate(bytes.baseAddress, info, stream.storage.bytes)
        }
        switch UInt32(status) {
        case FARM_PNG_OK.rawValue: return stream
        case FARM_PNG_NO_MEMORY.rawValue: throw .noMemory(size)
        default: return nil
        }
    }

    /// Decodes the file in the fastest way that works.
    func bitmap() throws(PictureError) -> Bitmap {
        try bitmap(of: try stream())
    }

    /// Returns the picture of `stream`, an inflated stream of this file whose filters are still in
    /// place; if it is `nil`, decodes with libpng.
    func bitmap(of stream: PlainStream?) throws(PictureError) -> Bitmap {
        guard let stream else { return try bitmapByLibpng() }
        // The message is libpng's; decoding with libpng would take as much memory again.
        guard stream.unfilter() else { throw .invalid("bad adaptive filter value") }
        return try stream.bitmap()
    }

    /// Decodes the file with libpng, whose result is final.
    func bitmapByLibpng() throws(PictureError) -> Bitmap {
        let planeBytes = size.width * size.height * 4
        let isDeep = info.bit_depth == 16
        guard let storage = PixelPool.shared.take(isDeep ? planeBytes * 2 : planeBytes) else {
            throw .noMemory(size)
        }
        var info = info
        let status = farm_png_decode(
            bytes.baseAddress,
            bytes.count,
            &info,
            storage.bytes,
            isDeep ? storage.bytes + planeBytes : nil
        )
        try PNGDecoder.check(status, info, size)
        return Bitmap(size: size, storage: storage, lowStart: isDeep ? planeBytes : nil)
    }
}

/// The checksums of the tags that define how samples become colours; equal tags have equal ones.
struct ColourTags: Equatable {
    /// The names of the tags, in the order of farm_png.h.
    private static let names = ["cHRM", "gAMA", "iCCP", "sRGB", "cICP"]
    private let checksums: [UInt32]

    init(_ info: farm_png_info) {
        let tags = info.tags
        checksums = [tags.0, tags.1, tags.2, tags.3, tags.4]
    }

    /// Returns the names of the tags that differ or that only one file has.
    func differing(from other: ColourTags) -> [String] {
        Self.names.indices
            .filter { checksums[$0] != other.checksums[$0] }
            .map { Self.names[$0] }
    }
}
