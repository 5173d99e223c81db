// The rules for workers on demand: how many workers to start, where, and which to stop. Pure: every
// few seconds the caller passes the waiting test cases, the workers that have called, and the list
// of each launcher's scheduler.
//
// Invariants
//   - A launcher never has more than `max` workers, counting all that its scheduler lists.
//   - A worker that was started and may still call counts as one for waiting test cases: no other
//     is started in its place.
//   - Without waiting test cases, a launcher starts no workers beyond `min`. Idle workers leave by
//     themselves.
//   - A launcher whose list is unknown neither starts nor stops workers.
import FarmCore
import FarmLedger

/// The state of one launcher.
package struct LauncherState: Hashable, Sendable {
    package var settings: LauncherSettings
    /// The offer of the launcher's workers, including what they discover by themselves if that is
    /// known.
    package var offer: WorkerOffer
    /// The workers that the scheduler lists, and the started ones that it lists no more.
    package var workers: [LaunchedWorker]
    /// Whether the scheduler's last list is known; false if the scheduler did not answer.
    package var isListed: Bool
    /// The time before which the launcher starts no worker, in milliseconds since 1970.
    package var pausedUntil: Int64

    package init(
        settings: LauncherSettings,
        offer: WorkerOffer,
        workers: [LaunchedWorker] = [],
        isListed: Bool = true,
        pausedUntil: Int64 = 0
    ) {
        self.settings = settings
        self.offer = offer
        self.workers = workers
        self.isListed = isListed
        self.pausedUntil = pausedUntil
    }
}

/// A worker that a launcher has started.
package struct LaunchedWorker: Hashable, Sendable {
    package enum Listing: Hashable, Sendable {
        /// The worker is in the scheduler's queue.
        case pending
        case running
        /// The worker was started, and the scheduler no longer lists it.
        case gone
    }
    package var name: LaunchedName
    package var listing: Listing

    package init(_ name: LaunchedName, _ listing: Listing) {
        self.name = name
        self.listing = listing
    }
}

/// The phase of a started worker.
package enum LaunchPhase: Hashable, Sendable {
    /// The worker has not called the coordinator yet, and still may.
    case coming
    case live
    /// The worker has called and is silent since, but its scheduler still lists it.
    case silent(milliseconds: Int64)
    /// The worker has not called within `startSeconds`.
    case late
    /// The worker ended before its first call to the coordinator: it was started and its scheduler
    /// does not list it.
    case endedUncalled
    /// The worker has called, and its scheduler does not list it any more.
    case ended
}

/// A start or a stop of workers, for a launcher to do.
package enum LaunchStep: Hashable, Sendable {
    /// Starts workers; with `stay`, they do not leave when they are idle.
    case start(launcher: Int, count: Int, cell: CellKey?, stay: Bool)
    case stop(launcher: Int, name: LaunchedName, reason: LaunchStop)
}

/// The reason why a launcher stops a worker.
package enum LaunchStop: Hashable, Sendable {
    case late
    case silent
    /// The worker is in its scheduler's queue, and no test case waits for it.
    case unneeded
}

package enum LaunchRules {
    /// Returns a worker's phase, from its scheduler's list and its calls in the ledger.
    package static func phase(
        of worker: LaunchedWorker,
        _ called: CalledWorker?,
        startSeconds: Double,
        now: Int64
    ) -> LaunchPhase {
        let started = worker.name.second * 1000
        // A call before this start came from another worker with the same name.
        if let called, called.seen >= started {
            if worker.listing == .gone { return .ended }
            return called.isLive ? .live : .silent(milliseconds: now - called.seen)
        }
        if worker.listing == .gone { return .endedUncalled }
        return now - started < Int64(startSeconds * 1000) ? .coming : .late
    }

    /// Returns the seconds that a launcher pauses after a number of failures in a row.
    package static func pauseSeconds(failures: Int) -> Double {
        guard failures > 0 else { return 0 }
        let doubled = FarmLimits.launchPauseSecondsMin * Double(1 << min(failures - 1, 20))
        return min(doubled, FarmLimits.launchPauseSecondsMax)
    }

    /// Returns the steps to do now, stops first.
    package static func steps(
        work: [OpenWork],
        called: [CalledWorker],
        launchers: [LauncherState],
        now: Int64
    ) -> [LaunchStep] {
        var situation = LaunchSituation(called, launchers, now: now)
        let missing = situation.missing(work)
        var steps: [LaunchStep] = []
        for place in launchers.indices {
            steps += situation.stops(place, needed: missing.needed[place])
        }
        for (place, state) in launchers.enumerated() {
            let count = Swift.min(
                Swift.max(0, state.settings.min - situation.own(place)),
                situation.room(place)
            )
            guard count > 0 else { continue }
            situation.starting[place] += count
            steps.append(.start(launcher: place, count: count, cell: nil, stay: true))
        }
        for lack in missing.lacks { steps += situation.starts(lack) }
        return steps
    }
}

/// The state of workers and launchers while ``LaunchRules`` decides on the steps.
private struct LaunchSituation {
    struct Kind {
        var needs: Needs
        var cell: CellKey
        var waiting = 0
        var open = 0
        var leases = 0
    }
    /// A kind of work with fewer workers than wanted.
    struct Lack {
        var kind: Kind
        /// The number of live and coming workers that are counted for the kind.
        var have: Int
    }

    let launchers: [LauncherState]
    let now: Int64
    /// The workers of each launcher with their phases.
    private var phases: [[(worker: LaunchedWorker, phase: LaunchPhase)]] = []
    /// The live workers without a lease: the offer of each, and the offer that its launcher
    /// promised.
    private var idle: [(offer: WorkerOffer, promised: WorkerOffer?)] = []
    /// The number of workers that this round starts, by launcher.
    var starting: [Int]

    init(_ called: [CalledWorker], _ launchers: [LauncherState], now: Int64) {
        self.launchers = launchers
        self.now = now
        starting = Array(repeating: 0, count: launchers.count)
        let known = Dictionary(called.map { ($0.id, $0) }) { first, _ in first }
        var promised: [WorkerID: WorkerOffer] = [:]
        for state in launchers {
            phases.append(
                state.workers.map { worker in
                    let id = worker.name.worker
                    if worker.listing != .gone { promised[id] = state.offer }
                    let phase = LaunchRules.phase(
                        of: worker,
                        known[id],
                        startSeconds: state.settings.startSeconds,
                        now: now
                    )
                    return (worker, phase)
                }
            )
        }
        // In the ledger, a worker that has left stays live for a lease's time after its last call.
        func hasLeft(_ worker: WorkerID) -> Bool {
            promised[worker] == nil
                && launchers.contains {
                    $0.isListed && LaunchedName(worker.text, of: $0.settings.name) != nil
                }
        }
        idle = called.filter { worker in
            worker.isLive && !worker.isUnfit && worker.leases == 0 && !hasLeft(worker.id)
        }.map { ($0.offer, promised[$0.id]) }
    }

    /// Returns the number of a launcher's workers in any phase, including those of this round.
    func own(_ place: Int) -> Int {
        phases[place].count { $0.worker.listing != .gone } + starting[place]
    }

    /// Returns the number of workers that a launcher may still start.
    func room(_ place: Int) -> Int {
        let state = launchers[place]
        guard state.isListed, now >= state.pausedUntil else { return 0 }
        return Swift.max(0, state.settings.max - own(place))
    }

    private func fits(_ kind: Kind, _ place: Int) -> Bool {
        OfferMatch.fits(kind.needs, launchers[place].offer)
    }

    /// Returns the number of workers that a kind of work wants; 0 if no launcher's workers fit it.
    ///
    /// The first fitting launcher, if possible one with room, gives the test cases per worker.
    private func wanted(_ kind: Kind) -> Int {
        let place =
            launchers.indices.first { fits(kind, $0) && room($0) > 0 }
            ?? launchers.indices.first { fits(kind, $0) }
        guard let place else { return 0 }
        let each = Swift.max(1, launchers[place].settings.testsPerWorker)
        return (kind.open + each - 1) / each
    }

    private static func kinds(_ work: [OpenWork]) -> [Kind] {
        var kinds: [Kind] = []
        var places: [Needs: Int] = [:]
        for item in work where item.open > 0 {
            let place = places[item.needs] ?? kinds.count
            if place == kinds.count {
                places[item.needs] = place
                kinds.append(Kind(needs: item.needs, cell: item.cell))
            }
            kinds[place].waiting += item.waiting
            kinds[place].open += item.open
            kinds[place].leases += item.leases
        }
        return kinds
    }

    /// Assigns live and coming workers to the waiting kinds, first to the kind that the fewest idle
    /// workers fit.
    ///
    /// Returns the kinds that lack workers, and for each launcher the number of its coming workers
    /// that are needed.
    mutating func missing(_ work: [OpenWork]) -> (lacks: [Lack], needed: [Int]) {
        var coming = launchers.indices.map { place in
            phases[place].count { $0.phase == .coming }
        }
        var needed = launchers.map { _ in 0 }
        func idleFits(_ kind: Kind) -> [Int] {
            idle.indices.filter { place in
                // A worker that offers less than its launcher promised still counts: another worker
                // of that launcher would offer no more.
                OfferMatch.fits(kind.needs, idle[place].offer)
                    || idle[place].promised.map { OfferMatch.fits(kind.needs, $0) } == true
            }
        }
        let kinds = Self.kinds(work).filter { $0.waiting > 0 }
            .map { (kind: $0, fitting: idleFits($0).count) }
            .sorted { ($0.fitting, $0.kind.needs.words) < ($1.fitting, $1.kind.needs.words) }
            .map(\.kind)
        var lacks: [Lack] = []
        for kind in kinds {
            let wanted = wanted(kind)
            var have = Swift.min(kind.leases, wanted)
            let taken = idleFits(kind).prefix(wanted - have)
            have += taken.count
            for place in taken.reversed() { idle.remove(at: place) }
            for place in launchers.indices where fits(kind, place) {
                let count = Swift.min(coming[place], wanted - have)
                coming[place] -= count
                needed[place] += count
                have += count
            }
            if have < wanted { lacks.append(Lack(kind: kind, have: have)) }
        }
        return (lacks, needed)
    }

    /// Returns the steps that start workers for a kind that lacks them, in the order of the
    /// launchers.
    mutating func starts(_ lack: Lack) -> [LaunchStep] {
        var steps: [LaunchStep] = []
        var have = lack.have
        for place in launchers.indices where fits(lack.kind, place) {
            let each = Swift.max(1, launchers[place].settings.testsPerWorker)
            let wanted = (lack.kind.open + each - 1) / each
            let count = Swift.min(wanted - have, room(place))
            guard count > 0 else { continue }
            have += count
            starting[place] += count
            steps.append(
                .start(launcher: place, count: count, cell: lack.kind.cell, stay: false)
            )
        }
        return steps
    }

    /// Returns the steps that stop a launcher's workers: those that did not call in time, that are
    /// silent for too long, or that are still in the scheduler's queue without work to come for.
    func stops(_ place: Int, needed: Int) -> [LaunchStep] {
        guard launchers[place].isListed else { return [] }
        let silenceMax = Int64(FarmLimits.launchedSilenceSeconds * 1000)
        var surplus =
            phases[place].count { $0.phase == .coming }
            - Swift.max(needed, launchers[place].settings.min)
        return phases[place].compactMap { worker, phase in
            let reason: LaunchStop? =
                switch phase {
                case .late: .late
                case .silent(let milliseconds) where milliseconds >= silenceMax: .silent
                case .coming where worker.listing == .pending && surplus > 0: .unneeded
                default: nil
                }
            guard let reason else { return nil }
            if reason == .unneeded { surplus -= 1 }
            return .stop(launcher: place, name: worker.name, reason: reason)
        }
    }
}
