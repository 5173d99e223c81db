// The coordinator as a process: HTTP in front, and the one timer beside it.
import FarmAPI
import FarmCore
import FarmLedger
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The address of a coordinator, and the limits of its connections.
package struct ServerOptions: Sendable {
    package var listen = ListenAddress(port: 0)
    /// Returns the certificate for a new connection, or `nil` for plain HTTP.
    package var certificate: @Sendable () -> ServerCertificate? = { nil }
    var speaksTLS: Bool { certificate() != nil }
    package var idleSeconds = FarmLimits.connectionIdleSeconds
    package var bodySeconds = FarmLimits.bodySeconds
    package var connectionsMax = FarmLimits.connectionsMax
    /// The path of a PEM file of certificates to trust in other coordinators, or `nil` for the
    /// system's.
    package var authorities: String?

    package init() {}
}

/// Serves a coordinator over HTTP.
package struct FarmServer: Sendable {
    let coordinator: Coordinator
    let access: any CallAccess
    let sealer: LeaseSealer
    let artifacts: any RunArtifacts
    let pages: ServedPages?
    let upkeep: (@Sendable () -> UpkeepFacts)?
    let logger: Logger
    /// This coordinator's view of the leader, or `nil` if it is alone, and so leads.
    let leadership: (any Leadership)?
    private let metrics = ServerMetrics()

    /// Makes a server in front of a coordinator.
    ///
    /// A lease with another sealer's seal counts as unknown. `artifacts` are the downloads of
    /// finished runs, `pages` the web pages, `upkeep` facts for monitors; `nil` leaves them out.
    /// With a `leadership`, calls that only the leader answers are forwarded to it.
    package init(
        coordinator: Coordinator,
        access: any CallAccess,
        sealer: LeaseSealer,
        artifacts: (any RunArtifacts)? = nil,
        pages: ServedPages? = nil,
        leadership: (any Leadership)? = nil,
        upkeep: (@Sendable () -> UpkeepFacts)? = nil,
        logger: Logger
    ) {
        self.coordinator = coordinator
        self.access = access
        self.sealer = sealer
        self.artifacts = artifacts ?? NoArtifacts()
        self.pages = pages
        self.leadership = leadership
        self.upkeep = upkeep
        self.logger = logger
    }

    /// Serves on the loopback interface while `body` runs, then stops.
    ///
    /// Port 0 takes any free port; `body` gets the port that was taken.
    ///
    /// - Throws: `ServerError.portTaken`, and the errors of `body`.
    package func run<Value: Sendable>(
        port: Int,
        body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        var options = ServerOptions()
        options.listen.port = port
        return try await run(options, body: body)
    }

    /// Serves with all options while `body` runs, then stops.
    package func run<Value: Sendable>(
        _ options: ServerOptions,
        body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let (ports, portFound) = AsyncStream<Int>.makeStream()
        let proxy = leadership.map { LeaderProxy($0, sealer, options) }
        let application = try application(options, proxy) { port in
            portFound.yield(port)
            portFound.finish()
        }
        var configuration = ServiceGroupConfiguration(
            services: (proxy.map { [$0] } ?? []) + [application],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(FarmLimits.loopbackStopSeconds)
        let services = ServiceGroup(configuration: configuration)
        let (served, serving) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                defer { serving.finish() }
                try await ServerError.explaining(options.listen) { try await services.run() }
                return nil
            }
            group.addTask {
                try await Sweeper(coordinator: coordinator, logger: logger).sweep()
                return nil
            }
            group.addTask {
                try await coordinator.endRunsUntilStopped()
                return nil
            }
            group.addTask {
                for await port in ports {
                    do {
                        return .success(try await body(port))
                    } catch {
                        return .failure(error)
                    }
                }
                // The server ended before it listened; its own error says why.
                try await Task.sleep(for: .seconds(5))
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                guard let ended else { continue }
                // Answers the calls in progress before the other tasks end.
                coordinator.stopWaiting()
                await services.triggerGracefulShutdown()
                for await _ in served {}
                return try ended.get()
            }
            throw CancellationError()
        }
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// Then answers parked calls at once, finishes calls in progress, and takes no new ones. Calls
    /// that take longer than `FarmLimits.stopSeconds` are cut off.
    package func serve(
        _ options: ServerOptions,
        onListening: @escaping @Sendable (Int) -> Void
    ) async throws {
        let proxy = leadership.map { LeaderProxy($0, sealer, options) }
        let application = try application(options, proxy, onListening: onListening)
        var configuration = ServiceGroupConfiguration(
            // Services stop in reverse order: the parked calls first, judgements last.
            services: (proxy.map { [.init(service: $0)] } ?? []) + [
                .init(service: Ender(coordinator: coordinator, logger: logger)),
                .init(service: application),
                .init(service: Sweeper(coordinator: coordinator, logger: logger)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(FarmLimits.stopSeconds)
        let group = ServiceGroup(configuration: configuration)
        try await ServerError.explaining(options.listen) {
            do {
                try await group.run()
            } catch is CancellationError {
                logger.notice("calls were cut off", metadata: [:])
            }
        }
    }

    private func application(
        _ options: ServerOptions,
        _ proxy: LeaderProxy?,
        onListening: @escaping @Sendable (Int) -> Void
    ) throws -> Application<RouterResponder<FarmContext>> {
        let plain = HTTPServerBuilder.connections(idleSeconds: options.idleSeconds)
        let server =
            try ServerCertificate.configuration(options.certificate).map {
                try HTTPServerBuilder.tls(plain, tlsConfiguration: $0)
            } ?? plain
        return Application(
            responder: router(options, proxy).buildResponder(),
            server: server,
            configuration: .init(
                address: .hostname(options.listen.host, port: options.listen.port),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    options.connectionsMax,
                    logger: logger
                )
            ),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            logger: logger
        )
    }

    private func router(_ options: ServerOptions, _ proxy: LeaderProxy?) -> Router<FarmContext> {
        let router = Router(context: FarmContext.self)
        router.add(
            middleware: ErrorMiddleware(
                metrics: metrics,
                logger: logger,
                budget: LogBudget(perMinute: 60),
                failed: { [coordinator] error in
                    // Another coordinator takes over in seconds if the database answers.
                    if let error = error as? LeaderRefusal, !error.isLasting { return }
                    coordinator.faults.note(error)
                }
            )
        )
        if proxy != nil { router.add(middleware: ProxiedMiddleware(sealer: sealer.sessions)) }
        router.add(middleware: AddressMiddleware())
        if let pages { add(pages, to: router, options, proxy) }
        let status = StatusRoutes(
            coordinator: coordinator,
            access: access,
            metrics: metrics,
            upkeep: upkeep,
            leadership: leadership
        )
        status.add(to: router)
        let api = router.group(RouterPath(Routes.prefix))
        func here(_ needs: Set<AccessScope>, ofPrograms: Bool = false) -> RouterGroup<FarmContext> {
            api.group().add(
                middleware: AuthMiddleware(
                    access: access,
                    needs: needs,
                    requiresVersion: ofPrograms
                )
            )
        }
        /// Returns a group of routes that the leader answers, for callers with one of the scopes
        /// `needs`.
        ///
        /// With `readsCopy`, this coordinator answers reads from its copy.
        func group(
            _ needs: Set<AccessScope>,
            ofPrograms: Bool = false,
            readsCopy: Bool = false
        ) -> RouterGroup<FarmContext> {
            here(needs, ofPrograms: ofPrograms)
                .add(middleware: LeaderMiddleware(proxy: proxy, readsCopy: readsCopy))
                .add(middleware: ReachMiddleware(coordinator: coordinator))
        }
        let reading = RequestReading(bodySeconds: options.bodySeconds)
        let runs = RunRoutes(coordinator: coordinator, reading: reading)
        let decisions = DecisionRoutes(
            coordinator: coordinator,
            desks: pages?.desks,
            reading: reading
        )
        let blobs = BlobRoutes(coordinator: coordinator, reading: reading, logger: logger)
        WorkerRoutes(coordinator: coordinator, reading: reading, sealer: sealer)
            .add(to: group([.work], ofPrograms: true))
        runs.addSubmitting(to: group([.submit], ofPrograms: true))
        here(Set(AccessScope.allCases)).get("token") { _, context in
            try answer(TokenReply(context.grant, program: ProgramVersion.text))
        }
        runs.addList(to: group([.read, .submit, .review], readsCopy: true))
        runs.addLists(to: group([.read, .submit], readsCopy: true))
        runs.addReading(to: group([.read, .submit]))
        runs.addReferences(to: group([.work, .read, .submit], readsCopy: true))
        blobs.addWriting(to: group([.work, .submit], ofPrograms: true))
        blobs.addReading(to: group([.work, .read, .submit, .review], readsCopy: true))
        decisions.addReading(to: group([.read, .submit, .review]))
        decisions.addDeciding(to: group([.review]))
        ArtifactRoutes(artifacts: artifacts, logger: logger)
            .add(to: group([.read, .submit, .review]))
        FarmRoutes(coordinator: coordinator, facts: overviewFacts(options))
            .add(to: group([.read]).add(middleware: WholeFarmMiddleware()))
        runs.addAudit(
            pages?.tokens,
            to: group([.admin], readsCopy: true).add(middleware: WholeFarmMiddleware())
        )
        return router
    }
}

extension FarmServer {
    private func add(
        _ pages: ServedPages,
        to router: Router<FarmContext>,
        _ options: ServerOptions,
        _ proxy: LeaderProxy?
    ) {
        let entrance = Entrance(
            pages: pages,
            sealer: sealer.sessions,
            speaksTLS: options.speaksTLS
        )
        let reading = RequestReading(bodySeconds: options.bodySeconds)
        router.add(middleware: LanguageMiddleware())
        if pages.proxy != nil { router.add(middleware: ProxyMiddleware(entrance: entrance)) }
        EntranceRoutes(entrance: entrance, reading: reading, proxy: proxy).add(to: router)
        let runs = RunsRoutes(
            coordinator: coordinator,
            entrance: entrance,
            reading: reading,
            proxy: proxy
        )
        runs.add(to: router)
        FarmRoutes(coordinator: coordinator, facts: overviewFacts(options))
            .addPage(to: router, runs)
    }

    /// Returns a function that reads the facts about this process for the overview.
    private func overviewFacts(_ options: ServerOptions) -> @Sendable () -> OverviewFacts {
        { [upkeep, leadership, pages] in
            var facts = OverviewFacts()
            facts.upkeep = upkeep?()
            if let leadership { facts.leadership = leadership.facts }
            if let certificate = options.certificate() {
                facts.ending.append(.certificate(certificate.life.end))
            }
            facts.ending += ((try? pages?.tokens.records()) ?? []).compactMap { .token($0) }
            return facts
        }
    }
}

/// Judges and closes runs that have ended, beside the timer because it may wait for a store.
private struct Ender: Service {
    let coordinator: Coordinator
    let logger: Logger

    func run() async throws {
        while !coordinator.isStopping, !Task.isCancelled {
            do {
                try await coordinator.endRunsUntilStopped()
            } catch is CancellationError {
                return
            } catch LedgerError.notLeading {
                // Another coordinator leads now, and ends them.
            } catch {
                // Goes on after a full disk: the process must be there to report it.
                logger.error("runs cannot be ended", metadata: ["reason": "\(error)"])
                try? await Task.sleep(for: .seconds(FarmLimits.sweepSeconds))
            }
        }
        // A service that ends early would end the others.
        try? await gracefulShutdown()
    }
}

/// Takes back leases past their deadline, by the coordinator's only timer.
private struct Sweeper: Service {
    let coordinator: Coordinator
    let logger: Logger

    func run() async throws {
        await withGracefulShutdownHandler {
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                do {
                    try await cancelWhenGracefulShutdown {
                        try await Task.sleep(for: .seconds(FarmLimits.sweepSeconds))
                    }
                    try await coordinator.sweep()
                } catch is CancellationError {
                    return
                } catch LedgerError.notLeading {
                    // Another coordinator leads now, and sweeps.
                } catch {
                    // Goes on after a full disk: the process must be there to report it.
                    logger.error("sweep failed", metadata: ["reason": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            logger.notice("stopping")
            coordinator.stopWaiting()
        }
    }

    func sweep() async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: .seconds(FarmLimits.sweepSeconds))
            try await coordinator.sweep()
        }
    }
}
