// Decodes the configuration file of `snapfarm serve` to `CoordinatorSettings`. Reports all mistakes
// at once, each with file:line, like the pipeline decoder.
import FarmCore
import Yams

extension CoordinatorSettings {
    /// Decodes the text of a configuration file; `file` is the file's name in messages.
    ///
    /// - Throws: all mistakes found, together.
    package static func decode(
        _ text: String,
        file: String
    ) throws(DocumentErrors) -> CoordinatorSettings {
        var decoder = CoordinatorSettingsDecoder(reader: DocumentReader(file: file))
        let settings = decoder.settings(text)
        guard decoder.reader.problems.isEmpty, let settings else {
            throw DocumentErrors(problems: decoder.reader.problems)
        }
        return settings
    }
}

struct CoordinatorSettingsDecoder {
    var reader: DocumentReader

    private static let top = [
        "version", "listen", "data", "tls", "stores", "repositories", "teams", "webhooks",
        "retention", "blobs", "ledger", "launchers", "log", "limits",
    ]
    private static let what = "coordinator configuration"

    mutating func settings(_ text: String) -> CoordinatorSettings? {
        guard let root = reader.root(of: text, what: Self.what),
            let entries = reader.mapping(root, known: Self.top, what: "the \(Self.what)")
        else { return nil }
        var settings = CoordinatorSettings()
        if let version = entries["version"] {
            _ = reader.integer(version, what: "version", in: 1...1)
        } else {
            reader.report(root, "version is missing.", "Begin the file with `version: 1`.")
        }
        settings.listen = entries["listen"].flatMap { listen($0) }
        settings.data = entries["data"].flatMap { reader.text($0, what: "data") }
        settings.tls = entries["tls"].flatMap { tls($0) }
        settings.stores = entries["stores"].map { stores($0) } ?? [:]
        settings.repositories = entries["repositories"].map { repositories($0) } ?? [:]
        settings.teams = entries["teams"].map { teams($0) } ?? Teams()
        settings.webhooks = entries["webhooks"].map { webhooks($0) } ?? []
        settings.retention = entries["retention"].flatMap { retention($0) }
        settings.launchers = entries["launchers"].map { launchers($0) } ?? []
        settings.bucket = entries["blobs"].flatMap { blobs($0) }
        settings.ledger = entries["ledger"].flatMap { ledger($0) }
        settings.logFormat = entries["log"].flatMap {
            reader.word($0, as: LogFormat.self, what: "log")
        }
        if let limits = entries["limits"] { decode(limits, into: &settings) }
        return settings
    }

    private mutating func listen(_ node: Node) -> ListenAddress? {
        guard let text = reader.text(node, what: "listen") else { return nil }
        guard let address = ListenAddress(text) else {
            reader.report(
                node,
                "listen is \"\(text.prefix(80))\".",
                "Write HOST:PORT, such as 127.0.0.1:\(CoordinatorSettings.defaultPort) or "
                    + "[::1]:\(CoordinatorSettings.defaultPort)."
            )
            return nil
        }
        return address
    }

    private mutating func tls(_ node: Node) -> TLSFiles? {
        guard
            let entries = reader.mapping(node, known: ["certificate", "key"], what: "tls")
        else { return nil }
        let certificate = entries["certificate"].flatMap {
            reader.text($0, what: "tls.certificate")
        }
        let key = entries["key"].flatMap { reader.text($0, what: "tls.key") }
        guard let certificate, let key else {
            reader.report(
                node,
                "tls needs a certificate and its key.",
                "Write `tls: {certificate: server.pem, key: server-key.pem}` (PEM files)."
            )
            return nil
        }
        return TLSFiles(certificate: certificate, key: key)
    }

    private mutating func stores(_ node: Node) -> [String: String] {
        var stores: [String: String] = [:]
        for (key, value) in reader.orderedMapping(node, what: "stores") {
            guard let name = reader.text(key, what: "the name of a pipeline") else { continue }
            stores[name] = reader.text(value, what: "the store of \(name)")
        }
        return stores
    }

    private mutating func retention(_ node: Node) -> RetentionPolicy? {
        guard let entries = reader.mapping(node, known: ["days", "runs"], what: "retention")
        else { return nil }
        var policy = RetentionPolicy.standard
        // A picture must stay until its run has ended.
        if let days = entries["days"].flatMap({
            reader.integer($0, what: "retention.days", in: 1...100_000)
        }) {
            policy.keepDays = days
        }
        if let runs = entries["runs"].flatMap({
            reader.integer($0, what: "retention.runs", in: 0...100_000)
        }) {
            policy.keepRuns = runs
        }
        return policy
    }

    private mutating func decode(_ node: Node, into settings: inout CoordinatorSettings) {
        let known = ["idle", "body", "connections", "silence"]
        guard let entries = reader.mapping(node, known: known, what: "limits") else { return }
        if let idle = entries["idle"].flatMap({ reader.seconds($0, what: "limits.idle") }) {
            settings.idleSeconds = idle
        }
        if let body = entries["body"].flatMap({ reader.seconds($0, what: "limits.body") }) {
            settings.bodySeconds = body
        }
        if let silence = entries["silence"].flatMap({ reader.seconds($0, what: "limits.silence") })
        {
            settings.silenceSeconds = silence
        }
        if let connections = entries["connections"].flatMap({
            reader.integer($0, what: "limits.connections", in: 10...1_000_000)
        }) {
            settings.connectionsMax = connections
        }
    }
}
