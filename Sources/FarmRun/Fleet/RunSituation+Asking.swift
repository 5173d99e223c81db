// The calls of `snapfarm why` to a coordinator.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer

extension RunSituation {
    /// Asks the coordinator for the run's progress, its workers and its runs.
    package init(of id: RunID, asking client: CoordinatorClient) async throws {
        self.init(
            of: id,
            progress: try await client.progress(id),
            workers: try await client.workers(limit: FarmLimits.listMax),
            runs: try await client.runs(limit: FarmLimits.listMax)
        )
    }
}
