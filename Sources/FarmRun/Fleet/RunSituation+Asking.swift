// The calls of `snapfarm why` to a coordinator.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer

extension RunSituation {
    /// Asks the coordinator for the facts that `snapfarm why` explains: the run's progress, the
    /// workers and the runs.
    package init(of id: RunID, asking client: CoordinatorClient) async throws {
        self.init(
            of: id,
            progress: try await client.progress(id),
            workers: try await client.workers(limit: FarmLimits.listMax),
            runs: try await client.runs(limit: FarmLimits.listMax)
        )
    }
}
