// A job's rules: which policy judges which picture, and which of its pixels are ignored.

/// A job's policy and what overrides it for some of its pictures.
package struct ComparisonRules: Hashable, Sendable, Codable {
    /// Rules for the pictures that a glob names.
    package struct Override: Hashable, Sendable, Codable {
        /// What `pattern` is matched against.
        package enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
            case cells, suites, snapshots
        }
        package var subject: Subject
        /// `*` and `?` as in a shell, over the whole text; for `snapshots` over `<suite>/<name>`.
        package var pattern: String
        /// Nil where the override only ignores regions: the policy stays what it was.
        package var policy: ComparisonPolicy?
        package var ignored: IgnoredRegions

        package init(
            subject: Subject,
            pattern: String,
            policy: ComparisonPolicy?,
            ignored: IgnoredRegions = IgnoredRegions()
        ) {
            self.subject = subject
            self.pattern = pattern
            self.policy = policy
            self.ignored = ignored
        }
    }

    package var policy: ComparisonPolicy
    /// Ignored in every picture of the job.
    package var ignored: IgnoredRegions
    /// In the order of the pipeline file: the last policy that matches wins, and what any of those
    /// that match ignores is ignored.
    package var overrides: [Override]

    package init(
        policy: ComparisonPolicy = .visible(),
        ignored: IgnoredRegions = IgnoredRegions(),
        overrides: [Override] = []
    ) {
        self.policy = policy
        self.ignored = ignored
        self.overrides = overrides
    }
}
