// The counts that the gate of the policy `visible` needs: those of `PixelClasses`, without keeping
// a class for each pixel.
import CFarmShims
import FarmCore

/// The classes of the pixels of two pictures of one size, counted.
package struct CountedPixels: Sendable {
    package let size: PixelSize
    /// The number of pixels that differ by more than noise and are neither anti-aliasing nor
    /// ignored.
    package let changed: Int
    package let noise: Int
    package let antiAliased: Int
    /// The smallest box around the changed pixels, or `nil` if there are none.
    package let box: PixelBox?
    /// The window with the most changed pixels, or `nil` if there are none.
    package let worst: WorstWindow?

    /// Counts the classes of two pictures' pixels, as `PixelClasses` with the same arguments has
    /// them.
    ///
    /// `rows` may be given if no row outside them differs.
    init(
        _ reference: Bitmap,
        _ capture: Bitmap,
        noise: Int,
        antiAliasing: Bool,
        ignoring boxes: [PixelBox] = [],
        rows: DifferingRows? = nil
    ) {
        precondition(reference.size == capture.size, "classes are of pictures of one size")
        let ignored = boxes.map(\.clamped)
        let (width, height) = reference.side
        let differing = rows ?? DifferingRows(0..<reference.height)
        let found = withUnsafeTemporaryAllocation(
            of: UInt8.self,
            capacity: farm_gate_scratch(width, height)
        ) { scratch in
            differing.withRows { rows in
                withPictures(reference, capture) { one, other in
                    farm_gate_judge(
                        one,
                        other,
                        width,
                        height,
                        rows,
                        UInt32(max(0, noise)),
                        antiAliasing ? 1 : 0,
                        ignored,
                        ignored.count,
                        scratch.baseAddress
                    )
                }
            }
        }
        size = reference.size
        changed = found.changed
        self.noise = found.noise
        antiAliased = found.anti_aliased
        box = found.box.right == 0 ? nil : PixelBox(found.box)
        worst = found.worst == 0 ? nil : WorstWindow(found, in: reference.size)
    }

    /// The changed pixels as a share of all pixels, 0…1.
    package var share: Double { Double(changed) / Double(size.width * size.height) }
}

extension PixelBox {
    fileprivate init(_ box: farm_box) {
        self.init(
            x: Int(box.left),
            y: Int(box.top),
            width: Int(box.right - box.left),
            height: Int(box.bottom - box.top)
        )
    }
}

extension WorstWindow {
    fileprivate init(_ gate: farm_gate, in size: PixelSize) {
        self.init(
            counted: Int(gate.worst),
            box: PixelBox(
                x: Int(gate.worst_x),
                y: Int(gate.worst_y),
                width: min(VisibleLimits.window, size.width),
                height: min(VisibleLimits.window, size.height)
            )
        )
    }
}
