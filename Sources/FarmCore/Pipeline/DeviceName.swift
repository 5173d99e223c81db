// The name of a device in fastlane's spelling: the OS version is in the last parentheses.

/// A device's name as people write it: `iPad Pro (11-inch) (13.1)`.
package struct DeviceName: Hashable, Sendable {
    package let name: String
    /// The OS version in the name's last parentheses, or `nil` if they hold no version (digits and
    /// dots).
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

    /// Whether the text is a version: groups of digits with single dots between them.
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
    /// Whether `text` is a spelling of this device's name, with or without its OS.
    package func isSpelled(_ text: String) -> Bool {
        let spelled = DeviceName(text)
        let name = DeviceCatalogue.entry(named: spelled.name)?.name ?? spelled.name
        return name == self.name && (spelled.os == nil || spelled.os == os)
    }
}
