// The configuration file of `snapfarm serve`, as typed values. Paths stay as written; the caller
// resolves them.

/// The certificate and key of a coordinator, as paths of PEM files.
package struct TLSFiles: Hashable, Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The format of log lines.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
    case json, text
}

/// The address and credentials by which a coordinator reaches a repository under test.
package struct RepositorySettings: Hashable, Sendable {
    /// The repository's Git URL, or a path.
    package var url: String
    /// The pin's path from the repository's root, with `/`.
    package var pinPath = "snapfarm.refs"
    /// The environment variable with the token for HTTPS, or `nil` for `SNAPFARM_REPOSITORY_TOKEN`.
    package var token: String?
    /// The path of a private key for SSH, or `nil` to use the keys of the environment.
    package var key: String?

    package init(url: String) { self.url = url }
}

/// A receiver of a coordinator's events.
package struct WebhookSettings: Hashable, Sendable {
    package var url: String
    /// The name of the environment variable with the secret that signs each call.
    package var secret: String
    package var events: [FarmEvent.Kind]

    package init(url: String, secret: String, events: [FarmEvent.Kind]) {
        self.url = url
        self.secret = secret
        self.events = events
    }
}

/// The settings of a ledger in PostgreSQL that several coordinators share.
package struct SharedLedgerSettings: Hashable, Sendable {
    package static let defaultPool = "farm"

    /// The database's URL in libpq's form.
    package var url: String
    /// The environment variable with the password, or `nil` for `PGPASSWORD` or libpq's own
    /// sources.
    package var password: String?
    /// The name of this farm in the database, which may hold several.
    package var pool: String
    /// The address at which the other coordinators reach this one, or `nil` for the machine's name
    /// and this coordinator's port.
    package var address: String?

    package init(url: String, pool: String = SharedLedgerSettings.defaultPool) {
        self.url = url
        self.pool = pool
    }

    /// Whether `url` is a URL of PostgreSQL that contains no password and may be shown.
    package static func isAddress(_ url: String) -> Bool {
        guard let scheme = ["postgres://", "postgresql://"].first(where: url.hasPrefix),
            url.utf8.count <= FarmLimits.factBytesMax, !url.utf8.contains(0)
        else { return false }
        let rest = url.dropFirst(scheme.count)
        let hosts = rest.prefix { $0 != "/" && $0 != "?" }
        let user = hosts.lastIndex(of: "@").map { hosts[..<$0] } ?? ""
        let options = rest.drop { $0 != "?" }.dropFirst().split(separator: "&")
        return !user.contains(":") && !options.contains { $0.hasPrefix("password=") }
    }
}

/// The values of a coordinator's configuration file.
package struct CoordinatorSettings: Hashable, Sendable {
    package static let defaultPort = 7420

    package var listen: ListenAddress?
    /// The path of the data folder; a relative one starts at the configuration file's folder.
    package var data: String?
    package var tls: TLSFiles?
    /// The reference store of each pipeline, by the pipeline's name, as a path or Git URL.
    package var stores: [String: String] = [:]
    /// The repository under test of each pipeline, by the pipeline's name; publications commit the
    /// pin to it.
    package var repositories: [String: RepositorySettings] = [:]
    /// The teams that share the workers.
    package var teams = Teams()
    package var webhooks: [WebhookSettings] = []
    /// The ledger shared with other coordinators, or `nil` if this coordinator has a ledger file of
    /// its own.
    package var ledger: SharedLedgerSettings?
    /// The rules of deleting old runs, or `nil` if the coordinator deletes nothing by itself.
    package var retention: RetentionPolicy?
    /// The launchers that start workers when test cases wait.
    package var launchers: [LauncherSettings] = []
    /// The bucket that holds the blobs, or `nil` if they are in the data folder.
    package var bucket: BucketSettings?
    package var logFormat: LogFormat?
    /// Seconds for which a connection may be silent.
    package var idleSeconds = FarmLimits.connectionIdleSeconds
    /// Seconds that a JSON body may take to arrive.
    package var bodySeconds = FarmLimits.bodySeconds
    package var connectionsMax = FarmLimits.connectionsMax
    /// Seconds for which a run may wait while no worker takes or ends any of its tests.
    package var silenceSeconds = FarmLimits.runSilenceSeconds

    package init() {}
}

/// A bucket of S3 that holds a coordinator's blobs.
package struct BucketSettings: Hashable, Sendable {
    /// The bucket's server: `http://host:port` or `https://host`, without a path.
    package var endpoint: String
    package var region: String
    package var bucket: String
    /// The prefix of the blobs' keys in the bucket: empty, or a path without `/` at its ends.
    package var prefix: String
    /// Whether a URL names the bucket as the first part of its path, and not in its host.
    package var isPathStyle: Bool
    /// The environment variable with the id of the access key; `secretKey` names that of the
    /// secret.
    package var accessKey: String
    package var secretKey: String

    package init(
        endpoint: String,
        region: String = "us-east-1",
        bucket: String,
        prefix: String = "",
        isPathStyle: Bool = false,
        accessKey: String,
        secretKey: String
    ) {
        self.endpoint = endpoint
        self.region = region
        self.bucket = bucket
        self.prefix = prefix
        self.isPathStyle = isPathStyle
        self.accessKey = accessKey
        self.secretKey = secretKey
    }

    /// Whether a text is a bucket's name by S3's rules, and so safe in a path and in a host's name.
    package static func isName(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count) && !text.contains("..")
            && text.utf8.allSatisfy { isOfRegion($0) || $0 == UInt8(ascii: ".") }
    }

    package static func isRegion(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.allSatisfy(isOfRegion)
    }

    private static func isOfRegion(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
    }

    /// The bucket in words, for messages and for the note in a data folder.
    package var text: String {
        "s3 \(endpoint) \(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)")
    }
}
