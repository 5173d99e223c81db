// The choice of a policy and ignored regions for a picture.

/// The policy and ignored regions for one picture.
package struct ComparisonChoice: Hashable, Sendable, Codable {
    package var policy: ComparisonPolicy
    /// Regions of the picture whose pixels never count, under any policy; pictures of unequal sizes
    /// still differ.
    package var ignored: [PixelBox]
    /// The rule of a text, or `nil` for a picture.
    package var text: TextRule?

    package init(_ policy: ComparisonPolicy, ignored: [PixelBox] = [], text: TextRule? = nil) {
        self.policy = policy
        self.ignored = ignored
        self.text = text
    }
}

extension ComparisonRules {
    /// Returns the policy and the ignored regions of a picture.
    ///
    /// The policy is that of the last override that matches the picture and has one, or else the
    /// job's own. The ignored regions of the job and of all matching overrides apply together.
    package func choice(for snapshot: SnapshotID) -> ComparisonChoice {
        let matching = overrides.filter { $0.names(snapshot) }
        return ComparisonChoice(
            matching.last { $0.policy != nil }?.policy ?? policy,
            ignored: ignored.boxes + matching.flatMap(\.ignored.boxes),
            text: TextRule(
                for: snapshot,
                ignored: ([ignored] + matching.map(\.ignored)).flatMap { $0.texts ?? [] }
            )
        )
    }
}

extension ComparisonRules.Override {
    /// Whether the override's `pattern` matches the whole cell, suite or `<suite>/<name>` of the
    /// picture, whichever `subject` names.
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
