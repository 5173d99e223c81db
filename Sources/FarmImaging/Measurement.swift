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
        var found = Found()
        withPictures(reference, capture) { one, other in
            found.add(one, other, PixelBox(origin: (0, 0), size: reference.size))
        }
        return difference(reference, capture, found, differing: found.differing)
    }

    /// Measures pictures of different sizes, aligned so that the fewest pixels differ.
    ///
    /// Pixels of the larger picture outside the common area count as differing: there are never
    /// more of them than the picture has, so the share stays within 1.
    static func ofSizes(_ reference: Bitmap, _ capture: Bitmap) -> PixelDifference {
        let alignment =
            PictureAligner.align(reference: reference, capture: capture) ?? PictureAlignment()
        var found = Found()
        var shared = 0
        alignment.withPair(reference, capture) { pair in
            for rows in pair.pointee.rows.shared {
                for columns in pair.pointee.columns.shared {
                    found.add(
                        pair.pointee.reference.from(x: columns.inReference, y: rows.inReference),
                        pair.pointee.capture.from(x: columns.inCapture, y: rows.inCapture),
                        PixelBox(
                            x: columns.start,
                            y: rows.start,
                            width: columns.count,
                            height: rows.count
                        )
                    )
                    shared += columns.count * rows.count
                }
            }
        }
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        found.regions += bands(alignment, canvas)
        let larger = max(
            reference.width * reference.height,
            capture.width * capture.height
        )
        let differing = found.differing + larger - shared
        return difference(reference, capture, found, differing: differing)
    }

    private static func difference(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ found: Found,
        differing: Int
    ) -> PixelDifference {
        PixelDifference(
            reference: reference.size,
            capture: capture.size,
            differing: differing,
            counted: differing,
            largestDelta: found.largestDelta,
            clusters: Clusters.largest(found.regions)
        )
    }

    private struct Found {
        var differing = 0
        var largestDelta = 0
        var regions: [PixelBox] = []

        /// Adds two pictures of one size that lie at `place` of the canvas.
        mutating func add(_ one: farm_picture, _ other: farm_picture, _ place: PixelBox) {
            let across = Clusters.tiles(along: place.width)
            var tiles = [farm_tile](
                repeating: farm_tile(),
                count: across * Clusters.tiles(along: place.height)
            )
            let part = farm_pixels_differ(
                one,
                other,
                UInt32(place.width),
                UInt32(place.height),
                &tiles
            )
            guard part.differing > 0 else { return }
            differing += part.differing
            largestDelta = max(largestDelta, Int(part.largest_delta))
            regions += Clusters.connected(&tiles, across: across).map { box in
                PixelBox(
                    x: box.x + place.x,
                    y: box.y + place.y,
                    width: box.width,
                    height: box.height
                )
            }
        }
    }

    /// The rows and columns of the canvas that only one of the pictures has.
    private static func bands(
        _ alignment: PictureAlignment,
        _ canvas: PixelSize
    ) -> [PixelBox] {
        let rows = alignment.rows.map {
            PixelBox(x: 0, y: $0.at, width: canvas.width, height: $0.count)
        }
        let columns = alignment.columns.map {
            PixelBox(x: $0.at, y: 0, width: $0.count, height: canvas.height)
        }
        return [rows, columns].compactMap(\.self)
    }
}

extension PixelBox {
    fileprivate init(origin: (x: Int, y: Int), size: PixelSize) {
        self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
    }
}
