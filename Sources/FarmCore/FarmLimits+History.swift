// Limits of the history of runs.

extension FarmLimits {
    /// Bytes of the history of runs: a CI's cache moves it with every job.
    package static let historyBytesMax = 32 << 20
    /// (Test case × cell) in the history; 150 bytes each come to the file's limit.
    package static let historyTestsMax = 200_000
    /// Branches whose last complete runs the history keeps: those at work with one cache.
    ///
    /// The names of all of them together take at most a quarter of the file.
    package static let historyBranchesMax = 8
    /// Runs of a branch among which the last complete one is looked for.
    package static let earlierRunsMax = 50
    /// Times kept of one test: enough for the 90th percentile to be one of them, not the longest.
    package static let historySamplesMax = 10
    /// Seconds of one test in the history: a day, longer than any time limit.
    package static let historySecondsMax = 86_400.0
}
