// Limits of lists that another program wrote.

extension FarmLimits {
    /// Bytes of a list of tests (`--tests-from`): two million names of 16 bytes, or fewer longer ones.
    package static let testListBytesMax = 32 << 20
}
