// Limits of the pages on which people decide, with unit and reason.

extension FarmLimits {
    /// Bytes of one form of the review page: all cells of a change, selected, with long names.
    package static let formBytesMax = 4 << 20
    /// Fields of one form of the review page: a change has at most a picture for each cell of a few
    /// jobs.
    package static let formFieldsMax = 10_000
    /// Pictures of runs that a coordinator keeps in memory for its pages: five heavy days' runs.
    package static let pagePicturesKeptMax = 50_000
    /// Pipelines whose decisions a coordinator keeps in memory.
    package static let pagePipelinesKeptMax = 16
    /// Pages that listen for changes at the same time, of all people together.
    package static let pageListenersMax = 500
    /// Seconds between two checks whether an open page has changed.
    package static let pageLookSeconds = 3.0
    /// Seconds between two heartbeats to a listening page: a fourth of the limit on silent
    /// connections.
    package static let pageHeartbeatSeconds = 18.0
    /// Seconds for which a page shows a journal that was fetched from a host: other machines record
    /// rarely, and each fetch starts Git.
    package static let journalFetchSeconds = 60.0
    /// Messages that are kept for the next load of their pages.
    package static let pageNoticesMax = 1_000
    /// Seconds of inactivity after which `snapfarm review` ends: a working day.
    package static let reviewIdleSeconds = 28_800.0
    /// Seconds that a review waits for a run or another review to free the data folder.
    package static let reviewLockSeconds = 10.0
}
