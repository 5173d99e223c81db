// The parts of a difference by which pictures of all screens are grouped into causes: its moves,
// its recolourings, and the regions of all other changed pixels.

/// A straight RGBA colour.
package struct Colour: Hashable, Sendable {
    package var red, green, blue, alpha: UInt8

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// The colour as style sheets write it: `#b7410e`, with alpha unless opaque.
    package var text: String {
        let parts = [red, green, blue] + (alpha == 255 ? [] : [alpha])
        return "#"
            + parts.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Parses the text of a colour, or returns `nil`.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6 || digits.count == 8,
            digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            let number = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        let value = digits.count == 6 ? number << 8 | 255 : number
        self.init(
            UInt8(value >> 24),
            UInt8(value >> 16 & 255),
            UInt8(value >> 8 & 255),
            UInt8(value & 255)
        )
    }
}

extension Explanation {
    /// A colour that became another one, with all its blends.
    package struct Recolouring: Hashable, Sendable {
        package var from: Colour
        package var to: Colour
        /// The number of changed pixels that the recolouring explains.
        package var pixels: Int

        package init(from: Colour, to: Colour, pixels: Int) {
            self.from = from
            self.to = to
            self.pixels = pixels
        }
    }

    /// A place where the capture has more or fewer rows than the reference, so that all rows below
    /// moved.
    package struct RowShift: Hashable, Sendable, Codable {
        /// The row of the reference that the capture repeats, or the first of those that it lacks.
        package var row: Int
        /// The number of pixels by which the rows below moved down, compared with those above;
        /// negative if they moved up.
        package var by: Int

        package init(row: Int, by: Int) {
            self.row = row
            self.by = by
        }
    }

    /// A difference that moved or was recoloured in parts.
    package struct Parts: Hashable, Sendable, Codable {
        /// The shifts from the top to the bottom; `nil` if no rows moved.
        ///
        /// The reference with these shifts is the capture but for the recolourings and `rest`.
        package var shifts: [RowShift]?
        package var recolourings: [Recolouring]
        /// The regions of the pixels that no shift and no recolouring explains, in the capture's
        /// pixels.
        package var rest: [Region]
        /// The number of these regions, including those that `rest` does not list.
        package var restCount: Int

        package init(
            shifts: [RowShift]? = nil,
            recolourings: [Recolouring],
            rest: [Region],
            restCount: Int
        ) {
            self.shifts = shifts
            self.recolourings = recolourings
            self.rest = rest
            self.restCount = restCount
        }

        /// The most shifts and recolourings of one picture.
        package static let shiftsMax = 256
        static let recolouringsMax = 8
    }
}

/// The coding of a recolouring as one text: `#b7410e #008080 1204`.
extension Explanation.Recolouring: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let words = try container.decode(String.self).split(separator: " ")
        guard words.count == 3, let from = Colour(words[0]), let to = Colour(words[1]),
            let pixels = Int(words[2]), pixels >= 0
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a recolouring"
            )
        }
        self.init(from: from, to: to, pixels: pixels)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(from.text) \(to.text) \(pixels)")
    }
}
