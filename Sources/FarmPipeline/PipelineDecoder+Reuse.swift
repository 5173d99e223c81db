// Decodes the keys of a job by which its test cases inherit their verdicts.
import FarmCore
import Yams

extension PipelineDecoder {
    /// Decodes `reuse` and `inputs` of a job, whose driver and judge are known.
    mutating func decodeReuse(_ entries: [String: Node], for job: inout Job) {
        if let node = entries["inputs"] {
            job.inputs = rules(node, what: "inputs").compactMap { item in
                pattern(item, what: "a pattern of inputs")
            }
        }
        guard let node = entries["reuse"], let rule = reuse(node) else { return }
        job.reuse = rule
        let what = "job \(job.name)"
        if job.judge == .framework {
            reader.report(
                node,
                "\(what) has reuse, but its framework compares the pictures.",
                "Remove `reuse`, or let snapfarm compare: `judge: farm`."
            )
        }
        let name = job.driver.name
        switch drivers.first(where: { $0.name == name })?.inputs {
        case .named where job.inputs?.isEmpty != false:
            reader.report(
                node,
                "\(what) has reuse, but names no inputs.",
                "Add patterns of all files that its tests read: `inputs: [\"app/**\"]`."
            )
        case .unknown, nil:
            reader.report(
                node,
                "\(what) has reuse, but what tests of the driver \(name) read is not known.",
                "Remove `reuse`."
            )
        case .named, .built, .recorded: break
        }
    }

    /// Decodes `true`, `false` or a map with the size of the sample; returns `nil` for `false`.
    private mutating func reuse(_ node: Node) -> ReuseRule? {
        guard reader.isMap(node) else {
            return reader.boolean(node, what: "reuse") == true ? .usual : nil
        }
        let what = "reuse"
        guard let entries = reader.mapping(node, known: JobKeys.reuse.names, what: what) else {
            return nil
        }
        guard let sample = entries["sample"] else { return .usual }
        let text = sample.scalar?.string ?? ""
        let digits = text.hasSuffix("%") ? text.dropLast().filter { $0 != " " } : ""
        guard let percent = Double(digits), (0...100).contains(percent) else {
            reader.report(sample, "reuse.sample is \"\(text)\".", "Write a share, such as 5%.")
            return nil
        }
        return ReuseRule(samplePercent: percent)
    }
}
