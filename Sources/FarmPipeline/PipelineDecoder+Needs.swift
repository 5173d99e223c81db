// Decodes `needs:` of jobs and devices, the requirements on workers.
import FarmCore
import Yams

extension PipelineDecoder {
    /// Decodes the requirements on workers; returns `nil` if there are none or none can be decoded.
    mutating func needs(_ node: Node, what: String) -> Needs? {
        let entries = reader.orderedMapping(node, what: "\(what).needs")
        guard entries.count <= FarmLimits.needsMax else {
            reader.report(
                node,
                "\(what) has \(entries.count) needs.",
                "At most \(FarmLimits.needsMax)."
            )
            return nil
        }
        let needs = entries.compactMap { key, value in need(key, value, what: what) }
        return needs.isEmpty ? nil : Needs(needs)
    }

    private mutating func need(_ key: Node, _ value: Node, what: String) -> Need? {
        guard let name = reader.text(key, what: "the name of a need"),
            let text = reader.text(value, what: "\(what).needs.\(name)")
        else { return nil }
        do throws(NeedMistake) {
            return try Need(name: name, parsing: text)
        } catch {
            if case .name = error {
                reader.report(key, "\(what): \(error.message)", error.remedy)
            } else {
                reader.report(value, "\(what): \(error.message)", error.remedy)
            }
            return nil
        }
    }

    /// Reports devices whose needs, together with the job's, no worker can meet.
    mutating func checkNeeds(of job: Job, at node: Node) {
        guard let own = job.needs else { return }
        var seen: Set<String> = []
        for device in job.cells.compactMap(\.device) where seen.insert(device.title).inserted {
            let together = Needs(own.all + (device.needs?.all ?? []))
            for need in together.all where !need.canBeMet {
                reader.report(
                    node,
                    "job \(job.name) on \(device.title) needs \(need.words), which no worker can "
                        + "offer.",
                    "Correct the needs of the job or of the device."
                )
            }
        }
    }
}
