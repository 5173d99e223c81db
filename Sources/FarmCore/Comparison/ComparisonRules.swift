// A job's rules: which policy judges which picture, and which of its pixels are ignored.

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

    package init(policy: ComparisonPolicy = .visible(), overrides: [Override] = []) {
        self.policy = policy
        self.overrides = overrides
    }
}
