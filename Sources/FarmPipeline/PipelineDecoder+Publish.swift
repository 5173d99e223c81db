// Decodes `publish` of a pipeline file. The keys of a bucket are in the variables that every program
// of AWS reads, never in the file.
import FarmCore
import Yams

extension PipelineDecoder {
    mutating func reportDestination(_ node: Node) -> ReportDestination? {
        let known = PipelineKeys.publish.names
        guard let entries = reader.mapping(node, known: known, what: "publish") else { return nil }
        let named = ["bucket", "folder", "command"].filter { entries[$0] != nil }
        guard named.count == 1, let kind = named.first, let place = entries[kind] else {
            reader.report(
                node,
                named.isEmpty
                    ? "publish names no place."
                    : "publish names \(named.joined(separator: " and ")).",
                "Write one of `bucket: s3://NAME/PREFIX`, `folder: PATH` and `command: …`."
            )
            return nil
        }
        guard let place = reportPlace(place, kind) else { return nil }
        for key in ["endpoint", "region"] where kind != "bucket" {
            guard let node = entries[key] else { continue }
            reader.report(node, "\(key) is of a bucket.", "Remove it, or name a `bucket`.")
        }
        return ReportDestination(
            place,
            endpoint: entries["endpoint"].flatMap {
                webAddress($0, what: "endpoint", isHost: true)
            },
            region: entries["region"].flatMap { region($0) },
            address: entries["address"].flatMap { webAddress($0, what: "address", isHost: false) },
            notify: entries["notify"].flatMap { variable($0) }
        )
    }

    private mutating func reportPlace(_ node: Node, _ kind: String) -> ReportDestination.Place? {
        guard let text = reader.text(node, what: kind) else { return nil }
        switch kind {
        case "folder": return .folder(text)
        case "command": return .command(text)
        default: break
        }
        let scheme = "s3://"
        let path = text.dropFirst(scheme.count)
        let name = String(path.prefix { $0 != "/" })
        let prefix = String(path.dropFirst(name.count + 1))
        guard text.hasPrefix(scheme), BucketSettings.isName(name),
            path == name || CoordinatorSettingsDecoder.isPathInside(prefix)
        else {
            reader.report(
                node,
                "bucket is \"\(text.prefix(80))\".",
                "Write `s3://NAME` or `s3://NAME/PREFIX`: 3 to 63 lower-case letters, digits, - and "
                    + "dots, and a path without / at its end."
            )
            return nil
        }
        return .bucket(name: name, prefix: prefix)
    }

    /// Decodes a URL without `/` at its end; with `isHost`, one without a path.
    private mutating func webAddress(_ node: Node, what: String, isHost: Bool) -> String? {
        guard var text = reader.text(node, what: what) else { return nil }
        if text.hasSuffix("/") { text.removeLast() }
        let slashes = text.utf8.count { $0 == UInt8(ascii: "/") }
        guard CoordinatorSettingsDecoder.isWebAddress(text), !text.contains("?"),
            !text.contains("#"), !isHost || slashes == 2
        else {
            reader.report(
                node,
                "\(what) is no http or https address\(isHost ? " of a host" : "").",
                isHost
                    ? "Write it without a path: `endpoint: https://s3.example.com`."
                    : "Write the address under which people open the reports: `address: "
                        + "https://reports.example.com/shop`."
            )
            return nil
        }
        return text
    }

    private mutating func region(_ node: Node) -> String? {
        guard let text = reader.text(node, what: "region") else { return nil }
        guard BucketSettings.isRegion(text) else {
            reader.report(
                node,
                "region is \"\(text.prefix(80))\".",
                "Write it as the server calls it, such as eu-central-1; R2 calls it auto."
            )
            return nil
        }
        return text
    }

    private mutating func variable(_ node: Node) -> String? {
        guard let text = reader.text(node, what: "notify") else { return nil }
        guard CoordinatorSettingsDecoder.isVariable(text) else {
            reader.report(
                node,
                "notify is no name of an environment variable.",
                "The address is a secret, so name the variable that holds it: `notify: "
                    + "SLACK_WEBHOOK_URL`."
            )
            return nil
        }
        return text
    }
}
