// The flow of `snapfarm serve`: locks the data folder, opens the ledger, serves, closes.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmLedger
import FarmPipeline
import FarmServer
import Foundation
import Logging
import UnixSignals

/// The process of a coordinator that serves many runs.
package struct CoordinatorProcess: Sendable {
    let configuration: CoordinatorConfiguration
    /// Reads the coordinator's configuration again.
    private let read: @Sendable () throws -> CoordinatorConfiguration
    let listen: ListenAddress
    let isInsecure: Bool
    /// The format of the log; if `nil`, text on a terminal and JSON elsewhere.
    let logFormat: LogFormat?
    /// The proxy whose identity header is trusted, or `nil` for none.
    let proxy: TrustedProxy?
    let environment: [String: String]
    /// The URL for programs on this machine, known once the coordinator listens.
    private let listening = Promise<String>()
    /// Called before each step of a publication.
    let before: @Sendable (PublishStep) -> Void

    /// Creates a coordinator; `read` reads the configuration for a reload, or is `nil` if it never
    /// changes.
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

    /// Serves runs until SIGTERM.
    package func run() async throws {
        guard listen.isLoopback || configuration.settings.tls != nil || isInsecure else {
            throw ServerError.open(listen)
        }
        // From here on SIGHUP does not end the process. An early signal is handled when all parts
        // are open.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // Starts the guard of child processes now, while this process is small.
        Leftovers.prevent()
        let data = try DataFolder(configuration.data)
        Leftovers.endProcesses()
        Leftovers.removeFolders()
        let logger = makeLogger()
        let parts = try await open(data, logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await serve(parts, hangups))
        } catch {
            result = .failure(error)
        }
        parts.pool?.member.leave()
        try? parts.ledger.close()
        try result.get()
        logger.notice("stopped")
        withExtendedLifetime(data) {}
    }

    // MARK: serving

    private func serve(_ parts: Parts, _ hangups: UnixSignalsSequence) async throws {
        let recover = { @Sendable in
            try await parts.coordinator.recover(grace: FarmLimits.leaseSeconds)
        }
        if parts.pool == nil {
            if parts.isNewKey {
                try await parts.coordinator.recover()
            } else {
                try await recover()
            }
        }
        let desks = ServedRunPages(
            parts.coordinator,
            parts.settings,
            try RunPageReferences.thumbnails(in: configuration.data),
            before: before
        )
        let retention = retention(parts)
        let launchers = launchers(parts)
        let reload = reload(parts)
        reload.begin()
        let webhooks = { @Sendable in await parts.webhooks.run() }
        try await withBackgroundTask(webhooks) {
            try await withBackgroundTask({ try await retention?.run() }) {
                try await withBackgroundTask({ try await launchers.run() }) {
                    try await withBackgroundTask({ try await takePartInPool(parts, recover) }) {
                        try await withBackgroundTask({ try await reload.run(hangups) }) {
                            try await answer(parts, desks)
                        }
                    }
                }
            }
        }
    }

    /// Follows the pool's ledger, and leads it at times; returns at once for a ledger of its own.
    private func takePartInPool(
        _ parts: Parts,
        _ recover: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let pool = parts.pool else { return }
        let look = { @Sendable in await tryAddress(parts.logger) }
        try await withBackgroundTask(look) {
            try await pool.run(
                parts.tokens,
                onLeading: recover,
                onStepDown: { parts.coordinator.answerWaiting() }
            )
        }
    }

    private func retention(_ parts: Parts) -> ServedRetention? {
        configuration.settings.retention.map {
            ServedRetention(
                data: parts.data,
                coordinator: parts.coordinator,
                ledger: parts.ledger,
                policy: $0,
                leads: parts.hooks.leads,
                logger: parts.logger,
                now: { parts.clock.now },
                pause: { try await Task.sleep(for: .seconds($0)) }
            )
        }
    }

    private func launchers(_ parts: Parts) -> ServedLaunchers {
        ServedLaunchers(
            current: { parts.settings.now.launchers },
            local: parts.local,
            coordinator: parts.coordinator,
            ledger: parts.ledger,
            logger: parts.logger,
            listening: listening,
            isLeader: parts.hooks.leads,
            now: { parts.clock.now },
            pause: { try await Task.sleep(for: .seconds($0)) },
            offersHere: { [environment] in
                await LocalOffer.offer(said: $0, environment: environment, asksPrograms: true)
            }
        )
    }

    private func reload(_ parts: Parts) -> ServedReload {
        ServedReload(
            settings: parts.settings,
            read: {
                let value = try ServedSettings.Value(
                    try read(),
                    parts.local,
                    environment,
                    parts.logger
                )
                try await value.check()
                return value
            },
            tokens: parts.tokens,
            data: parts.data.path,
            logger: parts.logger,
            now: { parts.clock.now },
            pause: { try await Task.sleep(for: .seconds($0)) }
        )
    }

    /// The URL at which the other coordinators reach this one.
    var address: String {
        configuration.settings.ledger?.address ?? configuration.url(listening: listen)
    }

    private func answer(_ parts: Parts, _ desks: ServedRunPages) async throws {
        let (coordinator, tokens, logger) = (parts.coordinator, parts.tokens, parts.logger)
        var options = ServerOptions()
        options.listen = listen
        options.certificate = { parts.settings.now.certificate }
        options.idleSeconds = configuration.settings.idleSeconds
        options.bodySeconds = configuration.settings.bodySeconds
        options.authorities = authorities
        // Files and the ledger need file descriptors too; each connection needs one.
        let room = max(64, Self.raiseFileLimit() - 256)
        options.connectionsMax = min(configuration.settings.connectionsMax, room)
        let scheme = configuration.settings.tls == nil ? "http" : "https"
        let server = FarmServer(
            coordinator: coordinator,
            access: tokens,
            sealer: parts.sealer,
            artifacts: ServedArtifacts(coordinator),
            pages: ServedPages(
                tokens: tokens,
                proxy: proxy,
                desks: desks,
                clock: tokens.clock
            ),
            leadership: parts.pool,
            upkeep: { [data = configuration.data] in UpkeepTimes.facts(of: data) },
            logger: logger
        )
        try await server.serve(options) { [listen, listening] port in
            var address = listen
            address.port = port
            // A worker cannot call the address that stands for all addresses of the machine.
            let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
            listening.set("\(scheme)://\(isEverywhere ? "127.0.0.1:\(port)" : address.text)")
            logger.notice(
                "listening",
                metadata: ["url": "\(scheme)://\(address.text)", "process": "\(getpid())"]
            )
        }
    }

    /// Warns if the other coordinators cannot reach this one.
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
        } catch is CancellationError {
            // The coordinator stops.
        } catch {
            logger.warning("\(address) could not be tried: \(error.inWords)")
        }
        await client.close()
    }

    private var authorities: String? {
        environment["SNAPFARM_CA"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func makeLogger() -> Logger {
        let format = logFormat ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
        return Logger(label: "snapfarm") { _ in
            EventLog(format: format) { Console.write($0, to: STDERR_FILENO) }
        }
    }

    /// Raises the process's limit of open files as far as allowed, and returns it.
    private static func raiseFileLimit() -> Int {
        var limit = rlimit()
        // 7 is RLIMIT_NOFILE, whose type in Swift differs from one libc to another.
        #if os(Linux)
        guard getrlimit(.init(7), &limit) == 0 else { return 256 }
        // With a higher limit, programs that close every possible descriptor take seconds to start.
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        _ = setrlimit(.init(7), &limit)
        guard getrlimit(.init(7), &limit) == 0 else { return 256 }
        #else
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return 256 }
        #endif
        return Int(limit.rlim_cur)
    }
}
