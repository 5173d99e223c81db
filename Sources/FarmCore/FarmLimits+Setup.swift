// Limits of `snapfarm init` and `snapfarm doctor`, with unit and reason.

extension FarmLimits {
    /// Bytes of one project file that is read; those of large apps have some megabytes.
    package static let setupFileBytesMax = 16 << 20
    /// Source files of one test target that are searched for its snapshot framework.
    package static let setupSourcesMax = 1_000
    /// Pages in a proposed scenes file: a list that a person still reads.
    package static let setupScenesMax = 50

    /// Seconds that one check of `snapfarm doctor` may take; its user waits.
    package static let healthSeconds = 5.0
    /// Seconds that a check of a remote host or of a browser's cold start may take.
    package static let healthFarSeconds = 10.0
    /// Free bytes that a run needs to begin, for its ledger and logs.
    package static let healthDiskBytesMin = 100_000_000
    /// Free bytes that a run of some thousand pictures needs.
    package static let healthDiskBytesWanted = 1_000_000_000
    /// Days before a certificate's end in which a warning names the end: time to get another one.
    package static let certificateWarningDays: Int64 = 14
    /// Seconds between two warnings about one certificate.
    package static let certificateWarningSeconds = 86_400.0
    /// Seconds that `snapfarm reload` waits for the coordinator's answer.
    package static let reloadSeconds = 30.0
    /// Seconds by which two clocks may differ: an HTTP date has whole seconds, and the answer needs
    /// time to arrive.
    package static let healthClockSeconds = 30
}
