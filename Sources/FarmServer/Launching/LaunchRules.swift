// How many workers are started, where, and which are stopped. Pure: somebody looks every few seconds
// at what waits, which workers live and what each launcher's scheduler lists.
//
// Invariants
//   - A launcher never has more than `max` workers, counting all that its scheduler lists.
//   - For work that a started worker may still come for, no other is started.
//   - Without open work a launcher starts none beyond `min`; its workers leave by themselves.
//   - A launcher whose list is unknown neither starts nor stops.
import FarmCore
import FarmLedger

/// One launcher as it stands.
package struct LauncherState: Hashable, Sendable {
    package var settings: LauncherSettings
    /// What its workers offer, also what they find by themselves where that is known.
    package var offer: WorkerOffer
    /// The workers that the scheduler lists, and those that were started and are not listed any
    /// more.
    package var workers: [LaunchedWorker]
    /// Nil: the scheduler did not answer.
    package var isListed: Bool
    /// Milliseconds since 1970; nothing is started before.
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
        /// The scheduler has it in its queue.
        case pending
        case running
        /// It was started, and the scheduler does not know it any more.
        case gone
    }
    package var name: LaunchedName
    package var listing: Listing

    package init(_ name: LaunchedName, _ listing: Listing) {
        self.name = name
        self.listing = listing
    }
}

/// Where a started worker is.
package enum LaunchPhase: Hashable, Sendable {
    /// It has not called, and may.
    case coming
    case live
    /// It called, and is silent, but its scheduler still lists it.
    case silent(milliseconds: Int64)
    /// It has not called within `startSeconds`.
    case late
    /// The worker ended before its first call to the coordinator: its scheduler does not list it.
    case endedUncalled
    /// It called, and has left.
    case ended
}

/// One thing to do.
package enum LaunchStep: Hashable, Sendable {
    /// Starts workers; those that `stay` do not leave when they are idle.
    case start(launcher: Int, count: Int, cell: CellKey?, stay: Bool)
    case stop(launcher: Int, name: LaunchedName, reason: LaunchStop)
}

/// Why a worker is stopped.
package enum LaunchStop: Hashable, Sendable {
    case late
    case silent
    /// It waits in its scheduler's queue, and nothing waits for it.
    case unneeded
}

package enum LaunchRules {
    /// What a started worker does, by what its scheduler and the ledger say.
    package static func phase(
        of worker: LaunchedWorker,
        _ called: CalledWorker?,
        startSeconds: Double,
        now: Int64
    ) -> LaunchPhase {
        let started = worker.name.second * 1000
        // Whoever called before this start had the same name by chance.
        if let called, called.seen >= started {
            if worker.listing == .gone { return .ended }
            return called.isLive ? .live : .silent(milliseconds: now - called.seen)
        }
        if worker.listing == .gone { return .endedUncalled }
        return now - started < Int64(startSeconds * 1000) ? .coming : .late
    }

    /// How long a launcher that failed so many times in a row waits.
    package static func pauseSeconds(failures: Int) -> Double {
        guard failures > 0 else { return 0 }
        let doubled = FarmLimits.launchPauseSecondsMin * Double(1 << min(failures - 1, 20))
        return min(doubled, FarmLimits.launchPauseSecondsMax)
    }

    /// What is to be done now; stops come first.
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

/// Kinds of work and launchers, while it is decided.
private struct LaunchSituation {
    struct Kind {
        var needs: Needs
        var cell: CellKey
        var waiting = 0
        var open = 0
        var leases = 0
    }
    /// Open test cases for which workers are missing.
    struct Lack {
        var kind: Kind
        /// Live and coming workers that are counted for it.
        var have: Int
    }

    let launchers: [LauncherState]
    let now: Int64
    /// By launcher.
    private var phases: [[(worker: LaunchedWorker, phase: LaunchPhase)]] = []
    /// Workers without a lease; what they offer, and what their launcher says they do.
    private var idle: [(offer: WorkerOffer, promised: WorkerOffer?)] = []
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
        // A worker that has left counts as live in the ledger for the rest of its lease's time.
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

    /// Workers of a launcher that its scheduler has, whatever they do.
    func own(_ place: Int) -> Int {
        phases[place].count { $0.worker.listing != .gone } + starting[place]
    }

    /// How many more a launcher may start.
    func room(_ place: Int) -> Int {
        let state = launchers[place]
        guard state.isListed, now >= state.pausedUntil else { return 0 }
        return Swift.max(0, state.settings.max - own(place))
    }

    private func fits(_ kind: Kind, _ place: Int) -> Bool {
        OfferMatch.fits(kind.needs, launchers[place].offer)
    }

    /// The first launcher that fits says for how many test cases a worker is.
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

    /// Shares live and coming workers out to what waits, the kind first that fewest of them fit.
    mutating func missing(_ work: [OpenWork]) -> (lacks: [Lack], needed: [Int]) {
        var coming = launchers.indices.map { place in
            phases[place].count { $0.phase == .coming }
        }
        var needed = launchers.map { _ in 0 }
        func idleFits(_ kind: Kind) -> [Int] {
            idle.indices.filter { place in
                // One that lacks what its launcher promised is not replaced by another such.
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

    /// Starts for what is missing, launcher after launcher.
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

    /// Those that never came, that are silent, and that still wait for a machine and for nothing.
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
