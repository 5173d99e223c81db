// Limits of `snapfarm watch`, with unit and reason.

extension FarmLimits {
    /// Files of a work tree that `watch` looks at; looking at all of them takes some 100 ms.
    package static let watchedFilesMax = 50_000
    /// The fewest seconds between two looks at the watched files.
    package static let watchLookSeconds = 0.04
    /// The largest part of the time that looking at the watched files takes.
    package static let watchLookShareMax = 0.05
    /// Seconds without a further change after which saved files are taken as one change: editors and
    /// formatters write several files, and several times.
    package static let watchQuietSeconds = 0.06
    /// The most seconds for which further changes are waited for.
    package static let watchBurstSecondsMax = 1.0
    /// Rounds after which `watch` removes pictures that its page no longer shows.
    package static let watchRoundsKept = 20
    /// Seconds without a call of its page after which `watch` ends: a week.
    package static let watchIdleSeconds = 604_800.0
    /// Names that a line of `watch` on the terminal has at most.
    package static let watchNamesMax = 3
}
