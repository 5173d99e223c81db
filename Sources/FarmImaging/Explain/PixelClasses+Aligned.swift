// Classes of two pictures that may differ in size: one for each pixel of their canvas.
import CFarmShims
import FarmCore

extension PixelClasses {
    /// Creates the value from known classes, which lie in rows without padding.
    init(size: PixelSize, classes: [Class]) {
        precondition(classes.count == size.width * size.height, "one class for each pixel")
        self.init(size: size, raw: classes.map(\.rawValue))
    }

    private init(size: PixelSize, raw: [UInt8]) {
        self.size = size
        classes = raw
    }

    /// Classifies the pixels that both pictures have.
    ///
    /// Pixels of inserted and removed bands are `same`, because the alignment describes them.
    ///
    /// `noise` is the largest channel difference that counts as noise, 0...255; `boxes` are in the
    /// reference's pixels.
    init(
        _ reference: Bitmap,
        _ capture: Bitmap,
        alignment: PictureAlignment?,
        noise: Int = 0,
        antiAliasing: Bool = false,
        ignoring boxes: [PixelBox] = []
    ) {
        guard let alignment, reference.size != capture.size else {
            self.init(
                reference,
                capture,
                noise: noise,
                antiAliasing: antiAliasing,
                ignoring: boxes
            )
            return
        }
        let canvas = PictureAlignment.canvas(reference.size, capture.size)
        var classes = [UInt8](repeating: 0, count: canvas.width * canvas.height)
        classes.withUnsafeMutableBufferPointer { classes in
            alignment.withPair(reference, capture) { pair in
                for rows in pair.pointee.rows.shared {
                    for columns in pair.pointee.columns.shared {
                        let block = Block(columns: columns, rows: rows)
                        block.fill(
                            classes,
                            canvas.width,
                            pair.pointee,
                            (noise, antiAliasing),
                            boxes
                        )
                    }
                }
            }
        }
        self.init(size: canvas, raw: classes)
    }
}

/// A part of the canvas that both pictures have, without a band in it.
private struct Block {
    typealias Stretch = (start: Int, inReference: Int, inCapture: Int, count: Int)
    var columns: Stretch
    var rows: Stretch

    func fill(
        _ classes: UnsafeMutableBufferPointer<UInt8>,
        _ canvasWidth: Int,
        _ pair: farm_pair,
        _ rules: (noise: Int, antiAliasing: Bool),
        _ boxes: [PixelBox]
    ) {
        let ignored = boxes.map { box in
            let box = box.clamped
            func inside(_ place: UInt32, from start: Int) -> UInt32 {
                UInt32(max(Int(place) - start, 0))
            }
            return farm_box(
                left: inside(box.left, from: columns.inReference),
                top: inside(box.top, from: rows.inReference),
                right: inside(box.right, from: columns.inReference),
                bottom: inside(box.bottom, from: rows.inReference)
            )
        }
        let one = pair.reference.from(x: columns.inReference, y: rows.inReference)
        let other = pair.capture.from(x: columns.inCapture, y: rows.inCapture)
        func classify(_ out: UnsafeMutablePointer<UInt8>?) {
            farm_classes_fill(
                one,
                other,
                UInt32(columns.count),
                UInt32(rows.count),
                UInt32(rules.noise),
                rules.antiAliasing ? 1 : 0,
                ignored,
                ignored.count,
                out
            )
        }
        let start = rows.start * canvasWidth + columns.start
        if columns.count == canvasWidth {
            classify(classes.baseAddress.map { $0 + start })
            return
        }
        // A block's classes lie without padding, but the canvas' rows are longer.
        let area = columns.count * rows.count
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: area) { packed in
            classify(packed.baseAddress)
            for row in 0..<rows.count {
                let part = packed[row * columns.count..<(row + 1) * columns.count]
                let at = start + row * canvasWidth
                _ = classes[at..<at + columns.count].update(fromContentsOf: part)
            }
        }
    }
}
