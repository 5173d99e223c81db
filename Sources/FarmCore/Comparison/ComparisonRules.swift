// A job's rules of comparison: a policy for each picture, and ignored regions.

/// A job's comparison policy, and overrides of it for some of the job's pictures.
package struct ComparisonRules: Hashable, Sendable, Codable {
    /// A rule with another policy or ignored regions for the pictures whose names match a pattern.
    package struct Override: Hashable, Sendable, Codable {
        /// The part of a picture's name that `pattern` is matched against.
        package enum Subject: String, Hashable, Sendable, Codable, CaseIterable {
            case cells, suites, snapshots
        }
        package var subject: Subject
        /// A pattern with `*` and `?` as in a shell, which must match the whole text.
        ///
        /// For `snapshots` the text is `<suite>/<name>`.
        package var pattern: String
        /// The policy for the matching pictures, or `nil` if the override only ignores regions.
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
    /// Regions to ignore in every picture of the job.
    package var ignored: IgnoredRegions
    /// The overrides for some of the job's pictures, in the order of the pipeline file.
    ///
    /// The last matching one with a policy decides; the ignored regions of all matching ones apply.
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
