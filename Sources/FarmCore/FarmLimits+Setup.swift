// Limits of `snapfarm init`, with unit and reason.

extension FarmLimits {
    /// Bytes of one file that is read: project files of large apps have some megabytes.
    package static let setupFileBytesMax = 16 << 20
    /// Sources of one test target that are read to find its snapshot framework.
    package static let setupSourcesMax = 1_000
    /// Pages for which a scenes file is proposed: a list that a person still reads.
    package static let setupScenesMax = 50
}
