// Makes the situation of an open run from a coordinator's lists of runs and workers.
import FarmAPI
import FarmCore
import FarmLedger

extension RunSituation {
    /// Makes the situation of the run `id` from its progress, the newest runs and the workers.
    package init(of id: RunID, progress: RunProgress, workers: [WorkerListing], runs: [RunListing])
    {
        let mine = runs.first { $0.run == id }
        let open = runs.filter { $0.state == .running }
        let ofTeam = open.filter { $0.teamName == mine?.teamName }
        let others = ofTeam.filter { $0.run != id }
        let liveWorkers = workers.count { $0.state == .live }
        self.init(
            run: id,
            progress: progress,
            leases: workers.reduce(0) { $0 + $1.leases },
            holders: workers.count { $0.leases > 0 },
            liveWorkers: liveWorkers,
            silentWorkers: workers.count { [.silent, .lost].contains($0.state) },
            ahead: others.filter { $0.priority > mine?.priority ?? 0 }.map(\.run).reversed(),
            share: mine.map { mine in
                TeamShare(
                    team: mine.teamName,
                    beside: others.count { $0.priority == mine.priority },
                    leases: ofTeam.reduce(0) { $0 + ($1.leases ?? 0) },
                    workers: liveWorkers,
                    otherTeams: Set(open.map(\.teamName)).subtracting([mine.teamName]).count
                )
            }
        )
    }
}

extension RunListing {
    /// The team of the run; a coordinator that names none has a team for each pipeline.
    fileprivate var teamName: String { team ?? pipeline }
}
