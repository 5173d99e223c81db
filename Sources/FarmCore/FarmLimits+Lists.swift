// Limits of lists that another program wrote.

extension FarmLimits {
    /// Bytes of a list of tests (`--tests-from`): two million names of 16 bytes, or fewer longer ones.
    package static let testListBytesMax = 32 << 20

    /// Days for which a prune keeps a set that a coordinator's run used, beyond the day of the use: a
    /// run is open for hours, and each day that it looks at its references counts anew.
    package static let usedSetDays = 7
    /// Cells that monitors are told of, those first in which most waits: each is a series of theirs.
    package static let metricCellsMax = 100
}
