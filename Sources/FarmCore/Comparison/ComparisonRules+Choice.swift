// Which policy judges which picture.

extension ComparisonRules {
    /// The policy of the last override that names the picture, else the job's own.
    package func policy(for snapshot: SnapshotID) -> ComparisonPolicy {
        overrides.last { $0.names(snapshot) }?.policy ?? policy
    }
}

extension ComparisonRules.Override {
    /// Whether the pattern matches the whole of what `subject` speaks of.
    package func names(_ snapshot: SnapshotID) -> Bool {
        let text =
            switch subject {
            case .cells: snapshot.cell.text
            case .suites: snapshot.suite
            case .snapshots: "\(snapshot.suite)/\(snapshot.name)"
            }
        return Glob(pattern, mode: .text).matches(text)
    }
}
