// Limits of launchers and the workers they start.

extension FarmLimits {
    /// Launchers of one coordinator; every few seconds each must list its workers.
    package static let launchersMax = 16
    /// Workers that one launcher may have at the same time.
    package static let launchedWorkersMax = 256
    /// The most steps that a launcher executes in one look, and the most workers that one step
    /// starts: a look must stay short.
    package static let launchesPerLook = 16
    /// Seconds between two looks at waiting test cases: workers take longer to start, and
    /// schedulers should not be called more often.
    package static let launchLookSeconds = 3.0
    /// Open test cases for each started worker, unless the configuration names another number.
    package static let testsPerLaunchedWorker = 20
    /// Seconds without work after which a started worker leaves, and loses its warm caches.
    package static let launchedIdleSeconds = 120.0
    /// Seconds after which a started worker that has not called is given up: a cloud machine boots
    /// in two minutes, a macOS virtual machine in less than five.
    package static let launchStartSeconds = 600.0
    /// Seconds between two checks of a worker whether it is idle.
    package static let idleLookSeconds = 0.25
    /// Seconds for which an idle worker that leaves waits for its open claim, to give back the
    /// lease.
    package static let idleLeaveSeconds = 5.0
    /// Seconds of silence after which a worker is stopped that has called before and that its
    /// scheduler still lists: several calls of a worker whose coordinator was away.
    package static let launchedSilenceSeconds = 4 * reconnectSecondsMax
    /// Seconds that one command of a launcher may take.
    package static let launchCallSeconds = 60.0
    /// Bytes that a launcher's command may print: all jobs of a scheduler's account, a line each.
    package static let launchOutputBytesMax = 8 << 20
    /// Seconds that a launcher pauses after its first failure; doubled after each further one.
    package static let launchPauseSecondsMin = 10.0
    /// The longest pause of a launcher after repeated failures, in seconds.
    package static let launchPauseSecondsMax = 600.0
    /// The most words in one command template of a launcher.
    package static let launcherWordsMax = 100
}
