// Findings about pictures that are worth knowing and make no run red.

package enum PictureFindings {
    /// Returns the problems of suspicious pictures that are, or may become, references, and of
    /// files beside pictures that are not compared.
    ///
    /// Under verify, also finds pictures whose samples equal those of their references, but whose
    /// colour tags differ.
    package static func of(_ evidence: RunEvidence) -> [Problem] {
        let suspects = suspects(evidence)
        switch evidence.plan.mode {
        case .record: return suspects + unread(evidence)
        case .verify: return suspects + otherTags(evidence) + unread(evidence)
        }
    }

    private static func suspects(_ evidence: RunEvidence) -> [Problem] {
        let isRecord = evidence.plan.mode == .record
        let remedy =
            isRecord
            ? "Look at it before you commit the pin." : "Look at it before you approve it."
        // For a picture that equals its reference, the run that recorded the reference already
        // noted it.
        let captures = evidence.tests.flatMap { $0.report?.pictures.captures ?? [] }
            .filter { isRecord || $0.comparison?.matches != true }
        let warned = captures.compactMap { report in
            report.warning.map { (report.capture.id.text, ": \($0)") }
        }
        let same = (isRecord ? RecordRules.sameOnAllSizes(evidence) : []).map {
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

    /// Returns at most two findings about unread files for each job: one about texts (under
    /// verify), one about pictures.
    private static func unread(_ evidence: RunEvidence) -> [Problem] {
        var files: [JobName: Set<UnreadFile>] = [:]
        for test in evidence.tests {
            guard let report = test.report, !report.pictures.unread.isEmpty else { continue }
            let isSaid = report.saysPicturesNotRead
            let unsaid = report.pictures.unread.filter { !(isSaid && $0.isMeantAsPicture) }
            files[test.key.job, default: []].formUnion(unsaid)
        }
        return files.sorted { $0.key < $1.key }.flatMap { job, files in
            let sorted = files.sorted { $0.path < $1.path }
            let texts = evidence.plan.mode == .verify ? sorted.filter { !$0.isMeantAsPicture } : []
            return [
                textsNotCompared(texts, job), notRead(sorted.filter(\.isMeantAsPicture), job),
            ].compactMap(\.self)
        }
    }

    private static func textsNotCompared(_ texts: [UnreadFile], _ job: JobName) -> Problem? {
        guard !texts.isEmpty else { return nil }
        return Problem(
            code: "texts-not-compared",
            message: "job \(job): \(texts.count == 1 ? "1 file was" : "\(texts.count) files were") "
                + "compared with nothing, because of their endings: \(UnreadFile.list(texts)).",
            remedy: "Pictures end in .png, texts in "
                + "\(SnapshotFile.textEndings.joined(separator: ", "))."
        )
    }

    private static func notRead(_ pictures: [UnreadFile], _ job: JobName) -> Problem? {
        guard !pictures.isEmpty else { return nil }
        let count = pictures.count == 1 ? "1 picture was" : "\(pictures.count) pictures were"
        return Problem(
            code: "pictures-not-read",
            message: "job \(job): \(count) not read, so nothing was compared with them: "
                + "\(UnreadFile.list(pictures)).",
            remedy: UnreadFile.remedy
        )
    }

    /// Returns one finding for each job and set of colour tags that differ: a new encoder changes
    /// thousands of pictures.
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

extension TestReport {
    /// Whether the test's own problem names its unread pictures.
    fileprivate var saysPicturesNotRead: Bool {
        if case .errored(let problem) = ending {
            problem.code == Problem.picturesNotRead([]).code
        } else {
            false
        }
    }
}
