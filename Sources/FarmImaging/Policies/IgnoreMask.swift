// Reads masks: pictures in which the ignored areas are painted white, on black or on nothing. A
// mask is read once, as boxes, because boxes travel with a job and pictures do not.
import CFarmShims
import FarmCore

/// Reads masks.
package enum IgnoreMask {
    /// Returns the boxes of all light and opaque pixels of a mask: luma and alpha 128 or more.
    ///
    /// The boxes do not overlap: runs of a row exactly below runs of the row above form one box.
    package static func boxes(of mask: Bitmap) throws(IgnoreMaskError) -> [PixelBox] {
        var boxes: [PixelBox] = []
        // The boxes that reach the row above, from left to right.
        var open: [PixelBox] = []
        var above = [UInt8](repeating: 0, count: mask.width)
        var row = above
        for y in 0..<mask.height {
            mask.withPicture { farm_mask_row($0, UInt32(y), UInt32(mask.width), &row) }
            if row == above {
                for index in open.indices { open[index].height += 1 }
                continue
            }
            let next = runs(of: row, y: y, below: open)
            boxes += open.filter { box in !next.contains { $0.x == box.x && $0.y == box.y } }
            open = next
            guard boxes.count + open.count <= FarmLimits.ignoredBoxesMax else {
                throw .tooManyBoxes
            }
            swap(&row, &above)
        }
        boxes += open
        guard !boxes.isEmpty else { throw .ignoresNothing }
        let whole = PixelBox(x: 0, y: 0, width: mask.width, height: mask.height)
        guard boxes != [whole] else { throw .ignoresEverything }
        return boxes
    }

    /// Returns the runs of marked pixels in a row, each as a box.
    ///
    /// A run exactly below a box of `open` becomes that box, one row higher.
    private static func runs(of row: [UInt8], y: Int, below open: [PixelBox]) -> [PixelBox] {
        var runs: [PixelBox] = []
        var start: Int?
        for x in 0...row.count {
            let marked = x < row.count && row[x] != 0
            if marked, start == nil { start = x }
            guard !marked, let left = start else { continue }
            start = nil
            var run = PixelBox(x: left, y: y, width: x - left, height: 1)
            if let box = open.first(where: { $0.x == left && $0.width == run.width }) {
                run.y = box.y
                run.height = box.height + 1
            }
            runs.append(run)
        }
        return runs
    }
}

/// The reason why a picture is no mask.
package enum IgnoreMaskError: ExplainedError, Hashable {
    case ignoresNothing
    case ignoresEverything
    case tooManyBoxes

    package var code: String {
        switch self {
        case .ignoresNothing: "mask-empty"
        case .ignoresEverything: "mask-full"
        case .tooManyBoxes: "mask-too-detailed"
        }
    }

    package var message: String {
        switch self {
        case .ignoresNothing: "the mask has no white pixel, so it ignores nothing."
        case .ignoresEverything: "the mask is white throughout, so it ignores everything."
        case .tooManyBoxes:
            "the mask's white pixels are more than \(FarmLimits.ignoredBoxesMax) boxes."
        }
    }

    package var remedy: String {
        switch self {
        case .ignoresNothing, .ignoresEverything:
            "Paint what is to be ignored white, on black or on nothing."
        case .tooManyBoxes:
            "Paint fewer and larger areas with straight edges; a photograph is no mask."
        }
    }

    package var exit: ExitCode { .invalidInput }
    package var description: String { message }
}
