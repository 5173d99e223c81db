// The rules of a run beyond its jobs, from the command line or the pipeline. They are part of the
// plan, so that every coordinator and a resumed run follow the same rules.

/// The rules by which a run treats its test cases.
package struct RunRules: Hashable, Sendable, Codable {
    /// The number of runs of each test case, regardless of results; with 1, it runs until its
    /// verdict stands.
    package var repeats: Int
    /// Whether nothing more is leased after the first red verdict.
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

    /// The rules, or `nil` if they are the usual ones, so that plans stay small.
    package var unlessUsual: RunRules? { self == RunRules() ? nil : self }

    /// Returns the number of retries that a whole run may have.
    ///
    /// `planned` is the number of test cases.
    package static func retriesMax(planned: Int) -> Int {
        max(FarmLimits.retriesPerRunMin, planned / FarmLimits.retriesShare)
    }
}
