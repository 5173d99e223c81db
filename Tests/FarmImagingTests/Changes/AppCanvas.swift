// A canvas that draws in points at any device scale, with blended edges like a real renderer.
import FarmCore

@testable import FarmImaging

struct AppCanvas {
    let size: PixelSize
    private let scale: Double
    private var pixels: [UInt8]

    /// Makes a canvas; `width` and `height` are in points.
    init(width: Int, height: Int, scale: Int, ground: [UInt8]) {
        size = PixelSize(width: width * scale, height: height * scale)
        self.scale = Double(scale)
        let row = [[UInt8]](repeating: ground, count: size.width).flatMap(\.self)
        pixels = []
        pixels.reserveCapacity(row.count * size.height)
        for _ in 0..<size.height { pixels += row }
    }

    var bitmap: Bitmap { Bitmap(size: size, pixels: pixels) }

    /// Fills a rectangle given in points; partly covered pixels are blended.
    mutating func fill(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        _ colour: [UInt8]
    ) {
        let across = Self.cover(x * scale, (x + width) * scale, size.width)
        let down = Self.cover(y * scale, (y + height) * scale, size.height)
        let stride = size.width * 4
        pixels.withUnsafeMutableBufferPointer { pixels in
            for (row, share) in down {
                for (column, part) in across {
                    let at = row * stride + column * 4
                    let alpha = share * part
                    if alpha >= 0.999 {
                        for i in 0..<3 { pixels[at + i] = colour[i] }
                        continue
                    }
                    for i in 0..<3 {
                        let old = Double(pixels[at + i])
                        let new = old + (Double(colour[i]) - old) * alpha
                        pixels[at + i] = UInt8(new.rounded())
                    }
                }
            }
        }
    }

    /// Sets one pixel of the device.
    mutating func set(_ x: Int, _ y: Int, _ colour: [UInt8]) {
        for i in 0..<4 { pixels[(y * size.width + x) * 4 + i] = colour[i] }
    }

    func colour(_ x: Int, _ y: Int) -> [UInt8] {
        let at = (y * size.width + x) * 4
        return Array(pixels[at..<at + 4])
    }

    /// Returns the pixels that a stretch covers, and the covered share of each.
    private static func cover(_ from: Double, _ to: Double, _ count: Int) -> [(Int, Double)] {
        let first = max(Int(from.rounded(.down)), 0)
        let last = min(Int(to.rounded(.up)), count)
        guard first < last else { return [] }
        return (first..<last).map { place in
            (place, min(to, Double(place + 1)) - max(from, Double(place)))
        }
    }
}
