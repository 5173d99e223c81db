// A patch of a pipeline file that ignores further regions of one picture. Only the lines that name
// the regions change: comments, order and all other bytes stay. The changed file is read again, and
// must say exactly what it said before and the regions; if it does not, a person writes the line.
import FarmCore
import Yams

/// A change of a pipeline file: further ignored regions of a picture.
package struct IgnorePatch: Hashable, Sendable {
    /// The changed file; equal to the old one if it ignored the regions already.
    package let text: String
    /// The change as a unified diff for `git apply`.
    package let patch: String

    /// Makes the change of a pipeline file that ignores `boxes` of a picture in all cells.
    ///
    /// `picture` is the suite and the name, with a slash between; `path` is the file's path in the
    /// diff. `decode` reads the text of a pipeline file.
    ///
    /// - Throws: `IgnorePatchError` if the file is written in a way that this change does not fit.
    package init(
        ignoring boxes: [PixelBox],
        of picture: String,
        job: JobName,
        in text: String,
        path: String,
        decode: (String) throws -> Pipeline
    ) throws {
        let pattern = Glob.only(picture)
        let before = try decode(text)
        let known = before.jobs.first { $0.name == job }?.comparison.overrides
            .first { $0.subject == .snapshots && $0.pattern == pattern }?.ignored.boxes
        let new = boxes.filter { known?.contains($0) != true }
        let expected = before.ignoring(new, pattern, job)
        let rules = expected.jobs.first { $0.name == job }?.comparison.overrides ?? []
        guard rules.count <= FarmLimits.rulesMax,
            rules.allSatisfy({ $0.ignored.boxes.count <= FarmLimits.ignoredBoxesMax })
        else { throw IgnorePatchError.tooMany(path: path, job: job) }
        let refusal = IgnorePatchError.otherForm(
            path: path,
            job: job,
            pattern: pattern,
            boxes: new
        )
        var edited = text
        for box in new {
            guard let next = Self.adding(box, pattern, job, to: edited) else { throw refusal }
            edited = next
        }
        guard let after = try? decode(edited), after == expected else { throw refusal }
        self.text = edited
        patch = LineDiff(before: text, after: edited).unified(path)
    }

    /// Returns the text with a box added to the rule of a pattern, or `nil` if its form does not
    /// fit.
    private static func adding(
        _ box: PixelBox,
        _ pattern: String,
        _ job: JobName,
        to text: String
    ) -> String? {
        let root = try? Yams.compose(yaml: text)
        guard let job = root?.entry("jobs")?.entry(job.text) else { return nil }
        let quoted = box.inclusiveText.yamlText
        var file = EditedDocument(text)
        var keys = ["comparison", "snapshots", pattern, "ignore"]
        var node = job
        while let key = keys.first, let below = node.entry(key) {
            keys.removeFirst()
            node = below
        }
        var fits = false
        switch keys.count {
        case 0: fits = file.append(quoted, to: node)
        case 1: fits = file.add(keys, "[\(quoted)]", to: node)
        default:
            // The last two keys stand in one line, as people write such a rule.
            let above = keys.dropLast(2) + [pattern.yamlText]
            fits = file.add(Array(above), "{ignore: [\(quoted)]}", to: node)
        }
        return fits ? file.text : nil
    }
}

extension Node {
    /// Returns the value of a map's key.
    fileprivate func entry(_ key: String) -> Node? {
        mapping?.first { $0.key.scalar?.string == key }?.value
    }
}

extension Pipeline {
    /// Returns the pipeline with boxes added to the rule of a pattern; a new rule is the first of
    /// those for pictures.
    fileprivate func ignoring(_ boxes: [PixelBox], _ pattern: String, _ job: JobName) -> Self {
        guard !boxes.isEmpty, let job = jobs.firstIndex(where: { $0.name == job }) else {
            return self
        }
        var pipeline = self
        var overrides = jobs[job].comparison.overrides
        let place = overrides.firstIndex { $0.subject == .snapshots && $0.pattern == pattern }
        if let place {
            overrides[place].ignored.boxes += boxes
        } else {
            let first = overrides.firstIndex { $0.subject == .snapshots } ?? overrides.count
            let rule = ComparisonRules.Override(
                subject: .snapshots,
                pattern: pattern,
                policy: nil,
                ignored: IgnoredRegions(boxes: boxes)
            )
            overrides.insert(rule, at: first)
        }
        pipeline.jobs[job].comparison.overrides = overrides
        return pipeline
    }
}

/// The reason why a pipeline file gets no further ignored region.
package enum IgnorePatchError: ExplainedError, Hashable {
    /// The file is written in a form that the change does not fit, such as an alias.
    case otherForm(path: String, job: JobName, pattern: String, boxes: [PixelBox])
    case tooMany(path: String, job: JobName)

    package var code: String { "ignore-no-patch" }
    package var exit: ExitCode { .invalidInput }
    package var message: String {
        switch self {
        case .otherForm(let path, let job, _, _):
            "\(path): the comparison of the job \(job) is written in a form that this change does "
                + "not fit."
        case .tooMany(let path, let job):
            "\(path): the job \(job) has no room for more ignored regions or rules of comparison."
        }
    }
    package var remedy: String {
        switch self {
        case .otherForm(_, let job, let pattern, let boxes):
            let list = boxes.map(\.inclusiveText.yamlText).joined(separator: ", ")
            return "Write it yourself: jobs: {\(job): {comparison: {snapshots: "
                + "{\(pattern.yamlText): {ignore: [\(list)]}}}}}"
        case .tooMany:
            return "A picture may have \(FarmLimits.ignoredBoxesMax.grouped) regions, and a job "
                + "\(FarmLimits.rulesMax.grouped) rules: draw larger regions, or name several "
                + "pictures by a pattern."
        }
    }
}
