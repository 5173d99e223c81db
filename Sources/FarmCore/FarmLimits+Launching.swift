// Limits of workers on demand.

extension FarmLimits {
    /// Launchers of one coordinator: each is asked every few seconds.
    package static let launchersMax = 16
    /// Workers of one launcher at once.
    package static let launchedWorkersMax = 256
    /// Steps of one look, and starts of one step: a look shall not last.
    package static let launchesPerLook = 16
    /// Seconds between two looks at what waits: a worker takes longer to start, and a scheduler is
    /// not asked more often.
    package static let launchLookSeconds = 3.0
    /// Open test cases for which one worker is started, unless the configuration says otherwise.
    package static let testsPerLaunchedWorker = 20
    /// Seconds without work after which a started worker leaves: what it has warmed up is lost.
    package static let launchedIdleSeconds = 120.0
    /// Seconds until a started worker that has not called is given up: a cloud machine boots in two
    /// minutes, a macOS virtual machine in less than five.
    package static let launchStartSeconds = 600.0
    /// Seconds between two looks of a worker at whether it is idle.
    package static let idleLookSeconds = 0.25
    /// Seconds that one which is idle takes to give back what its last claim got.
    package static let idleLeaveSeconds = 5.0
    /// Seconds of silence after which a worker that called before, and whose scheduler still lists it,
    /// is stopped: several calls of a worker whose coordinator was away.
    package static let launchedSilenceSeconds = 4 * reconnectSecondsMax
    /// Seconds that one command of a launcher may take.
    package static let launchCallSeconds = 60.0
    /// Bytes that it may print: all jobs of a scheduler's account, a line each.
    package static let launchOutputBytesMax = 8 << 20
    /// Seconds that a launcher waits after its first failure, doubled with each that follows.
    package static let launchPauseSecondsMin = 10.0
    /// Seconds to which that grows.
    package static let launchPauseSecondsMax = 600.0
    /// Words of a template.
    package static let launcherWordsMax = 100
}
