// The flow of `snapfarm serve`: lock the data folder, open the ledger, serve, close.
import FarmAPI
import FarmArtifacts
import FarmCI
import FarmCoordinator
import FarmCore
import FarmDrivers
import FarmImaging
import FarmLedger
import FarmPipeline
import FarmServer
import FarmTerminal
import Foundation
import Logging
import UnixSignals

/// A coordinator for many runs.
package struct CoordinatorProcess: Sendable {
    let configuration: CoordinatorConfiguration
    /// Reads the configuration again.
    private let read: @Sendable () throws -> CoordinatorConfiguration
    let listen: ListenAddress
    let isInsecure: Bool
    /// Nil: what fits where the events go.
    let logFormat: LogFormat?
    /// Whose word on persons the pages take; nil: nobody's.
    let proxy: TrustedProxy?
    let environment: [String: String]
    /// How programs of this machine reach it, once it listens.
    private let listening = Promise<String>()
    /// Called before each step of a publication.
    let before: @Sendable (PublishStep) -> Void

    /// `read` reads the configuration again when it is to be reloaded; nil: it stays as it is.
    package init(
        configuration: CoordinatorConfiguration,
        reading read: (@Sendable () throws -> CoordinatorConfiguration)? = nil,
        listen: ListenAddress,
        isInsecure: Bool,
        logFormat: LogFormat?,
        proxy: TrustedProxy? = nil,
        environment: [String: String],
        before: @escaping @Sendable (PublishStep) -> Void = { _ in }
    ) {
        self.read = read ?? { configuration }
        self.configuration = configuration
        self.listen = listen
        self.isInsecure = isInsecure
        self.logFormat = logFormat
        self.proxy = proxy
        self.environment = environment
        self.before = before
    }

    /// Serves until SIGTERM.
    package func run() async throws {
        guard listen.isLoopback || configuration.settings.tls != nil || isInsecure else {
            throw ServerError.open(listen)
        }
        // From here on the signal ends nothing; what comes early is done when everything stands.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // Git is its only child.
        Leftovers.prevent()
        let data = try DataFolder(configuration.data)
        Leftovers.endProcesses()
        Leftovers.removeFolders()
        let logger = makeLogger()
        let shared = try configuration.sharedLedger(environment)
        let clock = SteadyClock()
        let blobs = try ServedBlobs.open(
            configuration,
            data,
            environment,
            isShared: shared != nil,
            now: { clock.now }
        )
        let local = LocalLauncher(data: data, environment)
        let settings = try ServedSettings(
            ServedSettings.Value(configuration, local, environment, logger)
        )
        let webhooks = try makeWebhooks(logger)
        // The configuration may name any variable as a secret.
        OwnEnvironment.hideMemory()
        var hooks = CoordinatorHooks()
        hooks.publish = { try settings.now.stores.publish($0) }
        hooks.hear = { webhooks.hear($0) }
        hooks.judgePatienceSeconds = FarmLimits.judgeTriesSeconds
        let pool = try shared.map { try ServedPool($0, at: address, in: data, logger: logger) }
        if let member = pool?.member { hooks.leads = { member.leads } }
        let tokens = TokenFile(
            path: configuration.tokens,
            shared: pool?.sharedTokens,
            clock: { clock.now }
        )
        try pool?.shareFiles(tokens, tokensPath: configuration.tokens)
        if try tokens.records().isEmpty {
            let place = pool == nil ? "--data \(data.path)" : "--config FILE"
            logger.warning(
                "no token: nobody can call; make one with `snapfarm tokens create \(place)`"
            )
        }
        // With a new key no worker can speak for a lease that is out.
        let isNewKey = !FileManager.default.fileExists(atPath: data.leaseKey)
        var generator = SystemRandomNumberGenerator()
        let sealer = try LeaseKeyFile.sealer(data.leaseKey, using: &generator)
        try await ServedBlobs.settle(blobs, data, pool, logger)
        let ledger = try pool?.ledger ?? SQLiteLedger(path: data.ledger)
        let coordinator = Coordinator(
            ledger: ledger,
            stores: { try settings.now.stores.store(for: $0) },
            blobs: blobs,
            driverMistakes: { DriverCatalog.kinds.mistakes(in: $0) },
            logger: logger,
            silenceSeconds: configuration.settings.silenceSeconds,
            hooks: hooks,
            isAlike: { PictureComparer.isAlike($0, $1, choice: $2) },
            reencode: { try PNGRecoder.smaller($0) },
            clock: { clock.now }
        )
        let result: Result<Void, any Error>
        do {
            let recover = { @Sendable in
                try await coordinator.recover(grace: FarmLimits.leaseSeconds)
            }
            if pool == nil {
                if isNewKey { try await coordinator.recover() } else { try await recover() }
            }
            let follow = { @Sendable in
                guard let pool else { return }
                let stepDown = { @Sendable in coordinator.answerWaiting() }
                let look = { @Sendable in await tryAddress(logger) }
                try await beside(look) {
                    try await pool.run(tokens, onLeading: recover, onStepDown: stepDown)
                }
            }
            let desks = ServedDesks(
                coordinator,
                settings,
                try DeskReferences.thumbnails(in: configuration.data),
                before: before
            )
            let retention = configuration.settings.retention.map {
                ServedRetention(
                    data: data,
                    blobs: blobs,
                    ledger: ledger,
                    policy: $0,
                    leads: hooks.leads,
                    logger: logger,
                    now: { clock.now },
                    pause: { try await Task.sleep(for: .seconds($0)) }
                )
            }
            let launchers = ServedLaunchers(
                current: { settings.now.launchers },
                local: local,
                coordinator: coordinator,
                ledger: ledger,
                logger: logger,
                listening: listening,
                isLeader: hooks.leads,
                now: { clock.now },
                pause: { try await Task.sleep(for: .seconds($0)) },
                offersHere: { [environment] in
                    await OfferedHere.offer(
                        said: $0,
                        environment: environment,
                        asksPrograms: true
                    )
                }
            )
            let reload = ServedReload(
                settings: settings,
                read: { try ServedSettings.Value(try read(), local, environment, logger) },
                tokens: tokens,
                data: data.path,
                logger: logger,
                now: { clock.now },
                pause: { try await Task.sleep(for: .seconds($0)) }
            )
            reload.begin()
            result = .success(
                try await beside({ await webhooks.run() }) {
                    try await beside({ try await retention?.run() }) {
                        try await beside({ try await launchers.run() }) {
                            try await beside({ try await follow() }) {
                                try await beside({ try await reload.run(hangups) }) {
                                    try await serve(
                                        coordinator,
                                        tokens,
                                        sealer,
                                        desks,
                                        pool,
                                        settings,
                                        logger
                                    )
                                }
                            }
                        }
                    }
                }
            )
        } catch {
            result = .failure(error)
        }
        pool?.member.leave()
        try? ledger.close()
        try result.get()
        logger.notice("stopped")
        withExtendedLifetime(data) {}
    }

    /// Where others reach this coordinator.
    private var address: String {
        configuration.settings.ledger?.address ?? configuration.url(listening: listen)
    }

    private func serve(
        _ coordinator: Coordinator,
        _ tokens: TokenFile,
        _ sealer: LeaseSealer,
        _ desks: ServedDesks,
        _ pool: ServedPool?,
        _ settings: ServedSettings,
        _ logger: Logger
    ) async throws {
        var options = ServerOptions()
        options.listen = listen
        options.certificate = { settings.now.certificate }
        options.idleSeconds = configuration.settings.idleSeconds
        options.bodySeconds = configuration.settings.bodySeconds
        options.authorities = authorities
        // Files and the ledger need some; each connection needs one.
        let room = max(64, Self.raiseFileLimit() - 256)
        options.connectionsMax = min(configuration.settings.connectionsMax, room)
        let scheme = configuration.settings.tls == nil ? "http" : "https"
        let server = FarmServer(
            coordinator: coordinator,
            access: tokens,
            sealer: sealer,
            artifacts: ServedArtifacts(coordinator),
            pages: ServedPages(
                tokens: tokens,
                proxy: proxy,
                desks: desks,
                clock: tokens.clock
            ),
            leadership: pool,
            upkeep: { [data = configuration.data] in UpkeepMarks.facts(of: data) },
            logger: logger
        )
        try await server.serve(options) { [listen, listening] port in
            var address = listen
            address.port = port
            // Every address of the machine is none that a worker can call.
            let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
            listening.set("\(scheme)://\(isEverywhere ? "127.0.0.1:\(port)" : address.text)")
            logger.notice(
                "listening",
                metadata: ["url": "\(scheme)://\(address.text)", "process": "\(getpid())"]
            )
        }
    }

    /// Says so where the other coordinators would not reach this one.
    private func tryAddress(_ logger: Logger) async {
        guard (try? await listening.value) != nil else { return }
        let client = CoordinatorClient(
            url: address,
            token: "none",
            patience: .once,
            authorities: authorities
        )
        do {
            _ = try await client.date()
        } catch let error as any ExplainedError {
            logger.warning(
                "\(error.message) The other coordinators call this one there: correct `address:`."
            )
        } catch {}
        await client.close()
    }

    private var authorities: String? {
        environment["SNAPFARM_CA"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func makeWebhooks(_ logger: Logger) throws -> Webhooks {
        let receivers = try configuration.settings.webhooks.map { settings in
            WebhookReceiver(
                url: settings.url,
                secret: try configuration.secret(settings.secret, environment),
                events: Set(settings.events)
            )
        }
        return Webhooks(
            receivers,
            now: { Int64(Date().timeIntervalSince1970) },
            newID: { UUID().uuidString.lowercased() },
            pause: { try await Task.sleep(for: .seconds($0)) },
            say: { logger.warning("\($0)") }
        )
    }

    private func makeLogger() -> Logger {
        let format = logFormat ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
        return Logger(label: "snapfarm") { _ in
            EventLog(format: format) { Console.write($0, to: STDERR_FILENO) }
        }
    }

    /// Open files this process may have, after asking for as many as it may get.
    private static func raiseFileLimit() -> Int {
        var limit = rlimit()
        // RLIMIT_NOFILE: Swift sees the constant's type differently from one libc to another.
        #if os(Linux)
        guard getrlimit(.init(7), &limit) == 0 else { return 256 }
        // Beyond this, programs that close every possible descriptor take seconds to start.
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        _ = setrlimit(.init(7), &limit)
        guard getrlimit(.init(7), &limit) == 0 else { return 256 }
        #else
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return 256 }
        #endif
        return Int(limit.rlim_cur)
    }
}
