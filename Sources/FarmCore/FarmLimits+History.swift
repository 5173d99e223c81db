// Limits of the history of runs.

extension FarmLimits {
    /// Bytes of the history of runs: a CI cache moves it with every job.
    package static let historyBytesMax = 32 << 20
    /// Test cases in the history; at 150 bytes each they reach the file's limit.
    package static let historyTestsMax = 200_000
    /// Branches whose last complete runs the history keeps: the active branches that share one
    /// cache.
    ///
    /// All their names together take at most a quarter of the file.
    package static let historyBranchesMax = 8
    /// The most runs of a branch that are searched for the last complete one.
    package static let earlierRunsMax = 50
    /// The most runs whose verdicts one run inherits; the tests of all others run again.
    package static let inheritedRunsMax = 100
    /// The most measured times kept of one test: enough for the 90th percentile to differ from the
    /// longest.
    package static let historySamplesMax = 10
    /// Pictures whose alternates' uses the history counts; an alternate that is not counted is never
    /// unused.
    package static let historyAlternatesMax = 2_000
    /// Runs whose bad and flaky results the history records.
    package static let historyRecordedMax = 50
    /// Recorded results of all tests together: some hundred flaky tests.
    package static let historyResultsMax = 10_000
    /// Unicode scalars of the words about a recorded result.
    package static let historyWordsMax = 120
    /// The most clean runs in a row after which a quarantine entry may end.
    package static let cleanRunsMax = 1_000
    /// Test cases of each job that run all the same although they could be inherited.
    package static let reuseSampleMin = 5
    /// Milliseconds after which a run of all tests is made again: a day.
    package static let reuseAgeMax: Int64 = 86_400_000
    /// Bytes of the record of inheritable tests in the history.
    package static let reuseBytesMax = historyBytesMax / 4
    /// Files that a driver records of one test case; a page has some dozens.
    package static let recordedFilesMax = 500
    /// Bytes of the path of a recorded file.
    package static let recordedPathBytesMax = 1_024
    /// Inputs of a job that a plan names, and files that may be a missing input.
    package static let reuseNamesMax = 20
    /// Runs whose numbers of inherited tests the record keeps.
    package static let reuseCountsMax = 100
    /// Largest time of one test in the history, in seconds: a day, longer than any time limit.
    package static let historySecondsMax = 86_400.0
}
