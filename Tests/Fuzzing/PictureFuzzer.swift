// What libFuzzer calls with every input: two files are compared the way a run compares them, and
// whatever the quick decoder accepts must be what libpng makes of it.
import CFarmShims
import FarmCore
import Foundation

/// Pixels of one picture, so that an input costs milliseconds.
private let pixelsMax = 1 << 16

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
private func decodersAgree(_ file: Data) {
    PNGDecoder.borrow(file) { bytes in
        guard let scanned = try? ScannedPNG(bytes), let stream = try? scanned.stream(),
            stream.unfilter()
        else { return }
        let quick = try? stream.bitmap()
        let slow = try? scanned.bitmapByLibpng()
        precondition(quick != nil && quick == slow, "the decoders disagree")
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
    for policy in policies {
        let comparison = PictureComparer.compare(pair, policy: policy)
        precondition(comparison.difference.map { !$0.words.isEmpty } ?? true)
    }
}

private let policies: [ComparisonPolicy] = [
    .exact, .fb(perPixelTolerance: 0.02, overallTolerance: 0.01), .pointFree(precision: 0.99),
    .pixelmatch(threshold: 0.1, includeAntiAliasing: false, maxDifferingPixels: 3),
]
