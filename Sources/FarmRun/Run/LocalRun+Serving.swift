// The embedded coordinator of this machine: its ledger, its server and the pool of its workers.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmImaging
import FarmLedger
import FarmPipeline
import FarmServer
import Foundation
import Logging

extension LocalRun {
    /// Serves an embedded coordinator while `body` runs, which gets it with its workers; no worker
    /// has been started.
    ///
    /// With `warm`, the workers stay when no run is open, and keep their browsers for the next run.
    func serving(
        _ prepared: PreparedRun,
        _ stops: AsyncStream<ExitCode>,
        warm: Bool = false,
        _ body: @escaping @Sendable (EmbeddedFarm) async throws -> Void
    ) async throws {
        let token = request.environment["SNAPFARM_TOKEN"] ?? Self.randomToken()
        // A process that reads this token could report for this run's workers.
        OwnEnvironment.hideMemory()
        let workers = request.workersAtFirst(prepared.source.pipeline)
        let ledger = try SQLiteLedger(path: prepared.data.ledger, workersMin: workers)
        // Closing moves SQLite's write-ahead log into the database file. An error is harmless:
        // all is durable already, and the next run moves the log.
        defer { try? ledger.close() }
        var logger = Logger(
            label: "snapfarm",
            factory: { StreamLogHandler.standardError(label: $0) }
        )
        // At the end of a run, the HTTP library logs every cancelled connection as an error.
        logger.logLevel = .critical
        let clock = SteadyClock()
        let coordinator = Coordinator(
            ledger: ledger,
            store: prepared.store,
            blobs: prepared.blobs,
            driverMistakes: { DriverCatalog.kinds.mistakes(in: $0) },
            logger: logger,
            isAlike: { PictureComparer.isAlike($0, $1, choice: $2) },
            reencode: { try PNGRecoder.smaller($0) },
            clock: { clock.now }
        )
        try await coordinator.recover()
        var generator = SystemRandomNumberGenerator()
        let server = FarmServer(
            coordinator: coordinator,
            access: AccessToken(token),
            // The workers end with this process, so no lease is older than this key.
            sealer: LeaseSealer(using: &generator),
            logger: logger
        )
        try await server.run(port: request.port) { port in
            let client = CoordinatorClient(url: "http://127.0.0.1:\(port)", token: token)
            var pool = WorkerPool(
                demand: WorkerDemand(workers),
                coordinator: client,
                token: token,
                data: prepared.data,
                environment: request.environment,
                say: { if !request.isQuiet { Console.say($0) } },
                offer: request.offer
            )
            pool.isWarm = warm
            let embedded = EmbeddedFarm(
                request: request,
                prepared: prepared,
                coordinator: coordinator,
                client: client,
                workers: pool,
                stops: stops
            )
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(embedded))
            } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        }
    }

    private static func randomToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return AccessToken.random(using: &generator)
    }
}
