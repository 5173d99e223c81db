// The comparison policy of a job, and its overrides by cell, suite and snapshot.
import Yams

extension PipelineDecoder {
    mutating func comparisonRules(_ node: Node, what: String) -> ComparisonRules {
        var rules = ComparisonRules()
        guard let entries = reader.mapping(node, known: PipelineKeys.comparison, what: what)
        else { return rules }
        rules.policy = policy(entries, node, base: nil, what: what)
        for subject in ComparisonRules.Override.Subject.allCases {
            guard let overrides = entries[subject.rawValue] else { continue }
            for (key, value) in reader.orderedMapping(
                overrides,
                what: "\(what).\(subject.rawValue)"
            ) {
                guard let pattern = reader.text(key, what: "a pattern"),
                    let own = reader.mapping(
                        value,
                        known: PipelineKeys.policy,
                        what: "the policy of \(pattern)"
                    )
                else { continue }
                let chosen = policy(own, value, base: rules.policy, what: pattern)
                rules.overrides.append(
                    ComparisonRules.Override(subject: subject, pattern: pattern, policy: chosen)
                )
            }
        }
        return rules
    }

    /// An override without `policy` keeps the job's policy and changes its numbers.
    private mutating func policy(
        _ entries: [String: Node],
        _ node: Node,
        base: ComparisonPolicy?,
        what: String
    ) -> ComparisonPolicy {
        var name = base?.name ?? "exact"
        if let node = entries["policy"], let text = reader.text(node, what: "policy") {
            if PipelineKeys.ofPolicy[text] == nil {
                let known = PipelineKeys.ofPolicy.keys.sorted()
                let near = nearest(text, among: known).map { "Did you mean \"\($0)\"? " } ?? ""
                reader.report(
                    node,
                    "unknown policy \"\(text)\".",
                    near + "Known: \(known.joined(separator: ", "))."
                )
                return .exact
            }
            name = text
        }
        let own = PipelineKeys.ofPolicy[name] ?? []
        for key in PipelineKeys.policy where key != "policy" && !own.contains(key) {
            guard let value = entries[key] else { continue }
            reader.report(
                value,
                "\(what): the policy \(name) has no \(key).",
                own.isEmpty ? "Remove it." : "It has \(own.joined(separator: ", "))."
            )
        }
        return built(name, entries, base: base)
    }

    private mutating func built(
        _ name: String,
        _ entries: [String: Node],
        base: ComparisonPolicy?
    ) -> ComparisonPolicy {
        switch name {
        case "fb":
            var kept = (perPixel: 0.0, overall: 0.0)
            if case .fb(let perPixel, let overall) = base { kept = (perPixel, overall) }
            return .fb(
                perPixelTolerance: share("perPixelTolerance", entries) ?? kept.perPixel,
                overallTolerance: share("overallTolerance", entries) ?? kept.overall
            )
        case "point-free":
            var kept = 1.0
            if case .pointFree(let precision) = base { kept = precision }
            return .pointFree(precision: share("precision", entries) ?? kept)
        case "pixelmatch":
            var kept = (0.1, false, 0)
            if case .pixelmatch(let a, let b, let c) = base { kept = (a, b, c) }
            let counts = entries["maxDifferingPixels"].flatMap {
                reader.integer($0, what: "maxDifferingPixels", in: 0...FarmLimits.picturePixelsMax)
            }
            let antiAliasing = entries["includeAntiAliasing"].flatMap {
                reader.boolean($0, what: "includeAntiAliasing")
            }
            return .pixelmatch(
                threshold: share("threshold", entries) ?? kept.0,
                includeAntiAliasing: antiAliasing ?? kept.1,
                maxDifferingPixels: counts ?? kept.2
            )
        default:
            return .exact
        }
    }

    private mutating func share(_ key: String, _ entries: [String: Node]) -> Double? {
        entries[key].flatMap { reader.number($0, what: key, in: 0...1) }
    }
}
