// What a run does beyond its jobs: said on the command line or by the pipeline, and part of the
// plan, so that every coordinator and a resumed run do the same.

/// How a run treats its test cases.
package struct RunRules: Hashable, Sendable, Codable {
    /// How often each test case runs, whatever it does; 1: until its verdict stands.
    package var repeats: Int
    /// After the first red verdict nothing more is leased.
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

    /// The rules; nil where they are the usual ones, so that plans stay small.
    package var unlessUsual: RunRules? { self == RunRules() ? nil : self }

    /// How many attempts beyond the first the failures of a whole run may cost.
    ///
    /// `planned` counts (test case × cell).
    package static func retriesMax(planned: Int) -> Int {
        max(FarmLimits.retriesPerRunMin, planned / FarmLimits.retriesShare)
    }
}
