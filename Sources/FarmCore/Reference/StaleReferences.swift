// Checked-out references that are older than the pin. Tests that run now would compare with the old
// pictures.

/// The checked-out files that differ from the pin's pictures.
package struct StaleReferences: Hashable, Sendable, Codable {
    /// The paths of files that differ from the pin's picture, or whose picture the pin no longer
    /// has, sorted.
    package var paths: [String] = []
    /// The number of the pin's pictures that are not checked out.
    package var absentCount = 0

    package var isEmpty: Bool { paths.isEmpty && absentCount == 0 }

    package init(paths: [String] = [], absentCount: Int = 0) {
        self.paths = paths
        self.absentCount = absentCount
    }

    /// The message as lines for a terminal, with the command that renews the files; empty if
    /// nothing is stale.
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

    /// The most paths that `lines` names.
    private static let shownMax = 10
}
