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

    /// Asks the coordinator for the facts about a run by its id, or as `latest`: the newest run of
    /// the work tree's branch, an open one first.
    package init(
        named name: String,
        asking client: CoordinatorClient,
        environment: [String: String]
    ) async throws {
        let named = RequestedRun(name, .openFirst, environment: environment)
        try await self.init(of: named.id(at: client), asking: client)
    }
}
