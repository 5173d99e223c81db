// Passes two pictures on one canvas to the loops in C.
import CFarmShims
import FarmCore

extension PictureAlignment {
    /// Calls `body` with two pictures, laid over each other by this alignment, in the form that the
    /// C code reads, valid only during the call.
    func withPair<Result>(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ body: (UnsafePointer<farm_pair>) -> Result
    ) -> Result {
        withPictures(reference, capture) { one, other in
            var pair = farm_pair(
                reference: one,
                capture: other,
                columns: Self.axis(columns, reference.width, capture.width),
                rows: Self.axis(rows, reference.height, capture.height)
            )
            return body(&pair)
        }
    }

    /// Returns one axis of the canvas in the C code's form; `reference` and `capture` are the
    /// lengths of the two pictures on this axis, in pixels.
    ///
    /// If `band` does not fit the lengths, the axis has its band at the end, so that no pixel
    /// outside the pictures is read, even with the alignment of other pictures.
    private static func axis(_ band: Band?, _ reference: Int, _ capture: Int) -> farm_axis {
        let common = min(reference, capture)
        let isTheirs =
            band.map {
                ($0.change == .inserted ? $0.count : -$0.count) == capture - reference
                    && (0...common).contains($0.at)
            } ?? false
        let at = isTheirs ? band?.at ?? common : common
        return farm_axis(
            common: UInt32(common),
            at: UInt32(at),
            reference_only: UInt32(reference - common),
            capture_only: UInt32(capture - common)
        )
    }
}

extension farm_axis {
    /// The stretches of the axis that both pictures have: their starts on the canvas, in the
    /// reference and in the capture.
    var shared: [(start: Int, inReference: Int, inCapture: Int, count: Int)] {
        let band = Int(reference_only + capture_only)
        let stretches = [
            (start: 0, inReference: 0, inCapture: 0, count: Int(at)),
            (
                start: Int(at) + band, inReference: Int(at + reference_only),
                inCapture: Int(at + capture_only), count: Int(common - at)
            ),
        ]
        return stretches.filter { $0.count > 0 }
    }
}

extension farm_picture {
    /// Returns the part of the picture right of and below one of its pixels, including it.
    func from(x: Int, y: Int) -> farm_picture {
        let offset = y * stride + x * 4
        return farm_picture(
            high: high.map { $0 + offset },
            low: low.map { $0 + offset },
            stride: stride
        )
    }
}
