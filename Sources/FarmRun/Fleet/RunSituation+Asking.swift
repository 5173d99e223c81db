// What `snapfarm why` asks a coordinator about a run.
import FarmAPI
import FarmCore
import FarmLedger
import FarmServer

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
}
