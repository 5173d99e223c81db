// Limits of lists that another program wrote.

extension FarmLimits {
    /// Bytes of a list of tests (`--tests-from`): two million names of 16 bytes, or fewer longer ones.
    package static let testListBytesMax = 32 << 20

    /// Days for which a prune keeps a set that a coordinator's run used, beyond the day of the use: a
    /// run is open for hours, and each day that it looks at its references counts anew.
    package static let usedSetDays = 7
    /// Seconds for which a look waits for a prune of its store: a look that waits in a coordinator keeps
    /// a thread of the store.
    package static let storeLockSeconds = 60.0
    /// Seconds for which a recorder waits for a prune, and a prune for recorders, which may hold a store
    /// while they push a set: a record run that failed at its end would run again.
    package static let storeAloneSeconds = 600.0
    /// Cells that monitors are told of, those first in which most waits: each is a series of theirs.
    package static let metricCellsMax = 100
}
