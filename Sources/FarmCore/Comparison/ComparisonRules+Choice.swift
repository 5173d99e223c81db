// Which rules judge which picture.

/// How one picture is compared.
package struct ComparisonChoice: Hashable, Sendable, Codable {
    package var policy: ComparisonPolicy
    /// Pixels that never count, whatever the policy; another size counts all the same.
    package var ignored: [PixelBox]

    package init(_ policy: ComparisonPolicy, ignored: [PixelBox] = []) {
        self.policy = policy
        self.ignored = ignored
    }
}

extension ComparisonRules {
    /// The policy of the last override that names the picture and has one, else the job's own; and
    /// what the job and all overrides that name the picture ignore.
    package func choice(for snapshot: SnapshotID) -> ComparisonChoice {
        let matching = overrides.filter { $0.names(snapshot) }
        return ComparisonChoice(
            matching.last { $0.policy != nil }?.policy ?? policy,
            ignored: ignored.boxes + matching.flatMap(\.ignored.boxes)
        )
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
