// Limits of published reports, with unit and reason.

extension FarmLimits {
    /// Files of one report: the pictures of a run in which everything differs.
    package static let reportFilesMax = 200_000
    /// Reports that one place keeps and an index is made from.
    package static let reportsKeptMax = 100_000
    /// Bytes of an index, and of the facts of one report: a thousand reports with long names.
    package static let reportIndexBytesMax = 8 << 20
    /// Seconds that the command of a place may take to upload one report.
    package static let publishCommandSeconds = 900.0
}
