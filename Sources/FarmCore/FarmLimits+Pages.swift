// Limits of the pages where people decide, with unit and reason.

extension FarmLimits {
    /// Bytes of one form of the review page: all cells of a change, ticked, with long names.
    package static let formBytesMax = 4 << 20
    /// Fields of such a form: a change has at most a picture for each cell of a few jobs.
    package static let formFieldsMax = 10_000
    /// Pictures of all runs that a coordinator keeps at hand for their pages: five heavy days' runs.
    package static let pagePicturesKeptMax = 50_000
    /// Pipelines whose decisions it keeps at hand.
    package static let pagePipelinesKeptMax = 16
    /// Pages that listen for changes at once, of all people together.
    package static let pageListenersMax = 500
    /// Seconds between two looks whether a page that somebody has open has changed.
    package static let pageLookSeconds = 3.0
    /// Seconds without a word to a listening page: a fourth of what ends a silent connection.
    package static let pageHeartbeatSeconds = 18.0
    /// Seconds for which a page shows a journal that was fetched from a host: another machine records
    /// rarely, and each fetch starts Git.
    package static let journalFetchSeconds = 60.0
    /// Sentences that wait for the next load of their pages.
    package static let pageNoticesMax = 1_000
    /// Seconds after which `snapfarm review` ends where nobody used its page: a working day.
    package static let reviewIdleSeconds = 28_800.0
    /// Seconds that a review waits for a run or another review to free the data folder.
    package static let reviewLockSeconds = 10.0
}
