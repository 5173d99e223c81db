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
            endpoint: entries["endpoint"].flatMap { reader.bucketEndpoint($0) },
            region: entries["region"].flatMap { reader.bucketRegion($0) },
            address: entries["address"].flatMap { address($0) },
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

    /// Decodes the URL of the place for readers, without `/` at its end.
    private mutating func address(_ node: Node) -> String? {
        guard var text = reader.text(node, what: "address") else { return nil }
        if text.hasSuffix("/") { text.removeLast() }
        guard CoordinatorSettingsDecoder.isWebAddress(text), !text.contains("?"),
            !text.contains("#")
        else {
            reader.report(
                node,
                "address is no http or https address.",
                "Write the address under which people open the reports: `address: "
                    + "https://reports.example.com/shop`."
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
