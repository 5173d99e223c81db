// Checked-out references that a new pin has left behind: tests that are run now would compare with
// the old ones.

/// Checked-out files that are not the pin's pictures.
package struct StaleReferences: Hashable, Sendable, Codable {
    /// Files that differ from the pin's picture, or whose picture the pin no longer has; sorted.
    package var paths: [String] = []
    /// Pictures of the pin that are not checked out.
    package var absentCount = 0

    package var isEmpty: Bool { paths.isEmpty && absentCount == 0 }

    package init(paths: [String] = [], absentCount: Int = 0) {
        self.paths = paths
        self.absentCount = absentCount
    }

    /// For a terminal, with the command that renews them; none where nothing is stale.
    package var lines: [String] {
        guard !isEmpty else { return [] }
        var lines: [String] = []
        if !paths.isEmpty {
            let old = paths.count == 1 ? " is" : "s are"
            lines.append("\(paths.count) checked-out reference\(old) older than the pin:")
            lines += paths.prefix(Self.shownMax).map { "  \($0)" }
            let rest = paths.count - Self.shownMax
            if rest > 0 { lines.append("  … \(rest) more") }
        }
        if absentCount > 0 {
            let new = absentCount == 1 ? " is" : "s are"
            lines.append("\(absentCount) picture\(new) new in the pin and not checked out.")
        }
        return lines + ["Renew the checked-out references: snapfarm refs checkout"]
    }

    /// Paths that are shown.
    private static let shownMax = 10
}
