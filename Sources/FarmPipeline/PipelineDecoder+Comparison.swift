// Decodes the comparison policy of a job, its ignored regions, and its overrides by cell, suite and
// snapshot.
import FarmCore
import Yams

extension PipelineDecoder {
    mutating func comparisonRules(_ node: Node, what: String) -> ComparisonRules {
        var rules = ComparisonRules()
        guard let entries = reader.mapping(node, known: PolicyKeys.comparison.names, what: what)
        else { return rules }
        rules.policy = policy(entries, node, base: nil, what: what)
        rules.ignored = ignored(entries, what: what)
        for subject in ComparisonRules.Override.Subject.allCases {
            guard let overrides = entries[subject.rawValue] else { continue }
            for (key, value) in reader.orderedMapping(
                overrides,
                what: "\(what).\(subject.rawValue)"
            ) {
                guard let pattern = pattern(key, what: "a pattern") else { continue }
                if let override = override(subject, pattern, value, base: rules.policy) {
                    rules.overrides.append(override)
                }
            }
        }
        checkCount(rules.overrides.count, node, what: "\(what)", of: "overrides")
        return rules
    }

    private mutating func override(
        _ subject: ComparisonRules.Override.Subject,
        _ pattern: String,
        _ node: Node,
        base: ComparisonPolicy
    ) -> ComparisonRules.Override? {
        guard
            let entries = reader.mapping(
                node,
                known: PolicyKeys.override.names,
                what: "the policy of \(pattern)"
            )
        else { return nil }
        let speaks = entries.keys.contains { PolicyKeys.policy.contains($0) }
        return ComparisonRules.Override(
            subject: subject,
            pattern: pattern,
            policy: speaks ? policy(entries, node, base: base, what: pattern) : nil,
            ignored: ignored(entries, what: pattern)
        )
    }

    private mutating func ignored(_ entries: [String: Node], what: String) -> IgnoredRegions {
        var regions = IgnoredRegions()
        if let node = entries["ignore"] { regions = parts(node, what: "\(what).ignore") }
        guard let node = entries["mask"], let path = reader.text(node, what: "\(what).mask")
        else { return regions }
        if path.isAbsolutePath || path.pathParts.contains("..") {
            reader.report(
                node,
                "\(what): mask leaves the pipeline file's folder: \"\(path)\".",
                "Put the mask beside the pipeline file."
            )
        } else {
            regions.mask = path
        }
        return regions
    }

    /// Decodes one box of pixels, path of JSON or regular expression, or a list of them.
    private mutating func parts(_ node: Node, what: String) -> IgnoredRegions {
        let items = node.scalar == nil ? reader.list(node, what: what) : [node]
        if items.count > FarmLimits.ignoredBoxesMax {
            reader.report(
                node,
                "\(what) has \(items.count) boxes.",
                "At most \(FarmLimits.ignoredBoxesMax); draw larger ones."
            )
            return IgnoredRegions()
        }
        var parts = IgnoredRegions()
        var texts: [IgnoredText] = []
        for item in items {
            let text = item.scalar?.string ?? ""
            if let box = PixelBox(inclusive: text) {
                parts.boxes.append(box)
            } else if let part = IgnoredText(text), texts.count < FarmLimits.ignoredTextsMax {
                texts.append(part)
            } else if text.hasPrefix("$"), JSONPath(text) == nil {
                reader.report(
                    item,
                    "\(what): \"\(text.prefix(80))\" is no path of JSON.",
                    "Write `$`, then `.name`, `['name']`, `[0]`, `.*` or `[*]`."
                )
            } else if text.count > 1, text.hasPrefix("/"), IgnoredText(text) == nil {
                reader.report(
                    item,
                    "\(what): \"\(text.prefix(80))\" is no regular expression between two `/`.",
                    "Close each bracket, and write `\\` before a sign that stands for itself."
                )
            } else {
                reader.report(
                    item,
                    "\(what): \"\(text.prefix(80))\" is no box, and no part of a text.",
                    "Write \"left,top-right,bottom\" in quotes, such as \"10,20-300,40\": pixels, "
                        + "of which the last column and row are ignored too; for texts `$.date` "
                        + "(JSON) or `/[0-9]+ ms/` (a regular expression), at most "
                        + "\(FarmLimits.ignoredTextsMax)."
                )
            }
        }
        if !texts.isEmpty { parts.texts = texts }
        return parts
    }

    /// Decodes a comparison policy.
    ///
    /// An override without `policy` keeps the job's policy and changes its numbers.
    private mutating func policy(
        _ entries: [String: Node],
        _ node: Node,
        base: ComparisonPolicy?,
        what: String
    ) -> ComparisonPolicy {
        var name = (base ?? .visible()).name
        if let node = entries["policy"], let text = reader.text(node, what: "policy") {
            guard let known = ComparisonPolicy.Name(rawValue: text) else {
                let near = nearest(text, among: PolicyKeys.names)
                reader.report(
                    node,
                    "unknown policy \"\(text)\".",
                    (near.map { "Did you mean \"\($0)\"? " } ?? "")
                        + "Known: \(PolicyKeys.names.joined(separator: ", "))."
                )
                return base ?? .visible()
            }
            name = known
        }
        let own = PolicyKeys.numbers(of: name)
        for key in PolicyKeys.policy where key != "policy" && !own.contains(key) {
            guard let value = entries[key] else { continue }
            reader.report(
                value,
                "\(what): the policy \(name.rawValue) has no \(key).",
                own.isEmpty ? "Remove it." : "It has \(own.joined(separator: ", "))."
            )
        }
        return built(name, entries, base: base)
    }

    /// Makes a comparison policy from the numbers in the file.
    ///
    /// Numbers that the file does not name are those of the base, if it is the same policy.
    private mutating func built(
        _ name: ComparisonPolicy.Name,
        _ entries: [String: Node],
        base: ComparisonPolicy?
    ) -> ComparisonPolicy {
        switch name {
        case .exact: return .exact
        case .fb:
            var kept = (perPixel: 0.0, overall: 0.0)
            if case .fb(let perPixel, let overall) = base { kept = (perPixel, overall) }
            return .fb(
                perPixelTolerance: share("perPixelTolerance", entries) ?? kept.perPixel,
                overallTolerance: share("overallTolerance", entries) ?? kept.overall
            )
        case .pointFree:
            var kept = (1.0, 1.0)
            if case .pointFree(let precision, let perceptual) = base {
                kept = (precision, perceptual)
            }
            return .pointFree(
                precision: share("precision", entries) ?? kept.0,
                perceptualPrecision: share("perceptualPrecision", entries) ?? kept.1
            )
        case .pixelmatch: return pixelmatch(entries, base: base)
        case .paparazzi:
            var kept = ComparisonPolicy.Default.maxPercentDifference
            if case .paparazzi(let percent) = base { kept = percent }
            return .paparazzi(
                maxPercentDifference: number(
                    "maxPercentDifference",
                    entries,
                    in: ComparisonPolicy.percents
                ) ?? kept
            )
        case .roborazzi:
            var kept = (ComparisonPolicy.Default.maxDistance, 0.0)
            if case .roborazzi(let distance, let threshold) = base { kept = (distance, threshold) }
            return .roborazzi(
                maxDistance: number("maxDistance", entries, in: ComparisonPolicy.distances)
                    ?? kept.0,
                threshold: share("threshold", entries) ?? kept.1
            )
        case .visible: return .visible(visible(entries, base: base))
        }
    }

    private mutating func visible(
        _ entries: [String: Node],
        base: ComparisonPolicy?
    ) -> VisibleLimits {
        var limits = VisibleLimits()
        if case .visible(let kept) = base { limits = kept }
        if let noise = integer("noise", entries, in: ComparisonPolicy.deltas) {
            limits.noise = noise
        }
        if let node = entries["antiAliasing"],
            let word = reader.word(
                node,
                as: VisibleLimits.AntiAliasing.self,
                what: "antiAliasing"
            )
        {
            limits.antiAliasing = word
        }
        if let share = share("share", entries) { limits.share = share }
        if let cluster = integer("cluster", entries, in: ComparisonPolicy.clusters) {
            limits.cluster = cluster
        }
        return limits
    }

    private mutating func pixelmatch(
        _ entries: [String: Node],
        base: ComparisonPolicy?
    ) -> ComparisonPolicy {
        var kept = (ComparisonPolicy.Default.pixelmatchThreshold, false, 0, PixelmatchVersion.v7)
        if case .pixelmatch(let a, let b, let c, let d) = base { kept = (a, b, c, d) }
        let antiAliasing = entries["includeAntiAliasing"].flatMap {
            reader.boolean($0, what: "includeAntiAliasing")
        }
        let version = entries["version"].flatMap {
            reader.word($0, as: PixelmatchVersion.self, what: "version of pixelmatch")
        }
        let most = integer("maxDifferingPixels", entries, in: ComparisonPolicy.pixels)
        return .pixelmatch(
            threshold: share("threshold", entries) ?? kept.0,
            includeAntiAliasing: antiAliasing ?? kept.1,
            maxDifferingPixels: most ?? kept.2,
            version: version ?? kept.3
        )
    }

    private mutating func share(_ key: String, _ entries: [String: Node]) -> Double? {
        number(key, entries, in: ComparisonPolicy.shares)
    }

    private mutating func number(
        _ key: String,
        _ entries: [String: Node],
        in range: ClosedRange<Double>
    ) -> Double? {
        entries[key].flatMap { reader.number($0, what: key, in: range) }
    }

    private mutating func integer(
        _ key: String,
        _ entries: [String: Node],
        in range: ClosedRange<Int>
    ) -> Int? {
        entries[key].flatMap { reader.integer($0, what: key, in: range) }
    }
}
