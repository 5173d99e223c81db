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
        let old = paths.count == 1 ? "1 file here is" : "\(paths.count) files here are"
        let new = absentCount == 1 ? "1 picture is" : "\(absentCount) pictures are"
        let facts =
            (paths.isEmpty ? [] : ["\(old) older than the pin"])
            + (absentCount == 0 ? [] : ["\(new) new in the pin and not here yet"])
        let shown = paths.prefix(Self.shownMax).map { "  \($0)" }
        let rest = paths.count - shown.count
        return ["Of the checked-out references \(facts.joined(separator: ", "))."] + shown
            + (rest > 0 ? ["  … \(rest) more"] : []) + ["Renew them:", "  snapfarm refs checkout"]
    }

    /// Paths that are shown.
    private static let shownMax = 10
}
