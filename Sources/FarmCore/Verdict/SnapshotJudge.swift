// The verdict of every picture of a run: those that were made, and those that a reference expected.

/// Collects the pictures of a run, one entry by snapshot id.
struct SnapshotJudge {
    private(set) var snapshots: [SnapshotID: SnapshotSummary] = [:]
    private(set) var sources: [SnapshotID: PictureSources] = [:]
    private(set) var problems: [Problem] = []
    /// Pictures made by two tests or two jobs.
    private(set) var contested: Set<SnapshotID> = []
    private var foldedNames: [String: SnapshotID] = [:]
    private(set) var comparisons = ComparisonCounts()
    /// References that a moved picture answered under another name.
    private(set) var movedFrom: Set<SnapshotID> = []
    let mode: RunMode
    private let devices: [CellID: Device]

    /// `devices` are those that the cells run on.
    init(mode: RunMode, devices: [CellID: Device]) {
        self.mode = mode
        self.devices = devices
    }

    /// What people call a picture that no framework has named.
    private func title(_ id: SnapshotID) -> String {
        PictureTitle.of(id.name, on: devices[id.cell])
    }

    mutating func add(_ pictures: PictureReports, job: Job, test: TestID) {
        for capture in pictures.captures {
            add(capture, job: job, test: test)
        }
        for difference in pictures.differences { add(difference, job: job, test: test) }
    }

    private mutating func add(_ report: CaptureReport, job: Job, test: TestID) {
        let capture = report.capture
        guard claim(capture.id, job: job, test: test) else { return }
        if job.judge == .farm || mode == .record { count(report) }
        let verdict = verdict(of: report, job: job)
        let difference = report.comparison?.difference
        snapshots[capture.id] = SnapshotSummary(
            id: capture.id.text,
            job: job.name.text,
            cell: capture.id.cell.text,
            suite: capture.id.suite,
            name: capture.id.name,
            identifier: capture.identifier ?? title(capture.id),
            test: test.text,
            verdict: verdict,
            reference: (report.reference ?? report.predecessor?.objectID)?.hex ?? "",
            predecessor: report.predecessor?.id.text ?? "",
            capture: capture.digest.description,
            width: capture.size?.width ?? 0,
            height: capture.size?.height ?? 0,
            differingPixels: difference?.differing ?? 0,
            share: difference?.share ?? 0,
            largestDelta: difference?.largestDelta ?? 0,
            clusters: difference?.clusters ?? [],
            words: words(report, verdict),
            files: [:]
        )
        if verdict == .moved, let old = report.predecessor { movedFrom.insert(old.id) }
        let expected = report.reference ?? report.predecessor?.objectID
        sources[capture.id] = PictureSources(
            reference: expected,
            capture: capture.digest,
            captureIsReference: expected == capture.objectID,
            diff: report.diff
        )
    }

    private mutating func add(_ report: DifferenceReport, job: Job, test: TestID) {
        let difference = report.comparison?.difference
        let old = snapshots[report.id]
        snapshots[report.id] = SnapshotSummary(
            id: report.id.text,
            job: job.name.text,
            cell: report.id.cell.text,
            suite: report.id.suite,
            name: report.id.name,
            identifier: old?.identifier ?? title(report.id),
            test: test.text,
            verdict: .changed,
            reference: old?.reference ?? "",
            capture: report.failed?.description ?? "",
            width: difference?.capture.width ?? old?.width ?? 0,
            height: difference?.capture.height ?? old?.height ?? 0,
            differingPixels: difference?.differing ?? 0,
            share: difference?.share ?? 0,
            largestDelta: difference?.largestDelta ?? 0,
            clusters: difference?.clusters ?? [],
            words: difference?.words ?? "the framework reports a difference.",
            files: [:]
        )
        sources[report.id] = PictureSources(
            referenceBlob: report.reference,
            capture: report.failed,
            diff: report.diff
        )
        comparisons.total += 1
        comparisons.decoded += 1
        comparisons.differing += 1
    }

    /// Notes a reference that no capture answered.
    mutating func expect(
        _ reference: Reference,
        job: JobName,
        test: TestID?,
        verdict: Verdict,
        words: String? = nil
    ) {
        guard snapshots[reference.id] == nil else { return }
        snapshots[reference.id] = SnapshotSummary(
            id: reference.id.text,
            job: job.text,
            cell: reference.id.cell.text,
            suite: reference.id.suite,
            name: reference.id.name,
            identifier: title(reference.id),
            test: test?.text ?? "",
            verdict: verdict,
            reference: reference.objectID.hex,
            capture: "",
            width: 0,
            height: 0,
            differingPixels: 0,
            share: 0,
            largestDelta: 0,
            clusters: [],
            words: words
                ?? (verdict == .missing
                    ? "its test ran to its end without making it." : "its test did not get there."),
            files: [:]
        )
        sources[reference.id] = PictureSources(reference: reference.objectID)
    }

    /// Two takes of it differ; `earlier` is the one that is not its capture.
    mutating func markUnstable(_ id: SnapshotID, earlier: Digest?) {
        snapshots[id]?.verdict = .flaky
        snapshots[id]?.words =
            "unstable: two takes of it differ, so it is not "
            + (mode == .record ? "recorded." : "approved.")
        sources[id]?.earlier = earlier
    }

    func has(_ id: SnapshotID) -> Bool { snapshots[id] != nil }

    /// Two makers of one picture, or names equal after case folding, are an error.
    private mutating func claim(_ id: SnapshotID, job: Job, test: TestID) -> Bool {
        if let old = snapshots[id] {
            guard old.job != job.name.text || old.test != test.text else { return true }
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
        let folded = id.text.lowercased()
        if let other = foldedNames[folded], other != id {
            contested.insert(id)
            problems.append(
                Problem(
                    code: "duplicate-snapshot",
                    message: "\(id) and \(other) differ only in case.",
                    remedy: "Rename one: they are one file on macOS and Windows."
                )
            )
        }
        foldedNames[folded] = id
        return true
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
        if let warning = report.warning { return warning }
        switch verdict {
        case .new where mode == .record: return "recorded for the first time."
        case .new:
            guard let old = report.predecessor, let difference = report.comparison?.difference
            else { return "no reference yet." }
            return "no reference yet; beside \(old.id): \(difference.words)"
        case .moved:
            let from = "moved from \(report.predecessor?.id.text ?? "")"
            return report.comparison?.difference.map { "\(from), within tolerance: \($0.words)" }
                ?? "\(from)."
        case .changed: return report.comparison?.difference?.words ?? "recorded anew."
        default:
            if case .differentTags(let tags) = report.comparison {
                return "the same samples under other colour tags: \(tags.joined(separator: ", "))."
            }
            return report.comparison?.difference.map { "within tolerance: \($0.words)" } ?? ""
        }
    }
}
