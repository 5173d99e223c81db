// Decodes the quarantine of a pipeline file. Entries need a reason and a last day, so that known
// failures are not forgotten.
import FarmCore
import Yams

extension PipelineDecoder {
    mutating func quarantine(_ node: Node) -> [QuarantineEntry] {
        let items = reader.list(node, what: "quarantine")
        guard items.count <= FarmLimits.quarantineMax else {
            reader.report(
                node,
                "quarantine has \(items.count) entries.",
                "At most \(FarmLimits.quarantineMax); patterns may hold `*` and `?`."
            )
            return []
        }
        return items.compactMap { quarantineEntry($0) }
    }

    private mutating func quarantineEntry(_ node: Node) -> QuarantineEntry? {
        let what = "an entry of quarantine"
        guard let entries = reader.mapping(node, known: PipelineKeys.quarantine.names, what: what)
        else { return nil }
        func pattern(_ key: String) -> String? {
            entries[key].flatMap { self.pattern($0, what: "quarantine.\(key)") }
        }
        let test = pattern("test")
        let snapshot = pattern("snapshot")
        if (entries["test"] == nil) == (entries["snapshot"] == nil) {
            reader.report(
                node,
                "\(what) names \(test == nil ? "neither a test nor a snapshot" : "both").",
                "Write `test: \"Suite/case*\"` or `snapshot: \"*/Suite/name\"`, one of them."
            )
        }
        let until = day(entries["until"], in: node)
        let reason = entries["reason"].flatMap {
            short($0, what: "quarantine.reason", bytesMax: FarmLimits.labelBytesMax)
        }
        if entries["reason"] == nil {
            reader.report(
                node,
                "\(what) has no reason.",
                "Write what is known: `reason: \"flickers since #512\"`."
            )
        }
        guard let until, let reason else { return nil }
        return QuarantineEntry(
            test: test,
            snapshot: snapshot,
            cell: pattern("cell"),
            until: until,
            reason: reason,
            cleanRuns: entries["cleanRuns"].flatMap {
                reader.integer($0, what: "quarantine.cleanRuns", in: 1...FarmLimits.cleanRunsMax)
            }
        )
    }

    /// Decodes a day of the calendar; returns it as it is written.
    private mutating func day(_ node: Node?, in entry: Node) -> String? {
        let remedy = "Write its last day: `until: 2026-12-31`; after it, the test counts again."
        guard let node else {
            reader.report(entry, "an entry of quarantine has no end.", remedy)
            return nil
        }
        let text = node.scalar?.string ?? ""
        guard let day = PruneDay(text.filter { $0 != "-" }), day.text == text else {
            reader.report(node, "until is \"\(text.prefix(40))\", which is no day.", remedy)
            return nil
        }
        return text
    }
}
