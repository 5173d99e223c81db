// Cuts the changed pixels of two pictures into regions with their kinds and sketches.
import CFarmShims
import FarmCore

/// The regions of the changed pixels of two pictures.
struct RegionCut {
    /// The regions with the most pixels first, at most `FarmLimits.clustersMax`.
    let regions: [Explanation.Region]
    /// The number of all regions.
    let regionCount: Int
    let bandMove: Explanation.BandMove?
    let counts: farm_class_counts

    init(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ classes: PixelClasses,
        _ alignment: PictureAlignment?
    ) {
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
        let others =
            Self.bands(alignment, reference.size, capture.size) + Self.moved(band, finder.apart)
        regions = (regions + others).sorted { $0.pixels > $1.pixels }
        regions = Array(regions.prefix(FarmLimits.clustersMax))
        let sketcher = RegionSketcher(reference, capture, alignment, classes)
        for place in regions.indices { regions[place].sketch = sketcher.sketch(regions[place]) }
        self.regions = regions
        regionCount = finder.regions.count + others.count
        bandMove = band?.move
        counts = finder.counts
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
