// The rule for the turns of runs when workers claim. Workers are shared by team, and within a team
// by run. Pure: the ledger passes the open runs in and says which one got the lease.
//
// Invariants
//   - The team with the fewest live leases for its weight comes first. So a team with one run waits
//     for the end of one lease, whatever the number of runs of another team.
//   - Among such teams the one comes first that has used the least worker time for its weight. Time
//     in which a team had no work is not saved up.
//   - The priority of a run counts within its team.
//   - Runs of one team and priority take turns, and no run waits while another gets two.
import FarmCore

/// An open run, as the order of turns sees it.
package struct TurnRun: Hashable, Sendable {
    package var run: RunID
    package var pipeline: String
    package var priority: Int
    /// The time of the run's start, in milliseconds since 1970.
    package var started: Milliseconds
    /// The number of live leases of the run.
    package var leases: Int
    /// Whether a test case of the run waits for a worker.
    package var waits: Bool

    package init(
        run: RunID,
        pipeline: String,
        priority: Int = 0,
        started: Milliseconds = 0,
        leases: Int = 0,
        waits: Bool = true
    ) {
        self.run = run
        self.pipeline = pipeline
        self.priority = priority
        self.started = started
        self.leases = leases
        self.waits = waits
    }
}

/// The runs that wait for a worker.
package struct TurnList: Hashable, Sendable {
    /// The runs, the one whose turn it is first.
    package var runs: [RunID]
    /// Whether more than one team has used the workers lately, so that leases should be short.
    package var isShared: Bool

    package init(_ runs: [RunID], isShared: Bool) {
        self.runs = runs
        self.isShared = isShared
    }
}

/// A rule for the order in which open runs are served.
package protocol TurnOrder: Sendable {
    /// Returns the runs that wait for a worker; `open` are all open runs, oldest first.
    mutating func order(_ open: [TurnRun], of teams: Teams, now: Milliseconds) -> TurnList
    /// Notes that a run of the last order got a lease.
    mutating func served(_ run: RunID)
}

/// The order of turns, with what each team has used so far.
///
/// The worker time that a team has used is its tag of start-time fair queueing (Goyal, Vin and
/// Cheng 1996, https://doi.org/10.1145/248156.248171): it grows with each live lease by the time
/// that passes, divided by the team's weight, and a team that had no work begins at the tag of the
/// lease that was granted last. A lease's time is known only at its end, so that the live leases
/// come before the tags. The tags are in memory: a restart begins them anew, which costs at most
/// one lease's turn.
package struct Turns: TurnOrder {
    /// The worker time in milliseconds, for one unit of weight, that a team may lag behind the
    /// lease that was granted last: a team whose runs no worker could take for an hour does not get
    /// every worker for the next one.
    static let lagMax = 60_000.0
    /// The milliseconds for which a team counts as one that uses the workers after its last run.
    static let memory: Milliseconds = 600_000
    /// The most pipelines whose team is remembered.
    private static let pipelinesMax = 10_000

    private struct Share {
        let team: Team
        var leases = 0
        /// The team's runs that wait, oldest first.
        var runs: [TurnRun] = []
    }

    private var teams = Teams()
    private var teamOf: [String: Team] = [:]
    /// The worker time that each team has used for its weight, in milliseconds.
    private var used: [String: Double] = [:]
    /// The tag of the lease that was granted last; it never goes back.
    private var virtualTime = 0.0
    /// The time at which each team last had an open run, within `memory`.
    private var active: [String: Milliseconds] = [:]
    /// The live leases of each team that has some, since `looked`.
    private var holders: [String: (leases: Int, weight: Int)] = [:]
    private var looked: Milliseconds?
    /// The place of each open run in the order of turns: it is the last when it opens, and again
    /// with each lease.
    private var places: [RunID: Int] = [:]
    private var place = 0
    private var waiting: [RunID: Team] = [:]

    package init() {}

    package mutating func order(
        _ open: [TurnRun],
        of teams: Teams,
        now: Milliseconds
    ) -> TurnList {
        countTime(until: now)
        let shares = shares(of: open, teams)
        holders = shares.reduce(into: [:]) { holders, share in
            guard share.leases > 0 else { return }
            holders[share.team.name] = (share.leases, share.team.weight)
        }
        active = active.filter { $0.value > now - Self.memory }
        for share in shares { active[share.team.name] = now }
        used = used.filter { active[$0.key] == now || $0.value > virtualTime }
        for team in shares.map(\.team.name) {
            used[team] = max(used[team] ?? virtualTime, virtualTime - Self.lagMax)
        }
        seat(open)
        waiting = shares.reduce(into: [:]) { waiting, share in
            for run in share.runs { waiting[run.run] = share.team }
        }
        let runs = shares.sorted(by: isBefore).flatMap { share in
            share.runs.sorted(by: isBefore).map(\.run)
        }
        return TurnList(runs, isShared: active.count > 1)
    }

    package mutating func served(_ run: RunID) {
        place += 1
        places[run] = place
        guard let team = waiting[run] else { return }
        virtualTime = max(virtualTime, used[team.name] ?? 0)
        holders[team.name, default: (0, team.weight)].leases += 1
    }

    /// Adds the time since the last order to what the holders of leases have used.
    private mutating func countTime(until now: Milliseconds) {
        let passed = Double(max(0, now - (looked ?? now)))
        for (team, holder) in holders {
            used[team, default: virtualTime] +=
                passed * Double(holder.leases) / Double(holder.weight)
        }
        looked = now
    }

    /// Returns the teams that hold leases or have waiting runs, in the order of their oldest runs.
    private mutating func shares(of open: [TurnRun], _ teams: Teams) -> [Share] {
        if teams != self.teams || teamOf.count > Self.pipelinesMax {
            teamOf = [:]
            self.teams = teams
        }
        var shares: [Share] = []
        var index: [String: Int] = [:]
        for run in open where run.waits || run.leases > 0 {
            let team = teamOf[run.pipeline] ?? teams.team(of: run.pipeline)
            teamOf[run.pipeline] = team
            if index[team.name] == nil {
                index[team.name] = shares.count
                shares.append(Share(team: team))
            }
            guard let place = index[team.name] else { continue }
            shares[place].leases += run.leases
            if run.waits { shares[place].runs.append(run) }
        }
        return shares
    }

    /// Gives each new run a place behind those that were open before.
    private mutating func seat(_ open: [TurnRun]) {
        let known = places
        place += 1
        places = open.reduce(into: [:]) { $0[$1.run] = known[$1.run] ?? place }
    }

    /// Whether a team is served before another; two teams of the same rank keep their order.
    private func isBefore(_ one: Share, _ other: Share) -> Bool {
        // The products are those of the leases for one unit of weight.
        let (left, right) = (one.leases * other.team.weight, other.leases * one.team.weight)
        guard left == right else { return left < right }
        return used[one.team.name] ?? 0 < used[other.team.name] ?? 0
    }

    /// Whether a run is served before another of the same team.
    private func isBefore(_ one: TurnRun, _ other: TurnRun) -> Bool {
        if one.priority != other.priority { return one.priority > other.priority }
        return (one.leases, places[one.run] ?? 0, one.started, one.run.text)
            < (other.leases, places[other.run] ?? 0, other.started, other.run.text)
    }
}
