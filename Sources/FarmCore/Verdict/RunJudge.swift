// The judge of a run: evidence → summary. No other code makes a run green or red.

package enum RunJudge {
    /// Returns the summary of a run: its verdicts, problems and exit code, from the evidence alone.
    ///
    /// Pure: the same evidence gives the same bytes of `summary.json`.
    package static func judge(_ evidence: RunEvidence) -> JudgedRun {
        var judging = Judging(evidence.whole)
        judging.addPictures()
        judging.expectReferences()
        judging.addVanishedTests()
        judging.sayOwnerless()
        judging.checkStability()
        judging.checkComparisons()
        judging.checkRenderers()
        judging.problems += PictureFindings.of(evidence)
        judging.problems += MatrixFindings.of(evidence)
        judging.checkSample()
        judging.sayInherited()
        judging.addIncidents()
        return judging.result()
    }
}

/// The judgement of a run, while it is made.
struct Judging {
    let evidence: RunEvidence
    let jobs: [JobName: Job]
    var pictures: SnapshotJudge
    /// The tests whose verdicts are worse than their own attempts, because of facts about the whole
    /// run.
    var raised: [TestKey: Verdict] = [:]
    var problems: [Problem] = []
    /// The number of missing references that no planned test makes.
    var orphans = 0
    /// The ids of references whose tests are gone, and whose jobs accept that.
    var letGo: Set<String> = []
    /// The tests of the last complete run that are gone although their jobs do not accept that, by
    /// job, sorted.
    var vanished: [String: [String]] = [:]
    /// The job that once made the references that no job makes any more, by `<cell>/<first
    /// folder>`.
    var ownerless: [String: JobName] = [:]
    /// The number of references that other pipelines make, by the pipelines' names.
    var ofOthers: [String: Int] = [:]
    var unstable = 0
    /// The changed pictures that another renderer drew than their references.
    var drawn = DrawnPictures()
    let quarantine: Quarantine
    /// The jobs and cells on which not every test case ran to its end, here or in an earlier run.
    let unended: Set<CellKey>
    /// The jobs and cells with inherited test cases.
    let inheriting: Set<CellKey>
    /// The pictures that no inherited test case made; see ``InheritedTests/remade``.
    let remade: Set<SnapshotID>

    init(_ evidence: RunEvidence) {
        self.evidence = evidence
        jobs = Dictionary(uniqueKeysWithValues: evidence.plan.jobs.map { ($0.job.name, $0.job) })
        let cells = evidence.plan.jobs.flatMap(\.job.cells)
        pictures = SnapshotJudge(
            mode: evidence.plan.mode,
            devices: Dictionary(cells.compactMap { cell in cell.device.map { (cell.id, $0) } }) {
                $1
            }
        )
        quarantine = Quarantine(of: evidence.plan, startedAt: evidence.startedAt)
        unended = Set(
            evidence.tests.lazy.filter { !$0.ranToItsEnd && $0.verdict != .inherited }.map {
                CellKey(job: $0.key.job, cell: $0.key.cell)
            }
        )
        remade = Set(evidence.plan.inherited?.remade ?? [])
        inheriting = Set(
            evidence.tests.lazy.filter { $0.verdict == .inherited }.map {
                CellKey(job: $0.key.job, cell: $0.key.cell)
            }
        )
    }

    mutating func addPictures() {
        let tests = evidence.tests.filter { $0.report?.pictures.isEmpty == false }
        for test in tests {
            guard let job = jobs[test.key.job], let report = test.report else { continue }
            pictures.add(report, job: job, test: test.key.test)
        }
        separateTwins()
        for lease in evidence.leases {
            if let problem = lease.problem { problems.append(problem) }
        }
        problems += pictures.problems
        for test in tests {
            for capture in test.report?.pictures.captures ?? []
            where pictures.contested.contains(capture.capture.id) {
                raise(test, to: .errored)
            }
        }
    }

    func verdict(_ test: TestEvidence) -> Verdict? { test.verdict(raised: raised) }

    mutating func raise(_ test: TestEvidence, to verdict: Verdict) {
        guard let old = self.verdict(test), old.severity < verdict.severity else { return }
        raised[test.key] = verdict
    }

    // MARK: checks of the whole

    mutating func checkComparisons() {
        if let share = evidence.plan.share, evidence.tests.isEmpty {
            problems.append(
                Problem(
                    code: "empty-shard",
                    message: "\(share.place.words) got no test case.",
                    remedy: "There are more machines than work; `snapfarm merge` sees the whole."
                )
            )
        }
        // Another machine's share may have what this one lacks.
        guard evidence.plan.share == nil else { return }
        let records = evidence.plan.mode == .record
        for planned in evidence.plan.jobs
        where planned.job.kind == .snapshot && (records || planned.job.judge == .farm) {
            let own = evidence.tests.filter { $0.key.job == planned.job.name }
            // A job is only inherited with a test case that made a picture.
            if own.contains(where: { $0.verdict == .inherited }) { continue }
            // If every test was errored or not reached, those errors are the cause.
            let ran = own.contains { !$0.skipped && $0.verdict != .errored && $0.verdict != nil }
            guard ran else { continue }
            let made = pictures.snapshots.values.contains {
                $0.job == planned.job.name.text && !$0.capture.isEmpty
            }
            if !made { problems.append(.noPictures(planned.job)) }
        }
    }

    mutating func checkRenderers() {
        drawn = DrawnPictures(evidence, verdicts: pictures.snapshots.mapValues(\.verdict))
        var said: Set<String> = []
        for lease in evidence.leases {
            let suites = evidence.references[lease.cell]?.suites ?? [:]
            for suite in suites.sorted(by: { $0.key < $1.key }) {
                guard
                    let change = RendererChange(
                        of: suite.value,
                        job: lease.job,
                        after: lease.renderer
                    ),
                    said.insert("\(lease.job) \(change.words)").inserted
                else { continue }
                problems.append(.rendererMismatch(change, drawn.counts[change] ?? DrawnCounts()))
            }
        }
    }

    mutating func addIncidents() {
        problems += evidence.incidents
        problems += quarantine.expired.map { .quarantineExpired($0) }
        problems += quarantine.left.map { .quarantineLeft($0) }
    }

    // MARK: the result

    /// Returns the problem of a pipeline with screens without pictures, or `nil` if it lists no
    /// screens, each has a picture, or only a part was run.
    private func screensWithoutPictures(_ summary: RunSummary) -> Problem? {
        let plan = evidence.plan
        guard let screens = plan.screens, !plan.filtered, plan.share == nil else { return nil }
        let coverage = ScreenCoverage(of: screens, in: summary)
        guard !coverage.without.isEmpty else { return nil }
        return Problem(
            code: "screens-without-pictures",
            message: "\(coverage.words).",
            remedy: "Add tests that show them, or take them off `screens:`."
        )
    }

    func result() -> JudgedRun {
        var counts = VerdictCounts()
        var byCell: [CellID: VerdictCounts] = [:]
        for test in evidence.tests {
            let verdict = verdict(test)
            counts.add(verdict, isSkipped: test.skipped)
            byCell[test.key.cell, default: VerdictCounts()].add(verdict, isSkipped: test.skipped)
        }
        let excused = excusedTests()
        let red = Set(evidence.tests.lazy.filter { isRed($0, excused) }.map(\.key))
        let state = state(counts, excused)
        var summary = RunSummary(
            run: evidence.facts,
            state: state,
            exitCode: exit(state).rawValue,
            counts: counts,
            comparisons: pictures.comparisons,
            cells: Self.cells(of: evidence.plan, byCell),
            tests: RunJudge.rows(
                of: evidence.tests,
                plan: evidence.plan,
                raised: raised,
                startedAt: evidence.startedAt,
                logs: logPaths(),
                red: red
            ),
            snapshots: pictures.snapshots.sorted { $0.key < $1.key }.map { _, picture in
                var picture = picture
                if !picture.verdict.isAsExpected { picture.isRed = isRed(picture) }
                return picture
            },
            artifacts: [],
            problems: problems,
            quarantined: quarantine.list(
                tests: evidence.tests.lazy.map { ($0.key, verdict($0)) },
                excused: excused,
                pictures: pictures.snapshots
            ),
            starts: StartSummary.all(of: evidence.leases),
            vanished: vanished.isEmpty ? nil : vanished
        )
        summary.cleanRuns = cleanRuns()
        if let problem = screensWithoutPictures(summary) { summary.problems.append(problem) }
        summary.changes = RunChanges.of(summary, comparisons: pictures.found)
        RunCauses.add(to: &summary, comparisons: pictures.found, drawn: drawn.differently)
        summary.proof = RunProof(evidence, summary)
        let sources = pictures.sources.map { ($0.key.text, $0.value) }
        return JudgedRun(
            summary: summary,
            pictures: Dictionary(uniqueKeysWithValues: sources),
            logs: logs(),
            raised: raised,
            red: red,
            logPaths: logPaths(),
            renderers: RunRenderer.all(of: evidence.leases)
        )
    }

    private func logs() -> [String: Digest] {
        var logs: [String: Digest] = [:]
        for (index, lease) in evidence.leases.enumerated() {
            guard let log = lease.log else { continue }
            logs[Self.logName(lease, index)] = log
        }
        return logs
    }

    /// Returns the paths of the leases' logs in the output folder, by the leases' numbers.
    private func logPaths() -> [Int64: String] {
        var paths: [Int64: String] = [:]
        for (index, evidence) in evidence.leases.enumerated() where evidence.log != nil {
            guard let lease = evidence.lease else { continue }
            paths[lease] = "logs/" + Self.logName(evidence, index)
        }
        return paths
    }

    private static func logName(_ lease: LeaseEvidence, _ index: Int) -> String {
        "\(lease.job)/\(lease.cell)-\(index + 1).log"
    }

    /// Returns the red test cases that a quarantine excuses, with the entries that excuse them.
    private func excusedTests() -> [TestKey: QuarantineEntry] {
        guard !quarantine.isEmpty else { return [:] }
        var excused: [TestKey: QuarantineEntry] = [:]
        for test in evidence.tests {
            guard let verdict = verdict(test), let job = jobs[test.key.job], job.isRed(verdict)
            else { continue }
            let entry = quarantine.excuse(
                test.key,
                report: test.report,
                job: job,
                mode: evidence.plan.mode
            )
            // A quarantined picture does not excuse a verdict that the whole run made worse.
            guard let entry, entry.test != nil || raised[test.key] == nil else { continue }
            excused[test.key] = entry
        }
        return excused
    }

    private func state(
        _ counts: VerdictCounts,
        _ excused: [TestKey: QuarantineEntry]
    ) -> RunState {
        if evidence.cancelled {
            // A run that no worker works for was not cancelled by a person.
            let isAbandoned = problems.contains { $0.code == Problem.abandonedCode }
            return isAbandoned && counts.withoutVerdict > 0 ? .incomplete : .cancelled
        }
        let mayBeEmpty = evidence.plan.share != nil
        if counts.withoutVerdict > 0 || (counts.planned == 0 && !mayBeEmpty) { return .incomplete }
        let redTest = evidence.tests.contains { isRed($0, excused) }
        let redPicture = pictures.snapshots.values.contains { isRed($0) }
        let redProblem =
            problems.contains { ["no-pictures", Problem.inputMissingCode].contains($0.code) }
            || evidence.leases.contains { $0.problem != nil }
        let isLess = orphans > 0 || unstable > 0 || !vanished.isEmpty
        if redTest || redPicture || redProblem || isLess { return .failed }
        return evidence.plan.inherited?.isOfOtherCode == true ? .incomplete : .passed
    }

    private func isRed(_ test: TestEvidence, _ excused: [TestKey: QuarantineEntry]) -> Bool {
        guard let verdict = verdict(test), let job = jobs[test.key.job] else { return true }
        return job.isRed(verdict) && excused[test.key] == nil
    }

    private func isRed(_ snapshot: SnapshotSummary) -> Bool {
        guard evidence.plan.mode == .verify, snapshot.verdict != .unreached,
            quarantine.entry(of: snapshot) == nil, !letGo.contains(snapshot.id)
        else { return false }
        guard let job = jobs[JobName(snapshot.job)] else { return snapshot.verdict == .missing }
        return job.isRed(snapshot.verdict)
    }

    private func exit(_ state: RunState) -> ExitCode {
        switch state {
        case .passed: .passed
        case .failed: .differences
        case .incomplete, .running, .cancelled, .unjudgeable: .incomplete
        }
    }

    /// Returns the rows of a plan's cells in the plan's order, each once; empty if the plan cannot
    /// be read.
    static func cells(of plan: Plan?, _ counts: [CellID: VerdictCounts]) -> [CellSummary] {
        guard let plan else { return [] }
        var seen: Set<CellID> = []
        let isShare = plan.share != nil
        return plan.jobs.flatMap(\.job.cells).filter { seen.insert($0.id).inserted }
            .filter { !isShare || counts[$0.id] != nil }
            .map { CellSummary($0, counts: counts[$0.id] ?? VerdictCounts()) }
    }
}
