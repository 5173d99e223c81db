// What `snapfarm why` asks a coordinator about a run.
import FarmAPI
import FarmCore
import FarmScheduling

extension RunSituation {
    /// Of a run among the workers and runs of its coordinator.
    package init(of id: RunID, asking client: CoordinatorClient) async throws {
        self.init(
            of: id,
            progress: try await client.progress(id),
            workers: try await client.workers(limit: FarmLimits.listMax),
            runs: try await client.runs(limit: FarmLimits.listMax)
        )
    }

    init(of id: RunID, progress: RunProgress, workers: [WorkerListing], runs: [RunListing]) {
        let priority = runs.first { $0.run == id }?.priority ?? 0
        let others = runs.filter { $0.state == .running && $0.run != id }
        self.init(
            run: id,
            progress: progress,
            leases: workers.reduce(0) { $0 + $1.leases },
            liveWorkers: workers.count { $0.state == .live },
            silentWorkers: workers.count { $0.state != .live },
            ahead: others.filter { $0.priority > priority }.map(\.run).reversed(),
            beside: others.count { $0.priority == priority }
        )
    }
}
