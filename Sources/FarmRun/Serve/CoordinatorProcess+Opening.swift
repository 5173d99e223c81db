// Opens the parts of a coordinator: settings, ledger, blobs, tokens and keys, each after those that
// it needs.
import FarmCore
import FarmDrivers
import FarmImaging
import FarmLedger
import FarmPipeline
import FarmServer
import Foundation
import Logging

extension CoordinatorProcess {
    /// The opened parts of a serving coordinator: ledger, blobs, tokens and keys.
    struct Parts: Sendable {
        let data: DataFolder
        let logger: Logger
        let clock: SteadyClock
        let local: LocalLauncher
        let settings: ServedSettings
        let webhooks: Webhooks
        let hooks: CoordinatorHooks
        /// The membership in a pool, or `nil` for a coordinator with a ledger of its own.
        let pool: ServedPool?
        let tokens: TokenFile
        let sealer: LeaseSealer
        /// Whether the key is new, so that no worker can report under an older lease.
        let isNewKey: Bool
        let ledger: SQLiteLedger
        let coordinator: Coordinator
    }

    func open(_ data: DataFolder, _ logger: Logger) async throws -> Parts {
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
        // Any variable may be a secret, because the configuration can name any.
        OwnEnvironment.hideMemory()
        try await settings.now.check()
        let pool = try shared.map { try ServedPool($0, at: address, in: data, logger: logger) }
        let hooks = hooks(settings, webhooks, pool)
        let tokens = try openTokens(data, pool, clock, logger)
        let isNewKey = !FileManager.default.fileExists(atPath: data.leaseKey)
        var generator = SystemRandomNumberGenerator()
        let sealer = try LeaseKeyFile.sealer(data.leaseKey, using: &generator)
        try await ServedBlobs.settle(blobs, data, pool, logger)
        let ledger = try pool?.ledger ?? SQLiteLedger(path: data.ledger)
        ledger.share { settings.now.configuration.settings.teams }
        return Parts(
            data: data,
            logger: logger,
            clock: clock,
            local: local,
            settings: settings,
            webhooks: webhooks,
            hooks: hooks,
            pool: pool,
            tokens: tokens,
            sealer: sealer,
            isNewKey: isNewKey,
            ledger: ledger,
            coordinator: Coordinator(
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
        )
    }

    private func hooks(
        _ settings: ServedSettings,
        _ webhooks: Webhooks,
        _ pool: ServedPool?
    ) -> CoordinatorHooks {
        var hooks = CoordinatorHooks()
        hooks.publish = { try settings.now.stores.publish($0) }
        hooks.onEvent = { webhooks.enqueue($0) }
        hooks.teams = { settings.now.configuration.settings.teams }
        hooks.judgePatienceSeconds = FarmLimits.judgeTriesSeconds
        if let member = pool?.member { hooks.leads = { member.leads } }
        return hooks
    }

    private func openTokens(
        _ data: DataFolder,
        _ pool: ServedPool?,
        _ clock: SteadyClock,
        _ logger: Logger
    ) throws -> TokenFile {
        let tokens = TokenFile(
            path: configuration.tokens,
            shared: pool?.sharedTokens,
            clock: { clock.now }
        )
        try pool?.shareFiles(tokens, tokensPath: configuration.tokens)
        if try tokens.records().isEmpty {
            let place = pool == nil ? "--data \(data.path)" : "--config FILE"
            logger.warning(
                "there is no token, so every call is refused; make one with `snapfarm tokens create \(place)`"
            )
        }
        return tokens
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
}
