// Limits of lists that another program wrote.

extension FarmLimits {
    /// Bytes of a list of tests (`--tests-from`): two million names of 16 bytes, or fewer longer ones.
    package static let testListBytesMax = 32 << 20

    /// Cells that monitors are told of, those first in which most waits: each is a series of theirs.
    package static let metricCellsMax = 100
}
