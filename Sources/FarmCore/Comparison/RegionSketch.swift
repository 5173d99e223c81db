// How a region looks before and after, in a form that is nearly the same at each device scale: by it
// pictures are told to have changed alike. Made by FarmImaging's Explainer; no verdict depends on it.
import Foundation

/// Both sides of one region.
package struct RegionSketch: Hashable, Sendable {
    /// One side of a region, in straight RGBA.
    package struct Side: Hashable, Sendable {
        package static let across = 16
        package static let down = 8
        fileprivate static let bytesCount = 20 + across * down

        /// The most frequent colour of the box.
        package var ground: [UInt8]
        /// The colour that is farthest from the ground.
        package var ink: [UInt8]
        /// Of the changed pixels.
        package var mean: [UInt8]
        /// Of all pixels: equal for equal pixels in boxes of one size.
        package var hash: [UInt8]
        /// How far the pixels of each part of the box are from the ground, row by row: 255 where all
        /// of a part is ink.
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
    /// Pixels that the region's kind does not explain, at most 255.
    ///
    /// Of a recoloured one those that broke "one colour becomes one colour", of a moved one those
    /// that came from nowhere; 0 of kinds that explain no pixels.
    package var odd: UInt8

    package init(before: Side, after: Side, odd: UInt8 = 0) {
        self.before = before
        self.after = after
        self.odd = odd
    }
}

/// One text in Base64: it is there for each region of each difference.
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
