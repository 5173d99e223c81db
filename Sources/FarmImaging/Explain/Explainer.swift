// Explains a difference: its regions, the kind of each, and a fingerprint of the change. It runs
// only for pictures that differ; its time is bounded by the number of pixels, whatever they show.
import CFarmShims
import FarmCore

/// Explains the change between two pictures.
package enum Explainer {
    /// Explains pictures of any two sizes.
    ///
    /// `classes` are those of the canvas; without them, or with those of another size, every pixel
    /// that differs at all is changed. `alignment` is the result of `PictureAligner` for pictures
    /// of different sizes; if it is `nil`, it is computed.
    package static func explain(
        reference: Bitmap,
        capture: Bitmap,
        classes: PixelClasses? = nil,
        alignment: PictureAlignment? = nil
    ) -> Explanation {
        let alignment = alignment ?? PictureAligner.align(reference: reference, capture: capture)
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        let given = classes?.size == canvas ? classes : nil
        let classes = given ?? PixelClasses(reference, capture, alignment: alignment)
        let band = BandFinder(reference, capture, classes)?.find()
        let finder = RegionFinder(classes, rowsApart: band?.explained)
        let rules = KindRules(
            reference: reference,
            capture: capture,
            alignment: alignment ?? PictureAlignment(),
            classes: classes
        )
        var regions = finder.regions.prefix(FarmLimits.clustersMax).map { region in
            Explanation.Region(
                box: region.box,
                pixels: region.pixels,
                kind: rules.kind(of: region)
            )
        }
        regions = rules.joinMoves(regions)
        let others = bands(alignment, reference.size, capture.size) + moved(band, finder.apart)
        regions = (regions + others).sorted { $0.pixels > $1.pixels }
        regions = Array(regions.prefix(FarmLimits.clustersMax))
        let sketcher = RegionSketcher(reference, capture, alignment, classes)
        for place in regions.indices { regions[place].sketch = sketcher.sketch(regions[place]) }
        return Explanation(
            regions: regions,
            regionCount: finder.regions.count + others.count,
            bandMove: band?.move,
            alignment: alignment,
            noise: finder.counts.noise,
            antiAliased: finder.counts.anti_aliased,
            changed: finder.counts.changed,
            fingerprint: Explanation.fingerprint(
                of: regions,
                alignment: alignment,
                canvas: canvas
            )
        )
    }

    /// Returns the region of the rows that moved together, or an empty array if there is no band.
    private static func moved(_ band: MovedBand?, _ region: farm_region) -> [Explanation.Region] {
        guard let band, region.pixels > 0 else { return [] }
        return [
            Explanation.Region(
                box: region.box,
                pixels: region.pixels,
                kind: .moved(dx: 0, dy: band.move.by)
            )
        ]
    }

    /// Returns the regions of the rows and columns that only one picture has.
    ///
    /// A region's box crosses the whole canvas; its pixels are those of the picture that has the
    /// band.
    private static func bands(
        _ alignment: PictureAlignment?,
        _ reference: PixelSize,
        _ capture: PixelSize
    ) -> [Explanation.Region] {
        guard let alignment else { return [] }
        let canvas = PictureAlignment.canvas(reference, capture)
        var regions: [Explanation.Region] = []
        if let rows = alignment.rows {
            let length = rows.change == .inserted ? capture.width : reference.width
            regions.append(
                Explanation.Region(
                    box: PixelBox(x: 0, y: rows.at, width: canvas.width, height: rows.count),
                    pixels: rows.count * length,
                    kind: rows.change == .inserted ? .grew : .shrank
                )
            )
        }
        if let columns = alignment.columns {
            let length = columns.change == .inserted ? capture.height : reference.height
            regions.append(
                Explanation.Region(
                    box: PixelBox(
                        x: columns.at,
                        y: 0,
                        width: columns.count,
                        height: canvas.height
                    ),
                    pixels: columns.count * length,
                    kind: columns.change == .inserted ? .grew : .shrank
                )
            )
        }
        return regions
    }
}
