// The verdicts of all pictures of a run: of captures, and of references that no capture answered.

/// Collects the verdicts of a run's pictures, one row for each snapshot id.
struct SnapshotJudge {
    private(set) var snapshots: [SnapshotID: SnapshotSummary] = [:]
    private(set) var sources: [SnapshotID: PictureSources] = [:]
    private(set) var problems: [Problem] = []
    /// The pictures that two tests or two jobs made, or whose paths collide.
    private(set) var contested: Set<SnapshotID> = []
    private(set) var comparisons = ComparisonCounts()
    /// The comparisons of the pictures that are not as expected, by the pictures' ids.
    private(set) var found: [String: Comparison] = [:]
    /// The references that moved pictures matched under their older names.
    private(set) var movedFrom: Set<SnapshotID> = []
    let mode: RunMode
    private let devices: [CellID: Device]

    /// Makes a judge without pictures; `devices` are the devices of the cells.
    init(mode: RunMode, devices: [CellID: Device]) {
        self.mode = mode
        self.devices = devices
    }

    /// Returns the short title of a picture, for one without an identifier from its framework.
    private func title(_ id: SnapshotID) -> String {
        PictureTitle.of(id.name, on: devices[id.cell])
    }

    /// Returns the row of a picture before its measurements are added.
    private func summary(
        _ id: SnapshotID,
        _ job: JobName,
        _ test: TestID?,
        _ verdict: Verdict
    ) -> SnapshotSummary {
        SnapshotSummary(
            id: id.text,
            job: job.text,
            cell: id.cell.text,
            suite: id.suite,
            name: id.name,
            identifier: title(id),
            test: test?.text ?? "",
            verdict: verdict
        )
    }

    /// Adds the pictures that one test reported.
    mutating func add(_ report: TestReport, job: Job, test: TestID) {
        for capture in report.pictures.captures { add(capture, job: job, test: test) }
        for difference in report.pictures.differences {
            add(difference, job: job, test: test, isNew: report.ending.isNew)
        }
    }

    private mutating func add(_ report: CaptureReport, job: Job, test: TestID) {
        let capture = report.capture
        guard claim(capture.id, job: job, test: test) else { return }
        if job.judge == .farm || mode == .record { count(report) }
        let verdict = verdict(of: report, job: job)
        var summary = summary(capture.id, job.name, test, verdict)
        if let identifier = capture.identifier { summary.identifier = identifier }
        summary.reference = (report.reference ?? report.predecessor?.objectID)?.hex ?? ""
        summary.predecessor = report.predecessor?.id.text ?? ""
        summary.alternates = report.alternates?.map(\.hex)
        summary.alternate = report.alternate?.hex
        summary.capture = capture.digest.description
        summary.width = capture.size?.width ?? 0
        summary.height = capture.size?.height ?? 0
        summary.measure(report.comparison?.difference)
        summary.companions = report.companions?.digests
        summary.elements = report.comparison?.difference?.explanation?.elements?.map(\.shown)
        summary.words = words(report, verdict)
        summary.hunks = report.comparison?.text?.hunks
        summary.boxes = report.comparison?.text?.boxes
        snapshots[capture.id] = summary
        if verdict != .passed { found[summary.id] = report.comparison }
        if verdict == .moved, let old = report.predecessor { movedFrom.insert(old.id) }
        sources[capture.id] = PictureSources(
            reference: report.compared,
            capture: capture.digest,
            captureIsReference: report.compared == capture.objectID,
            diff: report.diff
        )
    }

    /// Adds the pictures that a framework left for a failed comparison; `isNew` if the test failed
    /// only for missing references.
    private mutating func add(_ report: DifferenceReport, job: Job, test: TestID, isNew: Bool) {
        let isNew = isNew && report.reference == nil
        let difference = report.comparison?.difference
        var summary = summary(report.id, job.name, test, isNew ? .new : .changed)
        if job.judge == .framework { summary.judge = .framework }
        if let old = snapshots[report.id] {
            summary.identifier = old.identifier
            summary.reference = old.reference
            (summary.width, summary.height) = (old.width, old.height)
        }
        if let size = difference?.capture {
            (summary.width, summary.height) = (size.width, size.height)
        }
        summary.capture = report.failed?.description ?? ""
        summary.measure(difference)
        let words = isNew ? Verdict.newWords : "the framework reports a difference."
        summary.words = difference?.words ?? words
        snapshots[report.id] = summary
        found[summary.id] = report.comparison
        sources[report.id] = PictureSources(
            referenceBlob: report.reference,
            capture: report.failed,
            diff: report.diff
        )
        guard !isNew else { return }
        comparisons.total += 1
        comparisons.decoded += 1
        comparisons.differing += 1
    }

    /// Adds a reference for which no test made a picture.
    mutating func expect(
        _ reference: Reference,
        job: JobName,
        test: TestID?,
        verdict: Verdict,
        words: String? = nil
    ) {
        guard snapshots[reference.id] == nil else { return }
        var summary = summary(reference.id, job, test, verdict)
        summary.reference = reference.objectID.hex
        summary.words =
            words
            ?? (verdict == .missing
                ? "its test ran to its end without making it." : "its test did not get there.")
        snapshots[reference.id] = summary
        sources[reference.id] = PictureSources(reference: reference.objectID)
    }

    /// Gives a picture the verdict `flaky`, because its takes differ.
    ///
    /// `earlier` is the take that differs from its capture, or `nil` if only some attempts made the
    /// picture.
    mutating func markUnstable(_ id: SnapshotID, earlier: Digest?) {
        snapshots[id]?.verdict = .flaky
        snapshots[id]?.words =
            (earlier == nil
                ? "unstable: only some attempts make it, so it is not "
                : "unstable: two takes of it differ, so it is not ")
            + (mode == .record ? "recorded." : "approved.")
        sources[id]?.earlier = earlier
    }

    func has(_ id: SnapshotID) -> Bool { snapshots[id] != nil }

    /// Gives pictures whose paths collide with each other the verdict `errored`.
    mutating func separate(_ twins: [SnapshotID: PathTwins.Pair]) {
        contest(twins)
        problems += PathTwins.sorted(twins.values).map { pair in
            Problem(
                code: "duplicate-snapshot",
                message: "\(pair.words). Neither is recorded.",
                remedy: "Rename one of them in its test: they are one file on macOS and Windows."
            )
        }
    }

    /// Gives pictures whose paths collide with references that stay the verdict `errored`.
    mutating func holdBack(_ blocked: [SnapshotID: PathTwins.Pair]) {
        contest(blocked)
        problems += PathTwins.sorted(blocked.values).map { pair in
            Problem(
                code: "duplicate-snapshot",
                message: "\(pair.words); one is a reference that stays, so the other is not "
                    + "recorded.",
                remedy: "Record the whole pipeline with every test green: then old names leave the "
                    + "references. Or go back to the old name."
            )
        }
    }

    private mutating func contest(_ pictures: [SnapshotID: PathTwins.Pair]) {
        for (id, pair) in pictures {
            contested.insert(id)
            snapshots[id]?.verdict = .errored
            snapshots[id]?.words = "\(pair.words)."
        }
    }

    /// Whether the test is the only maker of the picture; adds a problem if another test made it,
    /// too.
    private mutating func claim(_ id: SnapshotID, job: Job, test: TestID) -> Bool {
        guard let old = snapshots[id], old.job != job.name.text || old.test != test.text else {
            return true
        }
        contested.insert(id)
        problems.append(
            Problem(
                code: "duplicate-snapshot",
                message: "\(id) is made by \(old.job)/\(old.test) and by "
                    + "\(job.name)/\(test).",
                remedy: "Give one of them another suite or name."
            )
        )
        return false
    }

    private mutating func count(_ report: CaptureReport) {
        guard report.reference != nil, let comparison = report.comparison else { return }
        comparisons.total += 1
        if comparison.decoded {
            comparisons.decoded += 1
        } else {
            comparisons.identicalByDigest += 1
        }
        if !comparison.matches { comparisons.differing += 1 }
    }

    private func verdict(of report: CaptureReport, job: Job) -> Verdict {
        guard mode == .record else { return AttemptRules.pictureVerdict(report, job: job) }
        if report.problem != nil { return .errored }
        guard let reference = report.reference else { return .new }
        return reference == report.capture.objectID ? .passed : .changed
    }

    private func words(_ report: CaptureReport, _ verdict: Verdict) -> String {
        if let problem = report.problem { return problem.message }
        guard let warning = report.warning else { return words(of: report, verdict) }
        if mode == .record { return warning }
        if verdict == .new, report.predecessor == nil { return "no reference yet; \(warning)" }
        return words(of: report, verdict) + " Beside that, " + warning
    }

    private func words(of report: CaptureReport, _ verdict: Verdict) -> String {
        switch verdict {
        case .new where mode == .record: return "recorded for the first time."
        case .new:
            guard let old = report.predecessor,
                let words = report.comparison?.difference?.words ?? report.comparison?.text?.words
            else { return Verdict.newWords }
            return "no reference yet; beside \(old.id): \(words)"
        case .moved:
            let from = "moved from \(report.predecessor?.id.text ?? "")"
            return report.comparison?.difference.map { "\(from), within tolerance: \($0.words)" }
                ?? "\(from)."
        case .changed:
            let words =
                report.comparison?.difference?.words ?? report.comparison?.text?.words
                ?? "recorded anew."
            return report.alternates.map { "\(words); it matches none of \($0.words)" } ?? words
        default:
            if let alternate = report.alternate {
                let name = "alternate \(alternate.hex.prefix(12))"
                return report.comparison?.difference.map {
                    "within tolerance of its \(name): \($0.words)"
                } ?? "as its \(name)"
            }
            if case .differentTags(let tags) = report.comparison {
                return "the same samples under other colour tags: \(tags.joined(separator: ", "))."
            }
            return report.comparison?.difference.map { "within tolerance: \($0.words)" } ?? ""
        }
    }
}

extension PathTwins {
    fileprivate static func sorted(_ pairs: some Sequence<Pair>) -> [Pair] {
        Set(pairs).sorted { ($0.one, $0.other) < ($1.one, $1.other) }
    }
}

extension PathTwins.Pair {
    /// The collision of the two paths in words, with the names of pictures and folders.
    fileprivate var words: String {
        let names = [one, other].map { SnapshotFile.name(of: $0) ?? $0 }
        return "\(names[0]) and \(names[1]) differ only in case"
    }
}

extension [ObjectID] {
    /// The number of alternates in words.
    fileprivate var words: String { count == 1 ? "its 1 alternate" : "its \(count) alternates" }
}

extension TestEnding {
    /// Whether missing references are the only fault of the test.
    fileprivate var isNew: Bool { if case .new = self { true } else { false } }
}

extension SnapshotSummary {
    fileprivate mutating func measure(_ difference: PixelDifference?) {
        guard let difference else { return }
        differingPixels = difference.differing
        share = difference.share
        largestDelta = difference.largestDelta
        clusters = difference.clusters
    }
}
