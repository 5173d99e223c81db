// Limits of `snapfarm init` and `snapfarm doctor`, with unit and reason.

extension FarmLimits {
    /// Bytes of one file that is read: project files of large apps have some megabytes.
    package static let setupFileBytesMax = 16 << 20
    /// Sources of one test target that are read to find its snapshot framework.
    package static let setupSourcesMax = 1_000
    /// Pages for which a scenes file is proposed: a list that a person still reads.
    package static let setupScenesMax = 50

    /// Seconds that a look of the doctor may take: a person waits for it.
    package static let healthSeconds = 5.0
    /// The same of what is far away, and of a browser that starts cold.
    package static let healthFarSeconds = 10.0
    /// Bytes that must be free for a run to begin: its ledger and logs need some.
    package static let healthDiskBytesMin = 100_000_000
    /// Bytes that a run of some thousand pictures takes.
    package static let healthDiskBytesWanted = 1_000_000_000
    /// Days before the end of a certificate at which its end is named: time to get another one.
    package static let certificateWarningDays: Int64 = 14
    /// Seconds between two warnings about one certificate.
    package static let certificateWarningSeconds = 86_400.0
    /// Seconds that `snapfarm reload` waits for the coordinator's answer.
    package static let reloadSeconds = 30.0
    /// Seconds that two clocks may differ: an HTTP date has whole seconds, and the way takes some.
    package static let healthClockSeconds = 30
}
