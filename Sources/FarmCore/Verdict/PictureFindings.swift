// What a person should know of pictures though no verdict says it: it does not make a run red.

package enum PictureFindings {
    /// What is suspicious about recorded pictures; under verify, pictures whose samples are those
    /// of their references and whose colour tags are not.
    package static func of(_ evidence: RunEvidence) -> [Problem] {
        switch evidence.plan.mode {
        case .record: suspects(evidence)
        case .verify: otherTags(evidence)
        }
    }

    private static func suspects(_ evidence: RunEvidence) -> [Problem] {
        let remedy = "Look at it before you commit the pin."
        let warned = evidence.tests.flatMap { $0.report?.pictures.captures ?? [] }.compactMap {
            report in report.warning.map { (report.capture.id.text, ": \($0)") }
        }
        let same = RecordRules.sameOnAllSizes(evidence).map {
            (
                "\($0)",
                " is the same picture on devices of different sizes; does the test use the "
                    + "device's size?"
            )
        }
        return (warned + same).map { name, words in
            Problem(
                code: "suspicious-picture",
                message: name + words,
                remedy: remedy,
                about: name
            )
        }
    }

    /// One finding for each job and set of tags: a changed encoder changes thousands of pictures.
    private static func otherTags(_ evidence: RunEvidence) -> [Problem] {
        struct Kind: Hashable {
            let job: JobName
            let tags: [String]
        }
        var found: [Kind: [SnapshotID]] = [:]
        func add(_ pictures: PictureReports?, _ job: JobName) {
            for report in pictures?.captures ?? [] {
                guard case .differentTags(let tags) = report.comparison else { continue }
                found[Kind(job: job, tags: tags), default: []].append(report.capture.id)
            }
        }
        for test in evidence.tests { add(test.report?.pictures, test.key.job) }
        return found.sorted {
            ($0.key.job, $0.key.tags.joined()) < ($1.key.job, $1.key.tags.joined())
        }.map { kind, pictures in
            let count = pictures.count == 1 ? "1 picture" : "\(pictures.count) pictures"
            let first = pictures.min().map { "\($0)" } ?? ""
            return Problem(
                code: "colour-tags-differ",
                message: "job \(kind.job): \(count), the first \(first): the samples are those of "
                    + "the reference, but \(kind.tags.joined(separator: ", ")) says otherwise how "
                    + "they become colours.",
                remedy: "People may see other colours. Write PNG files with the tags of the "
                    + "references, or record again with `--mode record`."
            )
        }
    }
}
