// Changed regions: tiles with changed pixels that touch each other, also at a corner, are one
// region; its box is the smallest around its changed pixels. Linear in the number of tiles.
import CFarmShims
import FarmCore

enum Clusters {
    static func tiles(along pixels: Int) -> Int {
        (pixels + Int(FARM_TILE) - 1) / Int(FARM_TILE)
    }

    /// The boxes of all regions; empties the tiles on the way.
    static func connected(_ tiles: inout [farm_tile], across: Int) -> [PixelBox] {
        var regions: [PixelBox] = []
        var pending: [Int] = []
        for start in tiles.indices where tiles[start].right > 0 {
            var region = tiles[start]
            tiles[start].right = 0
            pending.append(start)
            while let tile = pending.popLast() {
                for near in neighbours(of: tile, across: across, count: tiles.count)
                where tiles[near].right > 0 {
                    region = union(region, tiles[near])
                    tiles[near].right = 0
                    pending.append(near)
                }
            }
            regions.append(box(region))
        }
        return regions
    }

    /// The largest boxes first; boxes of one area in reading order.
    static func largest(_ regions: [PixelBox]) -> [PixelBox] {
        let sorted = regions.sorted { left, right in
            let areas = (left.width * left.height, right.width * right.height)
            guard areas.0 == areas.1 else { return areas.0 > areas.1 }
            return (left.y, left.x) < (right.y, right.x)
        }
        return Array(sorted.prefix(FarmLimits.clustersMax))
    }

    private static func neighbours(of tile: Int, across: Int, count: Int) -> [Int] {
        let column = tile % across
        var near: [Int] = []
        for row in [tile - across, tile, tile + across] where row >= 0 && row < count {
            if column > 0 { near.append(row - 1) }
            if row != tile { near.append(row) }
            if column + 1 < across { near.append(row + 1) }
        }
        return near
    }

    private static func union(_ a: farm_tile, _ b: farm_tile) -> farm_tile {
        farm_tile(
            left: min(a.left, b.left),
            top: min(a.top, b.top),
            right: max(a.right, b.right),
            bottom: max(a.bottom, b.bottom)
        )
    }

    private static func box(_ tile: farm_tile) -> PixelBox {
        PixelBox(
            x: Int(tile.left),
            y: Int(tile.top),
            width: Int(tile.right - tile.left),
            height: Int(tile.bottom - tile.top)
        )
    }
}
