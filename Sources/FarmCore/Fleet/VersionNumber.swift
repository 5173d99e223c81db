// Versions compare as versions: 15.10 is later than 15.9, and 15 is 15.0.

/// A version: numbers joined by dots.
package struct VersionNumber: Hashable, Comparable, Sendable {
    /// Without zeros at the end, so that one version has one value.
    private let parts: [Int]

    /// Nil for text that is no version.
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
