// Makes the situation of an open run from a coordinator's lists of runs and workers.
import FarmAPI
import FarmCore
import FarmLedger

extension RunSituation {
    /// Makes the situation of the run `id` from its progress, the newest runs and the workers.
    package init(of id: RunID, progress: RunProgress, workers: [WorkerListing], runs: [RunListing])
    {
        let priority = runs.first { $0.run == id }?.priority ?? 0
        let others = runs.filter { $0.state == .running && $0.run != id }
        self.init(
            run: id,
            progress: progress,
            leases: workers.reduce(0) { $0 + $1.leases },
            holders: workers.count { $0.leases > 0 },
            liveWorkers: workers.count { $0.state == .live },
            silentWorkers: workers.count { [.silent, .lost].contains($0.state) },
            ahead: others.filter { $0.priority > priority }.map(\.run).reversed(),
            beside: others.count { $0.priority == priority }
        )
    }
}
