// Card numbers are checked by Luhn's rule and never shown in full.

/// A card number that passed its check digit.
package struct CardNumber: Hashable, Sendable {
    private let digits: [Int]

    /// Reads a number with or without spaces and hyphens; nil for anything else, a wrong length
    /// or a wrong check digit.
    package init?(_ text: String) {
        var digits: [Int] = []
        for character in text where character != " " && character != "-" {
            guard character.isASCII, let digit = character.wholeNumberValue else { return nil }
            digits.append(digit)
        }
        guard (12...19).contains(digits.count), Self.luhnSum(digits).isMultiple(of: 10) else {
            return nil
        }
        self.digits = digits
    }

    /// The last four digits.
    package var lastFour: String { digits.suffix(4).map(String.init).joined() }

    /// `•••• •••• •••• 4242`, in groups of four.
    package var masked: String {
        let marks = digits.indices.map { index in
            index < digits.count - 4 ? "•" : String(digits[index])
        }
        return stride(from: 0, to: marks.count, by: 4)
            .map { marks[$0..<min($0 + 4, marks.count)].joined() }
            .joined(separator: " ")
    }

    private static func luhnSum(_ digits: [Int]) -> Int {
        digits.reversed().enumerated().reduce(0) { sum, item in
            let doubled = item.offset.isMultiple(of: 2) ? item.element : item.element * 2
            return sum + (doubled > 9 ? doubled - 9 : doubled)
        }
    }
}
