// The entry of libFuzzer for every input: two files are compared as in a run, and every file that
// the quick decoder accepts must give libpng's pixels.
import CFarmShims
import FarmCore
import Foundation

/// The most pixels of one picture, so that an input takes milliseconds.
private let pixelsMax = 1 << 13

/// The entry that libFuzzer calls; png_mutator.c describes the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: size)
    guard size >= 4 else { return 0 }
    let split = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard split <= size - 4 else { return 0 }
    // Copies, so that the sanitizer detects a read beyond either file.
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

/// Checks that libpng accepts every file that the quick decoder accepts, with the same pixels.
///
/// Fuzzing found one exception: zlib refuses some encodings of Huffman codes that libdeflate reads.
/// The pixels' checksum is right nevertheless, so no wrong pixels are shown.
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
    // The separately decoded pictures decide whether the shared work was right.
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
            let explained = try? ExplainedPair(
                reference: one,
                capture: other,
                choice: choice,
                findsParts: true
            )
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
