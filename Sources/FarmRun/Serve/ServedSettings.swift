// The settings that a coordinator can reload while it serves, as one value: a reload replaces all
// of them or none. A running call keeps the value that it started with.
import FarmCore
import FarmServer
import Logging
import Synchronization

final class ServedSettings: Sendable {
    struct Value: Sendable {
        let configuration: CoordinatorConfiguration
        let stores: ServedStores
        let repositories: [String: ServedRepository]
        let launchers: [ServedLaunchers.Member]
        /// The certificate for TLS, or `nil` for plain HTTP.
        let certificate: ServerCertificate?

        /// Opens the parts that the configuration names.
        ///
        /// - Throws: The error of a store, a repository, a launcher or the certificate.
        init(
            _ configuration: CoordinatorConfiguration,
            _ local: LocalLauncher,
            _ environment: [String: String],
            _ logger: Logger
        ) throws {
            self.configuration = configuration
            stores = try ServedStores(configuration, environment, logger)
            repositories = try ServedRepository.all(configuration, environment)
            launchers = try ServedLaunchers.Member.all(configuration, local, environment)
            certificate = try configuration.settings.tls.map { try ServerCertificate($0) }
        }

        /// Runs the check command of each launcher.
        ///
        /// - Throws: The error of the first launcher whose check refuses its configuration.
        func check() async throws {
            for launcher in launchers { try await launcher.check() }
        }
    }
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    var now: Value { value.withLock { $0 } }

    func replace(with new: Value) { value.withLock { $0 = new } }
}

// MARK: differences

extension ServedSettings.Value {
    /// Returns the keys that differ in `new` and are read only at a start.
    func needsRestart(for new: ServedSettings.Value) -> [String] {
        let (old, new) = (configuration, new.configuration)
        let (one, other) = (old.settings, new.settings)
        let limits = [
            one.idleSeconds == other.idleSeconds, one.bodySeconds == other.bodySeconds,
            one.connectionsMax == other.connectionsMax,
            one.silenceSeconds == other.silenceSeconds,
        ]
        return [
            ("listen", one.listen == other.listen), ("data", old.data == new.data),
            // Users have addresses that begin with https or http, so this cannot change while it
            // serves.
            ("tls", (one.tls == nil) == (other.tls == nil)), ("ledger", one.ledger == other.ledger),
            ("blobs", one.bucket == other.bucket), ("webhooks", one.webhooks == other.webhooks),
            ("retention", one.retention == other.retention),
            ("log", one.logFormat == other.logFormat), ("limits", limits.allSatisfy { $0 }),
        ].filter { !$0.1 }.map(\.0)
    }

    /// Returns a line for each setting that differs in `new`.
    func difference(to new: ServedSettings.Value) -> [String] {
        let (one, other) = (configuration.settings, new.configuration.settings)
        var lines = Self.difference("stores", one.stores, other.stores)
        lines += Self.difference("repositories", one.repositories, other.repositories)
        lines += Self.difference(one.teams, other.teams)
        lines += Self.difference(
            "launchers",
            Dictionary(one.launchers.map { ($0.name, $0) }) { first, _ in first },
            Dictionary(other.launchers.map { ($0.name, $0) }) { first, _ in first }
        )
        if let old = certificate, let new = new.certificate, !new.isSame(as: old) {
            lines.append(
                "certificate: valid until \(CertificateLife.text(new.life.end)), before "
                    + "until \(CertificateLife.text(old.life.end))"
            )
        }
        return lines
    }

    private static func difference(_ old: Teams, _ new: Teams) -> [String] {
        guard old != new else { return [] }
        let lines = difference(
            "teams",
            Dictionary(old.named.map { ($0.name, $0) }) { first, _ in first },
            Dictionary(new.named.map { ($0.name, $0) }) { first, _ in first }
        )
        return lines.isEmpty ? ["teams: the order has changed"] : lines
    }

    private static func difference<Value: Equatable>(
        _ key: String,
        _ old: [String: Value],
        _ new: [String: Value]
    ) -> [String] {
        Set(old.keys).union(new.keys).sorted().compactMap { name in
            switch (old[name], new[name]) {
            case (.none, _): "\(key): \(name) is new"
            case (_, .none): "\(key): \(name) is gone"
            case (.some(let one), .some(let other)):
                one == other ? nil : "\(key): \(name) has changed"
            }
        }
    }
}
