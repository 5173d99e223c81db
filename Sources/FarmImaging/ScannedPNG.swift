// A file whose header is under the limits and whose every checksum is right. What is left to do is
// the expensive part, so whoever compares two files can look at both before doing it.
import CFarmShims
import FarmCore

/// A PNG that may be decoded; borrows the file's bytes, so it must not outlive them.
struct ScannedPNG {
    let bytes: UnsafeBufferPointer<UInt8>
    let size: PixelSize
    private(set) var info: farm_png_info

    /// Looks at header and checksums.
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
    }

    /// The tags that say how samples become colours, as checksums.
    var tags: ColourTags { ColourTags(info) }

    /// The inflated stream of a plain picture; nil of others, and of what only libpng can judge.
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

    /// Decodes by the quickest way that takes the file.
    func bitmap() throws(PictureError) -> Bitmap {
        try bitmap(of: try stream())
    }

    /// Decodes on from a stream of this file whose filters are still there; without one by libpng.
    func bitmap(of stream: PlainStream?) throws(PictureError) -> Bitmap {
        guard let stream else { return try bitmapByLibpng() }
        // What libpng says of it, too; asked, it would take as much memory beside the stream.
        guard stream.unfilter() else { throw .invalid("bad adaptive filter value") }
        return try stream.bitmap()
    }

    /// Decodes by libpng, whose word is final.
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

/// Checksums of the tags that say how samples become colours; equal tags have equal checksums.
struct ColourTags: Equatable {
    /// In the order of farm_png.h.
    private static let names = ["cHRM", "gAMA", "iCCP", "sRGB", "cICP"]
    private let checksums: [UInt32]

    init(_ info: farm_png_info) {
        let tags = info.tags
        checksums = [tags.0, tags.1, tags.2, tags.3, tags.4]
    }

    /// The names of the tags that only one has, or that differ.
    func differing(from other: ColourTags) -> [String] {
        Self.names.indices
            .filter { checksums[$0] != other.checksums[$0] }
            .map { Self.names[$0] }
    }
}
