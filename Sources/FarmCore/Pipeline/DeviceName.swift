// fastlane's spelling of a device: a name, and an OS version in the last parentheses.

/// A device as people write it: `iPad Pro (11-inch) (13.1)`.
package struct DeviceName: Hashable, Sendable {
    package let name: String
    /// The last parenthesised group, where it is a version (digits and dots) and nothing else.
    package let os: String?

    package init(_ text: String) {
        let trimmed = text.trimmingSpaces()
        guard trimmed.hasSuffix(")"), let open = trimmed.lastIndex(of: "(") else {
            (name, os) = (trimmed, nil)
            return
        }
        let group = trimmed[trimmed.index(after: open)...].dropLast()
        let before = String(trimmed[..<open]).trimmingSpaces()
        guard Self.isVersion(group), !before.isEmpty else {
            (name, os) = (trimmed, nil)
            return
        }
        (name, os) = (before, String(group))
    }

    /// Digits in groups joined by single dots.
    package static func isVersion(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
        }
    }
}

extension String {
    package func trimmingSpaces() -> String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

extension Device {
    /// Whether a name as written means this device.
    package func isSpelled(_ text: String) -> Bool {
        let spelled = DeviceName(text)
        let name = DeviceCatalogue.entry(named: spelled.name)?.name ?? spelled.name
        return name == self.name && (spelled.os == nil || spelled.os == os)
    }
}
