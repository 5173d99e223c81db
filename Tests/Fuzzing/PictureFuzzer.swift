// What libFuzzer calls with every input: two files are compared the way a run compares them, and
// whatever the quick decoder accepts must be what libpng makes of it.
import CFarmShims
import FarmCore
import Foundation

/// Pixels of one picture, so that an input costs milliseconds.
private let pixelsMax = 1 << 13

/// libFuzzer's entry; an input is what png_mutator.c says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: size)
    guard size >= 4 else { return 0 }
    let split = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard split <= size - 4 else { return 0 }
    // Copies, so that the sanitizer sees a read beyond either file.
    let reference = Data(bytes[4..<4 + split])
    let capture = Data(bytes[(4 + split)...])
    for file in [reference, capture] {
        guard let pixels = try? PNGDecoder.size(of: file) else { continue }
        guard pixels.width * pixels.height <= pixelsMax else { return 0 }
        decodersAgree(file)
    }
    compare(reference, capture)
    return 0
}

/// Whatever the quick way takes, libpng takes, with the same pixels.
///
/// One exception was found by fuzzing: zlib refuses some ways to write down Huffman codes that
/// libdeflate reads. The pixels' checksum is right all the same, so nothing false is shown.
private func decodersAgree(_ file: Data) {
    PNGDecoder.borrow(file) { bytes in
        guard let scanned = try? ScannedPNG(bytes), let stream = try? scanned.stream(),
            stream.unfilter()
        else { return }
        let quick = try? stream.bitmap()
        do {
            let slow = try scanned.bitmapByLibpng()
            precondition(quick == slow, "the decoders disagree")
        } catch PictureError.invalid(let text) where text.hasPrefix("IDAT: invalid") {
            return
        } catch {
            preconditionFailure("libpng refuses what the quick way takes: \(error)")
        }
    }
}

private func compare(_ reference: Data, _ capture: Data) {
    guard let pair = try? ExaminedPair(reference: reference, capture: capture) else { return }
    // What the two decode to by themselves decides whether the shared way was right.
    let alone = (try? PNGDecoder.decode(reference), try? PNGDecoder.decode(capture))
    switch pair {
    case .identicalBytes: return
    case .identicalPixels: precondition(alone.0 == alone.1, "equal together, different alone")
    case .differing(let one, let other, _):
        precondition(alone.0 == one && alone.1 == other, "decoded otherwise together than alone")
        precondition(one != other, "different together, equal alone")
    }
    for choice in choices {
        let comparison = PictureComparer.compare(pair, choice: choice)
        guard case .differing(let one, let other, _) = pair,
            let explained = try? ExplainedPair(reference: one, capture: other, choice: choice)
        else { continue }
        let words = comparison.explained(by: explained.explanation).difference?.words ?? "."
        precondition(!words.isEmpty && words.count <= 200)
        let small = try? explained.threeUp(widthMax: 90, heightMax: 40)
        precondition(small.map { (try? PNGDecoder.decode($0)) != nil } ?? true)
        let diff = try? explained.diff()
        precondition(diff.map { (try? PNGDecoder.decode($0)) != nil } ?? true)
    }
}

private let choices = [
    ComparisonChoice(.visible(), ignored: [PixelBox(x: 2, y: 1, width: 5, height: 900)]),
    ComparisonChoice(.visible(VisibleLimits(noise: 0, antiAliasing: .counted, share: 0.5))),
    ComparisonChoice(.exact),
    ComparisonChoice(.fb(perPixelTolerance: 0.02, overallTolerance: 0.01)),
    ComparisonChoice(.pointFree(precision: 0.99)),
    ComparisonChoice(.pointFree(precision: 0.99, perceptualPrecision: 0.98)),
    ComparisonChoice(
        .pixelmatch(threshold: 0.1, includeAntiAliasing: false, maxDifferingPixels: 3)
    ),
    ComparisonChoice(
        .pixelmatch(
            threshold: 0,
            includeAntiAliasing: false,
            maxDifferingPixels: 3,
            version: .v5
        )
    ),
    ComparisonChoice(.paparazzi(maxPercentDifference: 0.01)),
    ComparisonChoice(.roborazzi(maxDistance: 0.007, threshold: 0)),
]
