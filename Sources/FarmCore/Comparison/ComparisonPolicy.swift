// How two pictures are compared. Each policy keeps its framework's own arithmetic; the sources of
// the formulas are named in FarmImaging, where they are computed.

/// The arithmetic that decides whether two decoded pictures match.
package enum ComparisonPolicy: Hashable, Sendable, Codable {
    /// Every pixel equal.
    case exact
    /// iOSSnapshotTestCase: premultiplied RGBA8; a pixel differs when any channel's
    /// |a−b|/256 > `perPixelTolerance`; fails when differing/pixels > `overallTolerance`.
    /// Both are shares in 0…1.
    case fb(perPixelTolerance: Double, overallTolerance: Double)
    /// swift-snapshot-testing: fails when more than `Int((1 − precision) × bytes)` bytes differ
    /// (Float32, truncated). `precision` is a share in 0…1.
    case pointFree(precision: Double)
    /// pixelmatch 7.2.0: YIQ distance over `35215 × threshold²`; fails when more than
    /// `maxDifferingPixels` differ. Anti-aliased pixels do not count unless asked for.
    case pixelmatch(threshold: Double, includeAntiAliasing: Bool, maxDifferingPixels: Int)

    /// The word for the policy in pipeline files and reports.
    package var name: String {
        switch self {
        case .exact: "exact"
        case .fb: "fb"
        case .pointFree: "point-free"
        case .pixelmatch: "pixelmatch"
        }
    }
}

/// A job's policy and what overrides it for some of its pictures.
package struct ComparisonRules: Hashable, Sendable, Codable {
    /// A policy for the pictures that a glob names.
    package struct Override: Hashable, Sendable, Codable {
        /// What `pattern` is matched against.
        package enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
            case cells, suites, snapshots
        }
        package var subject: Subject
        /// `*` and `?` as in a shell, over the whole text; for `snapshots` over `<suite>/<name>`.
        package var pattern: String
        package var policy: ComparisonPolicy

        package init(subject: Subject, pattern: String, policy: ComparisonPolicy) {
            self.subject = subject
            self.pattern = pattern
            self.policy = policy
        }
    }

    package var policy: ComparisonPolicy
    /// In the order of the pipeline file; the last that matches wins.
    package var overrides: [Override]

    package init(policy: ComparisonPolicy = .exact, overrides: [Override] = []) {
        self.policy = policy
        self.overrides = overrides
    }
}
