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

/// What the configuration file of a coordinator says.
package struct CoordinatorSettings: Hashable, Sendable {
    package static let defaultPort = 7420

    package var listen: ListenAddress?
    /// As written; relative to the file's folder.
    package var data: String?
    package var tls: TLSFiles?
    /// By pipeline name: the path or Git URL of the store that its runs compare with.
    package var stores: [String: String] = [:]
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
