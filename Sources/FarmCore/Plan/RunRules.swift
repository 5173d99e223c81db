// The rules of a run beyond its jobs, from the command line or the pipeline. They are part of the
// plan, so that every coordinator and a resumed run follow the same rules.

/// The rules by which a run treats its test cases.
package struct RunRules: Hashable, Sendable, Codable {
    /// The number of times that each test case runs, whatever its results; with 1, it runs until
    /// its verdict stands.
    package var repeats: Int
    /// Whether `--fail-fast` applies: no test is leased after the first red verdict.
    package var failsFast: Bool
    package var quarantine: [QuarantineEntry]

    package init(
        repeats: Int = 1,
        failsFast: Bool = false,
        quarantine: [QuarantineEntry] = []
    ) {
        self.repeats = repeats
        self.failsFast = failsFast
        self.quarantine = quarantine
    }

    /// These rules, or `nil` if they are the usual ones, so that plans stay small.
    package var unlessUsual: RunRules? { self == RunRules() ? nil : self }

    /// Returns the number of retries that all test cases of a run may have together.
    ///
    /// `planned` is the number of test cases.
    package static func retriesMax(planned: Int) -> Int {
        max(FarmLimits.retriesPerRunMin, planned / FarmLimits.retriesShare)
    }
}
