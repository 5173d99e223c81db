// Facts about two pictures that every comparison reports, whatever its policy: how many pixels
// differ, by how much, and where.
import CFarmShims
import FarmCore

enum Measurement {
    /// Measures pictures of one size; `counted` equals `differing`, and no regions are looked for.
    ///
    /// Only `rows` are looked at: outside them nothing differs.
    static func count(
        _ reference: Bitmap,
        _ capture: Bitmap,
        rows: Range<Int>
    ) -> PixelDifference {
        let found = withPictures(reference.rows(rows), capture.rows(rows)) { one, other in
            farm_pixels_count(one, other, UInt32(reference.width), UInt32(rows.count))
        }
        return PixelDifference(
            reference: reference.size,
            capture: capture.size,
            differing: found.differing,
            counted: found.differing,
            largestDelta: Int(found.largest_delta),
            clusters: []
        )
    }

    /// Measures pictures of one size; `counted` equals `differing`.
    static func ofPixels(_ reference: Bitmap, _ capture: Bitmap) -> PixelDifference {
        let common = measureCommon(reference, capture)
        return PixelDifference(
            reference: reference.size,
            capture: capture.size,
            differing: common.differing,
            counted: common.differing,
            largestDelta: common.largestDelta,
            clusters: Clusters.largest(common.regions)
        )
    }

    /// Measures pictures of different sizes, laid over each other at their top left corners.
    ///
    /// Pixels of the larger picture outside the common area count as differing: there are never
    /// more of them than the picture has, so the share stays within 1.
    static func ofSizes(_ reference: Bitmap, _ capture: Bitmap) -> PixelDifference {
        let common = measureCommon(reference, capture)
        let shared = commonSize(reference, capture)
        let larger = max(
            reference.width * reference.height,
            capture.width * capture.height
        )
        let differing = common.differing + larger - shared.width * shared.height
        return PixelDifference(
            reference: reference.size,
            capture: capture.size,
            differing: differing,
            counted: differing,
            largestDelta: common.largestDelta,
            clusters: Clusters.largest(common.regions + outside(reference.size, capture.size))
        )
    }

    static func commonSize(_ reference: Bitmap, _ capture: Bitmap) -> PixelSize {
        PixelSize(
            width: min(reference.width, capture.width),
            height: min(reference.height, capture.height)
        )
    }

    private struct Common {
        var differing: Int
        var largestDelta: Int
        var regions: [PixelBox]
    }

    private static func measureCommon(_ reference: Bitmap, _ capture: Bitmap) -> Common {
        let size = commonSize(reference, capture)
        let across = Clusters.tiles(along: size.width)
        var tiles = [farm_tile](
            repeating: farm_tile(),
            count: across * Clusters.tiles(along: size.height)
        )
        let found = tiles.withUnsafeMutableBufferPointer { tiles in
            withPictures(reference, capture) { one, other in
                farm_pixels_differ(
                    one,
                    other,
                    UInt32(size.width),
                    UInt32(size.height),
                    tiles.baseAddress
                )
            }
        }
        return Common(
            differing: found.differing,
            largestDelta: Int(found.largest_delta),
            regions: found.differing == 0 ? [] : Clusters.connected(&tiles, across: across)
        )
    }

    /// The strips right of and below the common area that only one of the pictures covers.
    private static func outside(_ reference: PixelSize, _ capture: PixelSize) -> [PixelBox] {
        var strips: [PixelBox] = []
        let wide = reference.width > capture.width ? reference : capture
        let high = reference.height > capture.height ? reference : capture
        let left = min(reference.width, capture.width)
        let top = min(reference.height, capture.height)
        if wide.width > left {
            strips.append(PixelBox(x: left, y: 0, width: wide.width - left, height: wide.height))
        }
        if high.height > top {
            strips.append(PixelBox(x: 0, y: top, width: high.width, height: high.height - top))
        }
        return strips
    }
}
