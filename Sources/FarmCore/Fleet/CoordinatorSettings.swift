// What the configuration file of `snapfarm serve` says, as typed values. Paths stay as written: the
// caller knows the folder.

/// Certificate and key of a coordinator, as paths of PEM files.
package struct TLSFiles: Hashable, Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// How events are written.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
    case json, text
}

/// A repository under test, as a coordinator reaches it.
package struct RepositorySettings: Hashable, Sendable {
    /// Any address that Git knows, or a path.
    package var url: String
    /// From the root of the repository, with `/`.
    package var pinPath = "snapfarm.refs"
    /// The variable that holds the token for HTTPS; nil: `SNAPFARM_REPOSITORY_TOKEN`.
    package var token: String?
    /// A private key for SSH, as a path; nil: the environment's.
    package var key: String?

    package init(url: String) { self.url = url }
}

/// Who is told what happens at a coordinator.
package struct WebhookSettings: Hashable, Sendable {
    package var url: String
    /// The variable that holds the secret that signs each call.
    package var secret: String
    package var events: [FarmEvent.Kind]

    package init(url: String, secret: String, events: [FarmEvent.Kind]) {
        self.url = url
        self.secret = secret
        self.events = events
    }
}

/// The ledger in PostgreSQL that several coordinators share.
package struct SharedLedgerSettings: Hashable, Sendable {
    package static let defaultPool = "farm"

    /// As libpq reads it.
    package var url: String
    /// The variable that holds the password; nil: `PGPASSWORD`, or what libpq finds itself.
    package var password: String?
    /// The farm; one database may have several.
    package var pool: String
    /// Where the other coordinators reach this one; nil: the machine's name and its port.
    package var address: String?

    package init(url: String, pool: String = SharedLedgerSettings.defaultPool) {
        self.url = url
        self.pool = pool
    }

    /// Whether a URL is one of PostgreSQL that everybody may see: without a password.
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

/// What the configuration file of a coordinator says.
package struct CoordinatorSettings: Hashable, Sendable {
    package static let defaultPort = 7420

    package var listen: ListenAddress?
    /// The data folder; a relative path starts at the configuration file's folder.
    package var data: String?
    package var tls: TLSFiles?
    /// By pipeline name: the path or Git URL of the store that its runs compare with.
    package var stores: [String: String] = [:]
    /// By pipeline name: the repository under test that publications commit the pin to.
    package var repositories: [String: RepositorySettings] = [:]
    package var webhooks: [WebhookSettings] = []
    /// Nil: the ledger is a file of this coordinator alone.
    package var ledger: SharedLedgerSettings?
    /// What stays; nil: nothing leaves by itself.
    package var retention: RetentionPolicy?
    /// Where workers are started when work waits.
    package var launchers: [LauncherSettings] = []
    /// Where the blobs lie; nil: in the data folder.
    package var bucket: BucketSettings?
    package var logFormat: LogFormat?
    /// Seconds a connection may say nothing.
    package var idleSeconds = FarmLimits.connectionIdleSeconds
    /// Seconds a JSON body may take to arrive.
    package var bodySeconds = FarmLimits.bodySeconds
    package var connectionsMax = FarmLimits.connectionsMax
    /// Seconds that a run may wait for a worker.
    package var silenceSeconds = FarmLimits.runSilenceSeconds

    package init() {}
}

/// A bucket of S3 that holds a coordinator's blobs.
package struct BucketSettings: Hashable, Sendable {
    /// `http://host:port` or `https://host`, without a path.
    package var endpoint: String
    package var region: String
    package var bucket: String
    /// Before the keys; empty, or a path without `/` at its ends.
    package var prefix: String
    /// The bucket is the first part of the path, not of the host's name.
    package var isPathStyle: Bool
    /// The variables that hold the two keys.
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

    /// For messages, and for the note that a data folder keeps.
    package var text: String {
        "s3 \(endpoint) \(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)")
    }
}
