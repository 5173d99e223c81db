// Decodes `repositories:`, `webhooks:` and `ledger:` of a coordinator's configuration. The file
// contains the names of the variables that hold secrets, never the secrets.
import FarmCore
import Yams

extension CoordinatorSettingsDecoder {
    mutating func repositories(_ node: Node) -> [String: RepositorySettings] {
        var repositories: [String: RepositorySettings] = [:]
        for (key, value) in reader.orderedMapping(node, what: "repositories") {
            guard let name = reader.text(key, what: "the name of a pipeline") else { continue }
            repositories[name] = repository(value, what: "the repository of \(name)")
        }
        return repositories
    }

    private mutating func repository(_ node: Node, what: String) -> RepositorySettings? {
        let known = ["url", "pin", "token", "key"]
        guard let entries = reader.mapping(node, known: known, what: what) else { return nil }
        guard let url = entries["url"].flatMap({ reader.text($0, what: "url of \(what)") }) else {
            reader.report(
                node,
                "\(what) has no url.",
                "Write `url: https://git.example.org/app.git`, or another address of Git."
            )
            return nil
        }
        var settings = RepositorySettings(url: url)
        if let pin = entries["pin"], let path = reader.text(pin, what: "pin of \(what)") {
            if !Self.isPathInside(path) {
                reader.report(
                    pin,
                    "pin of \(what) is \"\(path.prefix(80))\".",
                    "Write its path from the root of the repository, such as tests/snapfarm.refs."
                )
            }
            settings.pinPath = path
        }
        settings.token = entries["token"].flatMap { variable($0, what: "token of \(what)") }
        settings.key = entries["key"].flatMap { reader.text($0, what: "key of \(what)") }
        return settings
    }

    mutating func webhooks(_ node: Node) -> [WebhookSettings] {
        let nodes = reader.list(node, what: "webhooks")
        guard nodes.count <= FarmLimits.webhooksMax else {
            reader.report(
                node,
                "there are \(nodes.count) webhooks; at most \(FarmLimits.webhooksMax) are called.",
                "Let one receiver pass the events on."
            )
            return []
        }
        return nodes.compactMap { webhook($0) }
    }

    private mutating func webhook(_ node: Node) -> WebhookSettings? {
        let known = ["url", "secret", "events"]
        guard let entries = reader.mapping(node, known: known, what: "a webhook") else {
            return nil
        }
        let url = entries["url"].flatMap { reader.text($0, what: "url of a webhook") }
        let secret = entries["secret"].flatMap { variable($0, what: "secret of a webhook") }
        guard let url, let secret else {
            reader.report(
                node,
                "a webhook needs url and secret.",
                "Write `{url: https://ci.example.org/hook, secret: HOOK_SECRET}`: the secret is "
                    + "read from the variable HOOK_SECRET."
            )
            return nil
        }
        if !Self.isWebAddress(url) {
            reader.report(
                entries["url"] ?? node,
                "url of a webhook is no http or https address without a password.",
                "Write https://HOST/PATH; the signature proves who calls."
            )
        }
        let events = entries["events"].map { node in
            reader.list(node, what: "events of a webhook").compactMap {
                reader.word($0, as: FarmEvent.Kind.self, what: "event")
            }
        }
        return WebhookSettings(
            url: url,
            secret: secret,
            events: events ?? FarmEvent.Kind.allCases
        )
    }

    mutating func ledger(_ node: Node) -> SharedLedgerSettings? {
        let known = ["url", "password", "pool", "address"]
        guard let entries = reader.mapping(node, known: known, what: "ledger") else { return nil }
        guard let url = entries["url"].flatMap({ reader.text($0, what: "ledger.url") }),
            SharedLedgerSettings.isAddress(url)
        else {
            reader.report(
                entries["url"] ?? node,
                "ledger has no url of PostgreSQL without a password.",
                "Write `url: postgres://USER@HOST/DATABASE`, and the name of the variable that "
                    + "holds the password as `password:`."
            )
            return nil
        }
        var settings = SharedLedgerSettings(url: url)
        settings.password = entries["password"].flatMap { variable($0, what: "ledger.password") }
        if let node = entries["pool"], let pool = reader.text(node, what: "ledger.pool") {
            if pool.utf8.count > FarmLimits.labelBytesMax {
                reader.report(node, "ledger.pool is too long.", "Name the farm in a few letters.")
            }
            settings.pool = pool
        }
        if let node = entries["address"], let url = reader.text(node, what: "ledger.address") {
            if !Self.isWebAddress(url) {
                reader.report(
                    node,
                    "ledger.address is no http or https address without a password.",
                    "Write where the other coordinators reach this one: https://HOST:PORT."
                )
            }
            settings.address = url
        }
        return settings
    }

    /// Decodes the name of an environment variable that holds a secret.
    ///
    /// The coordinator hides such variables from its child processes.
    mutating func variable(_ node: Node, what: String) -> String? {
        guard let name = reader.text(node, what: what) else { return nil }
        guard Self.isVariable(name) else {
            // The text itself may be the secret, so the message does not quote it.
            reader.report(
                node,
                "\(what) is no name of a variable of your own.",
                "Name a variable of the coordinator's environment: upper-case letters, digits and "
                    + "_, not beginning with SNAPFARM_."
            )
            return nil
        }
        return name
    }

    /// Whether a text can name an environment variable (upper-case letters, digits and `_`) and
    /// does not begin with `SNAPFARM_`.
    static func isVariable(_ name: String) -> Bool {
        (1...FarmLimits.labelBytesMax).contains(name.utf8.count) && !name.hasPrefix("SNAPFARM_")
            && name.utf8.allSatisfy { byte in
                (65...90).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "_")
            }
    }

    static func isPathInside(_ path: String) -> Bool {
        let parts = path.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        return path.utf8.count <= FarmLimits.picturePathBytesMax
            && path.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
            && parts.allSatisfy { part in
                !part.isEmpty && !["." as Substring, "..", ".git"].contains(Substring(part))
            }
    }

    static func isWebAddress(_ text: String) -> Bool {
        let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map {
            text.dropFirst($0.count)
        }
        guard let host = rest?.prefix(while: { $0 != "/" && $0 != "?" }), !host.isEmpty else {
            return false
        }
        return !host.contains("@") && WebAddress(text) != nil
            && text.utf8.count <= FarmLimits.factBytesMax
            && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }
}
