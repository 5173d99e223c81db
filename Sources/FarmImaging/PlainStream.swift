// The rows of a plain picture in the layout of the file, one filter byte before each. Filters are
// undone in place, and RGBA rows become the bitmap without being copied.
import CFarmShims
import FarmCore

/// An inflated picture with 3 or 4 bytes per pixel.
struct PlainStream {
    let size: PixelSize
    let pixelBytes: Int
    let storage: PixelStorage

    init(size: PixelSize, pixelBytes: Int) throws(PictureError) {
        let bytes = (size.width * pixelBytes + 1) * size.height
        guard let storage = PixelPool.shared.take(bytes + Int(FARM_PNG_SLACK)) else {
            throw .noMemory(size)
        }
        self.size = size
        self.pixelBytes = pixelBytes
        self.storage = storage
    }

    private var count: Int { (size.width * pixelBytes + 1) * size.height }

    /// Whether both streams have the same layout, so that their bytes can be compared.
    func isLike(_ other: PlainStream) -> Bool {
        size == other.size && pixelBytes == other.pixelBytes
    }

    /// Undoes the filters of all rows; returns false if a filter does not exist.
    func unfilter() -> Bool {
        withExtendedLifetime(storage) {
            farm_png_unfilter(
                storage.bytes,
                UInt32(size.width),
                UInt32(size.height),
                pixelBytes
            ) != 0
        }
    }

    /// The relation of two streams of one layout.
    enum Resolution {
        /// The pixels are equal.
        ///
        /// The filters may not have been undone.
        case equal
        /// The pixels differ; both streams are unfiltered, and no row outside `rows` differs.
        case differing(rows: DifferingRows)
        /// A filter does not exist; both streams may be overwritten.
        case broken
    }

    /// Undoes the filters of two streams of one layout, as far as needed to tell whether they
    /// differ.
    static func resolve(_ one: PlainStream, _ other: PlainStream) -> Resolution {
        let (width, height) = (UInt32(one.size.width), UInt32(one.size.height))
        return withExtendedLifetime((one.storage, other.storage)) {
            let (left, right) = (one.storage.bytes, other.storage.bytes)
            if farm_bytes_equal(left, right, one.count) != 0 {
                let known = farm_png_filters_exist(left, width, height, one.pixelBytes) != 0
                return known ? .equal : .broken
            }
            var rows = farm_rows()
            var flags = [UInt8](repeating: 0, count: one.size.height)
            let known = farm_png_unfilter_both(
                left,
                right,
                width,
                height,
                one.pixelBytes,
                &flags,
                &rows
            )
            guard known != 0 else { return .broken }
            return rows.last == 0 ? .equal : .differing(rows: DifferingRows(rows, flags: flags))
        }
    }

    /// Returns the picture of an unfiltered stream.
    func bitmap() throws(PictureError) -> Bitmap {
        if pixelBytes == 4 {
            return Bitmap(size: size, storage: storage, start: 1, stride: size.width * 4 + 1)
        }
        guard let wide = PixelPool.shared.take(size.width * size.height * 4) else {
            throw .noMemory(size)
        }
        withExtendedLifetime(storage) {
            farm_png_widen(
                storage.bytes,
                UInt32(size.width),
                UInt32(size.height),
                wide.bytes
            )
        }
        return Bitmap(size: size, storage: wide)
    }
}
