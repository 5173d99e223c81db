// The look of a region before and after, in a form that is nearly the same at each device scale.
// Changes are grouped by it. FarmImaging's Explainer makes it; no verdict depends on it.
import Foundation

/// A small description of a changed region's look before and after the change.
package struct RegionSketch: Hashable, Sendable {
    /// The look of a region in one of the two pictures; colours are straight RGBA.
    package struct Side: Hashable, Sendable {
        package static let across = 16
        package static let down = 8
        fileprivate static let bytesCount = 20 + across * down

        /// The most frequent colour in the region's box.
        package var ground: [UInt8]
        /// The colour in the box that differs most from the ground colour.
        package var ink: [UInt8]
        /// The mean colour of the region's changed pixels.
        package var mean: [UInt8]
        /// A hash of all pixels in the box: equal for equal pixels in boxes of one size.
        package var hash: [UInt8]
        /// For each tile of a 16 × 8 grid over the box, row by row, the mean distance of its pixels
        /// from the ground colour; 255 if the whole tile is ink.
        package var parts: [UInt8]

        package init(
            ground: [UInt8],
            ink: [UInt8],
            mean: [UInt8],
            hash: [UInt8],
            parts: [UInt8]
        ) {
            self.ground = ground
            self.ink = ink
            self.mean = mean
            self.hash = hash
            self.parts = parts
        }

        fileprivate init(_ bytes: ArraySlice<UInt8>) {
            let start = bytes.startIndex
            ground = Array(bytes[start..<start + 4])
            ink = Array(bytes[start + 4..<start + 8])
            mean = Array(bytes[start + 8..<start + 12])
            hash = Array(bytes[start + 12..<start + 20])
            parts = Array(bytes[(start + 20)...])
        }

        fileprivate var bytes: [UInt8] { ground + ink + mean + hash + parts }
    }

    package var before: Side
    package var after: Side
    /// The number of the region's pixels that its kind of change does not explain, at most 255.
    ///
    /// In a recoloured region, these are pixels that break "one colour becomes one colour"; in a
    /// moved region, pixels without a source. 0 for kinds that explain no pixels.
    package var odd: UInt8

    package init(before: Side, after: Side, odd: UInt8 = 0) {
        self.before = before
        self.after = after
        self.odd = odd
    }
}

/// The coding of a sketch as one Base64 text, to be short: each region of each difference has one.
extension RegionSketch: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let data = Data(base64Encoded: text), data.count == 2 * Side.bytesCount + 1
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not the sketch of a region"
            )
        }
        let bytes = [UInt8](data)
        before = Side(bytes[..<Side.bytesCount])
        after = Side(bytes[Side.bytesCount..<2 * Side.bytesCount])
        odd = bytes[2 * Side.bytesCount]
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(before.bytes + after.bytes + [odd]).base64EncodedString())
    }
}
