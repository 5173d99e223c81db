// Limits of lists of tests, of waits for a store, and of metrics.

extension FarmLimits {
    /// Bytes of a list of tests (`--tests-from`): two million names of 16 bytes, or fewer longer
    /// ones.
    package static let testListBytesMax = 32 << 20

    /// Runs without tests in the list of a data folder, and the bytes of the list's file.
    package static let provenRunsMax = 100
    package static let provenRunsBytesMax = 1 << 20

    /// Days for which a prune keeps a set after a coordinator's run last used it.
    ///
    /// A run is open for hours, and each day on which it reads its references counts as a use.
    package static let usedSetDays = 7
    /// Seconds for which a reader waits for a prune of its store; in a coordinator, it occupies a
    /// thread of the store meanwhile.
    package static let storeLockSeconds = 60.0
    /// Seconds for which a recorder waits for a prune, and a prune for recorders, which may hold a
    /// store while they push a set.
    ///
    /// A record run that fails at its end has to run again.
    package static let storeLockWaitSeconds = 600.0
    /// Cells in the metrics, those with the most waiting test cases first; each is a time series.
    package static let metricCellsMax = 100
}
