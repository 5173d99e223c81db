// The loop's memory of one launcher between two rounds. The names of workers contain the times of
// their starts, so a restarted coordinator rebuilds what matters from the scheduler's list.
import FarmCore
import FarmLedger
import FarmServer

struct LauncherMemory {
    let settings: LauncherSettings
    /// The capabilities that the launcher's workers offer.
    let offer: WorkerOffer
    private(set) var workers: [LaunchedName: Worker] = [:]
    private(set) var counts: LauncherCounts
    private(set) var isListed = false
    private var failures = 0
    private var pausedUntil: Int64 = 0
    private var listFailure: LaunchFailure?
    private var startFailure: LaunchFailure?
    private var number = 0

    struct Worker {
        var listing: LaunchedWorker.Listing
        /// Whether the worker has called the coordinator, and was counted as called.
        var hasCalled = false
        /// The time at which the worker was last stopped, in milliseconds since 1970, or `nil` if
        /// never.
        var stopped: Int64?
    }

    init(_ settings: LauncherSettings, offer: WorkerOffer) {
        self.settings = settings
        self.offer = offer
        counts = LauncherCounts(name: settings.name)
    }

    var state: LauncherState {
        LauncherState(
            settings: settings,
            offer: offer,
            workers: workers.map { LaunchedWorker($0.key, $0.value.listing) }
                .sorted { ($0.name.second, $0.name.number) < ($1.name.second, $1.name.number) },
            isListed: isListed,
            pausedUntil: pausedUntil
        )
    }

    var failure: LaunchFailure? { listFailure ?? startFailure }

    /// Whether the scheduler's list need not be read: it was empty, and no workers are wanted.
    func isAsleep(_ work: [OpenWork]) -> Bool {
        isListed && workers.isEmpty && settings.min == 0
            && !work.contains { $0.waiting > 0 && OfferMatch.fits($0.needs, offer) }
    }

    // MARK: observations

    mutating func listed(_ list: [ListedWorker]) {
        isListed = true
        listFailure = nil
        for name in workers.keys { workers[name]?.listing = .gone }
        for item in list {
            guard let name = LaunchedName(item.name, of: settings.name) else { continue }
            workers[name, default: Worker(listing: .running)].listing =
                item.isPending ? .pending : .running
        }
    }

    /// Notes that the scheduler's list could not be read; returns whether the reason is a new one.
    mutating func notListed(_ reason: String, now: Int64) -> Bool {
        isListed = false
        defer { listFailure = LaunchFailure(reason: reason, at: listFailure?.at ?? now) }
        return listFailure?.reason != reason
    }

    /// Counts workers by phase, and forgets those that have left; returns the forgotten workers,
    /// and a sentence for each that ended before it called.
    mutating func settle(
        _ called: [WorkerID: CalledWorker],
        lastWords: (LaunchedName) -> String?,
        now: Int64
    ) -> (failed: [String], left: [LaunchedName]) {
        var failed: [String] = []
        var left: [LaunchedName] = []
        (counts.coming, counts.live) = (0, 0)
        for worker in state.workers {
            let phase = LaunchRules.phase(
                of: worker,
                called[worker.name.worker],
                startSeconds: settings.startSeconds,
                now: now
            )
            switch phase {
            case .coming: counts.coming += 1
            case .late: break
            case .live, .silent, .ended:
                if phase == .live { counts.live += 1 }
                noteCall(worker.name)
            // If the worker was stopped before it called, its stop was reported already.
            case .endedUncalled where workers[worker.name]?.stopped != nil: break
            case .endedUncalled:
                counts.outcomes[.endedUncalled, default: 0] += 1
                let words = lastWords(worker.name).map { ", and said: \($0)" } ?? "."
                failed.append("\(worker.name.text) ended before it called\(words)")
            }
            if [.ended, .endedUncalled].contains(phase) {
                left.append(worker.name)
                workers[worker.name] = nil
            }
        }
        return (failed, left)
    }

    private mutating func noteCall(_ name: LaunchedName) {
        guard workers[name]?.hasCalled == false else { return }
        workers[name]?.hasCalled = true
        counts.outcomes[.called, default: 0] += 1
        (failures, pausedUntil, startFailure) = (0, 0, nil)
    }

    // MARK: actions

    mutating func nextName(now: Int64) -> LaunchedName {
        number += 1
        return LaunchedName(launcher: settings.name, second: now / 1000, number: number)
    }

    mutating func started(_ name: LaunchedName) {
        workers[name] = Worker(listing: .pending)
        counts.outcomes[.started, default: 0] += 1
    }

    /// Notes a failure of the launcher, which then pauses.
    mutating func failed(_ reason: String, _ outcome: LaunchOutcome?, now: Int64) {
        if let outcome { counts.outcomes[outcome, default: 0] += 1 }
        failures += 1
        pausedUntil = now + Int64(LaunchRules.pauseSeconds(failures: failures) * 1000)
        startFailure = LaunchFailure(reason: reason, at: now)
    }

    /// Notes that a worker is to be stopped; returns whether this is the first time, and whether
    /// the stop command is due, again after `FarmLimits.launchCallSeconds`.
    mutating func stops(_ name: LaunchedName, now: Int64) -> (isFirst: Bool, isDue: Bool) {
        let before = workers[name]?.stopped
        let isDue = before.map { now - $0 >= Int64(FarmLimits.launchCallSeconds * 1000) } ?? true
        if isDue { workers[name]?.stopped = now }
        return (before == nil, isDue)
    }

    mutating func stopped() { counts.outcomes[.stopped, default: 0] += 1 }
}
