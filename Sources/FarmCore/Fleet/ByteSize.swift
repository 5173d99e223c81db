// Sizes in bytes as people write and read them, in decimal units.

package enum ByteSize {
    private static let units = [
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000),
    ]
    private static let kilobyte = ("kB", 1_000)

    /// Returns the bytes that a text such as `20 GB` says, or `nil` if it is no positive whole
    /// number with a unit.
    package static func bytes(of text: String) -> Int? {
        for (unit, factor) in units + [kilobyte] where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count).trimmingSuffix { $0 == " " }
            guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
                let number = Int(digits), number > 0
            else { return nil }
            let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: factor)
            return isTooLarge ? nil : bytes
        }
        return nil
    }

    /// Returns a size with at most one digit after the point, such as `1.5 GB`.
    package static func text(_ bytes: Int) -> String {
        let (unit, factor) = units.first { bytes >= $0.1 } ?? kilobyte
        let tenths = Int((Double(bytes) * 10 / Double(factor)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return rest
    }
}
