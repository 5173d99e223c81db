// Finds regions of changed pixels. A grid gathers pixels that lie close together, and touching
// cells form one region. Then regions that are parts of one thing are joined: one within another,
// and neighbours on one line (the glyphs of a word) closer than half their height.
import CFarmShims
import FarmCore

struct RegionFinder {
    /// The number of cells along the picture's shorter side; a cell is about 8 points wide on a
    /// phone.
    ///
    /// Cells are shares of the picture, not pixels, so that regions are the same at each device
    /// scale.
    private static let cellsAcross = 48.0
    /// The smallest edge of a cell in pixels, for pictures of single controls.
    private static let cellEdgeMin = 8.0
    /// The most cells of a grid, a bound for pictures one pixel wide.
    private static let cellsMax = 1 << 18
    /// The most regions whose neighbours are joined; noise has more, and joining is quadratic.
    private static let joinMax = 256

    /// All regions, the most changed pixels first.
    private(set) var regions: [farm_region] = []
    /// The region of all changed pixels in the rows that `rowsApart` marked.
    private(set) var apart = farm_region()
    private(set) var counts = farm_class_counts()

    /// Finds the regions of changed pixels.
    ///
    /// The changed pixels of rows that `rowsApart` marks go to `apart`.
    init(_ classes: PixelClasses, rowsApart: [UInt8]?) {
        let size = classes.size
        let grid = Self.grid(size)
        let cellCount = Int(grid.across * grid.down)
        var cells = [farm_region](repeating: farm_region(), count: cellCount)
        if let rowsApart {
            fill(&cells, grid, classes, rowsApart)
        } else {
            fill(&cells, grid, classes, nil)
        }
        var pending = [UInt32](repeating: 0, count: cellCount)
        // No two regions touch, so at most every fourth cell starts one.
        let room = (Int(grid.across) + 1) / 2 * ((Int(grid.down) + 1) / 2)
        regions = [farm_region](unsafeUninitializedCapacity: room) { regions, count in
            count = farm_cells_join(&cells, grid, &pending, regions.baseAddress, room)
        }
        if regions.count <= Self.joinMax { joinParts() }
        regions.sort { left, right in
            let pixels = (left.pixels, right.pixels)
            guard pixels.0 == pixels.1 else { return pixels.0 > pixels.1 }
            return (left.top, left.left) < (right.top, right.left)
        }
    }

    private mutating func fill(
        _ cells: inout [farm_region],
        _ grid: farm_grid,
        _ classes: PixelClasses,
        _ rowsApart: [UInt8]?
    ) {
        let size = classes.size
        rowsApart.withOptionalPointer { rows in
            farm_cells_fill(
                classes.classes,
                UInt32(size.width),
                UInt32(size.height),
                grid,
                rows,
                &cells,
                &apart,
                &counts
            )
        }
    }

    private static func grid(_ size: PixelSize) -> farm_grid {
        let width = Double(size.width)
        let height = Double(size.height)
        var edge = max(min(width, height) / cellsAcross, cellEdgeMin)
        while (width / edge + 1) * (height / edge + 1) > Double(cellsMax) { edge *= 2 }
        return farm_grid(
            across: UInt32(max(1, (width / edge).rounded())),
            down: UInt32(max(1, (height / edge).rounded()))
        )
    }

    private mutating func joinParts() {
        var isJoined = true
        while isJoined {
            isJoined = false
            var kept: [farm_region] = []
            for region in regions {
                if let at = kept.firstIndex(where: { $0.belongs(with: region) }) {
                    kept[at].join(region)
                    isJoined = true
                } else {
                    kept.append(region)
                }
            }
            regions = kept
        }
    }
}

extension farm_region {
    var pixels: Int { changed + anti_aliased }

    var box: PixelBox {
        PixelBox(
            x: Int(left),
            y: Int(top),
            width: Int(right - left),
            height: Int(bottom - top)
        )
    }

    /// Whether two regions are parts of one thing: one lies within the other, or they share a line
    /// (their heights overlap by half) with a gap of at most half the smaller height.
    func belongs(with other: farm_region) -> Bool {
        let overlapX = Int(min(right, other.right)) - Int(max(left, other.left))
        let overlapY = Int(min(bottom, other.bottom)) - Int(max(top, other.top))
        let height = min(Int(bottom - top), Int(other.bottom - other.top))
        let width = min(Int(right - left), Int(other.right - other.left))
        if overlapX == width && overlapY == height { return true }
        return overlapY * 2 >= height && -overlapX * 2 <= height
    }

    mutating func join(_ other: farm_region) {
        left = min(left, other.left)
        top = min(top, other.top)
        right = max(right, other.right)
        bottom = max(bottom, other.bottom)
        changed += other.changed
        anti_aliased += other.anti_aliased
    }
}

extension [UInt8]? {
    /// Calls `body` with a pointer to the bytes, valid only during the call, or with `nil` if there
    /// are none.
    fileprivate func withOptionalPointer<Result>(
        _ body: (UnsafePointer<UInt8>?) -> Result
    ) -> Result {
        guard let bytes = self else { return body(nil) }
        return bytes.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
