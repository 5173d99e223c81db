// Limits of the pages where people decide, with unit and reason.

extension FarmLimits {
    /// Bytes of one form of the review page: ids of 40,000 pictures, or of many more changes.
    package static let formBytesMax = 4 << 20
    /// Fields of such a form.
    package static let formFieldsMax = 100_000
    /// Pages that listen for changes at once, of all people together.
    package static let pageListenersMax = 500
    /// Seconds between two looks whether a page that somebody has open has changed.
    package static let pageLookSeconds = 3.0
    /// Seconds without a word to a listening page: a fourth of what ends a silent connection.
    package static let pageHeartbeatSeconds = 18.0
    /// Sentences that wait for the next load of their pages.
    package static let pageNoticesMax = 1_000
    /// Seconds after which `snapfarm review` ends where nobody used its page: a working day.
    package static let reviewIdleSeconds = 28_800.0
    /// Seconds that a review waits for a run or another review to free the data folder.
    package static let reviewLockSeconds = 10.0
}
