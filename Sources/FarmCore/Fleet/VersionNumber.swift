// The order of versions: 15.10 is later than 15.9, and 15 equals 15.0.

/// A version: numbers joined by dots.
package struct VersionNumber: Hashable, Comparable, Sendable {
    /// The numbers without zeros at the end, so that equal versions are equal values.
    private let parts: [Int]

    /// Parses a version; returns `nil` for other text.
    package init?(_ text: some StringProtocol) {
        guard DeviceName.isVersion(text) else { return nil }
        var parts: [Int] = []
        for part in text.split(separator: ".") {
            guard let number = Int(part) else { return nil }
            parts.append(number)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }

    package var text: String { parts.map(String.init).joined(separator: ".") }

    package static func < (left: VersionNumber, right: VersionNumber) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
