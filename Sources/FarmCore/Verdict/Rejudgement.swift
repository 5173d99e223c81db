// Judging a run again: the captures of a run under another pin, policy or quarantine. No test runs.
// The rules here choose the pairs of pictures that must be compared; the caller compares them, and
// `RunJudge` makes the verdicts.
//
// Invariants
//   - Under the run's own plan and references, the evidence is the run's own: no pair is compared.
//   - A verdict that depends on a picture whose bytes are gone is no verdict: the run is incomplete.

/// The evidence of a run under another plan and other references.
package struct Rejudgement: Sendable {
    /// The place of a capture in the evidence.
    package struct Place: Hashable, Sendable {
        package var test: Int
        package var attempt: Int
        package var capture: Int
    }

    /// A capture whose report is to be made again.
    package struct Pair: Sendable {
        package var place: Place
        package var capture: Capture
        /// The reference or alternate that the run compared with, whose bytes may be the capture's;
        /// `nil` if there was none.
        package var known: ObjectID?
        /// The picture's own reference now, or `nil` if it has none.
        package var reference: ObjectID?
        /// The reference that the picture succeeds now, or `nil` if it has one of its own.
        package var predecessor: Reference?
        /// The alternates of the picture's own reference now.
        package var alternates: [ObjectID]
        package var choice: ComparisonChoice

        /// The reference to compare with now, or `nil` if there is none.
        package var expected: ObjectID? { reference ?? predecessor?.objectID }
    }

    /// The result for a capture.
    package enum Outcome: Hashable, Sendable {
        /// The capture's bytes are not kept.
        case unavailable
        /// The comparison, `nil` without a reference, the digest of the stored diff picture, and the
        /// alternate that matches.
        case compared(Comparison?, diff: Digest?, alternate: ObjectID? = nil)
        case unusable(Problem)
    }

    /// The pairs to compare, in the order of the evidence.
    package private(set) var pairs: [Pair] = []
    private let original: RunEvidence
    private let plan: Plan
    private let references: [CellID: CellReferences]
    private let jobs: [JobName: Job]
    private let oldJobs: [JobName: Job]
    /// The jobs and cells whose framework compared with references that are others now.
    private let frameworkCells: Set<CellKey>

    /// Finds the pairs to compare.
    ///
    /// `plan` is the run's plan with other rules, as ``Plan/judged(by:pin:)`` returns it;
    /// `references` are those of its pin.
    package init(
        _ evidence: RunEvidence,
        by plan: Plan,
        references: [CellID: CellReferences]
    ) {
        original = evidence
        self.plan = plan
        self.references = references
        jobs = Dictionary(plan.jobs.map { ($0.job.name, $0.job) }) { first, _ in first }
        oldJobs = Dictionary(evidence.plan.jobs.map { ($0.job.name, $0.job) }) { first, _ in first }
        frameworkCells = Self.frameworkCells(evidence, plan, references)
        let expected = references.mapValues(ExpectedReferences.init)
        for (index, test) in evidence.tests.enumerated() {
            guard let job = jobs[test.key.job], let old = oldJobs[test.key.job],
                job.kind == .snapshot, job.judge == .farm
            else { continue }
            let known = expected[test.key.cell] ?? ExpectedReferences(CellReferences())
            for (number, attempt) in test.attempts.enumerated() {
                let captures = attempt.report?.pictures.captures ?? []
                for (position, report) in captures.enumerated() {
                    let place = Place(test: index, attempt: number, capture: position)
                    if let pair = Self.pair(report, at: place, job, old, known) {
                        pairs.append(pair)
                    }
                }
            }
        }
    }

    /// Returns the pair of a capture whose report is not the same any more; `nil` if it is.
    private static func pair(
        _ report: CaptureReport,
        at place: Place,
        _ job: Job,
        _ old: Job,
        _ known: ExpectedReferences
    ) -> Pair? {
        guard report.problem == nil else { return nil }
        let id = report.capture.id
        let choice = job.comparison.choice(for: id)
        let (reference, predecessor) = (known.own[id], known.predecessor(of: id))
        let alternates = known.alternates[id] ?? []
        let isSame =
            reference == report.reference && predecessor == report.predecessor
            && alternates == report.alternates ?? []
        guard !isSame || choice != old.comparison.choice(for: id) else { return nil }
        return Pair(
            place: place,
            capture: report.capture,
            known: report.compared,
            reference: reference,
            predecessor: predecessor,
            alternates: alternates,
            choice: choice
        )
    }

    private static func frameworkCells(
        _ evidence: RunEvidence,
        _ plan: Plan,
        _ references: [CellID: CellReferences]
    ) -> Set<CellKey> {
        guard evidence.plan.pin != plan.pin else { return [] }
        var cells: Set<CellKey> = []
        for planned in plan.jobs
        where planned.job.kind == .snapshot && planned.job.judge == .framework {
            for cell in planned.job.cells
            where evidence.references[cell.id]?.references != references[cell.id]?.references {
                cells.insert(CellKey(job: planned.job.name, cell: cell.id))
            }
        }
        return cells
    }

    /// Returns the evidence with the outcomes of the pairs, in the order of ``pairs``.
    ///
    /// A test case whose verdict another attempt would have to settle, or whose picture is
    /// unavailable, has no verdict in it; an incident names the number of these.
    package func evidence(with outcomes: [Outcome]) -> RunEvidence {
        var evidence = original
        evidence.plan = plan
        evidence.references = references
        var touched: Set<Int> = []
        var unknown: Set<Int> = []
        for (pair, outcome) in zip(pairs, outcomes) {
            touched.insert(pair.place.test)
            if outcome == .unavailable { unknown.insert(pair.place.test) }
            evidence.tests[pair.place.test].replace(pair, outcome)
        }
        for index in evidence.tests.indices {
            let key = evidence.tests[index].key
            if frameworkCells.contains(CellKey(job: key.job, cell: key.cell)) {
                unknown.insert(index)
            }
            if unknown.contains(index) {
                evidence.tests[index].verdict = nil
            } else if touched.contains(index) || jobs[key.job]?.new != oldJobs[key.job]?.new {
                judgeAttempts(of: &evidence.tests[index])
            }
        }
        let open = evidence.tests.indices.filter {
            evidence.tests[$0].verdict == nil && original.tests[$0].verdict != nil
        }
        if let first = open.first {
            evidence.incidents.append(
                Self.needsRun(
                    evidence.tests[first].key,
                    count: open.count,
                    unknown: open.count { unknown.contains($0) }
                )
            )
        }
        return evidence
    }

    /// Decides the verdict of a test case by all its attempts; none if another attempt must settle
    /// it.
    private func judgeAttempts(of test: inout TestEvidence) {
        guard let job = jobs[test.key.job], !test.attempts.isEmpty, test.verdict != nil else {
            return
        }
        let step = AttemptRules.step(
            after: test.attempts,
            job: job,
            mode: plan.mode,
            context: AttemptContext(repeats: plan.rules?.repeats ?? 1, mayRetry: false)
        )
        guard case .final(let verdict, let note) = step else {
            test.verdict = nil
            return
        }
        test.verdict = verdict
        test.note = note
    }

    /// Returns the problem of `count` tests without a verdict; `unknown` of them need pictures that
    /// are not kept, or a framework's own comparison.
    private static func needsRun(_ first: TestKey, count: Int, unknown: Int) -> Problem {
        let reasons = [
            unknown > 0 ? "\(unknown) for want of a picture or of the framework" : "",
            count > unknown
                ? "\(count - unknown) because a run would try again, as on an overloaded host" : "",
        ]
        return Problem(
            code: "judge-needs-run",
            message: "\(count) \(count == 1 ? "test has" : "tests have") no verdict: "
                + reasons.filter { !$0.isEmpty }.joined(separator: ", ")
                + "; the first is \(first).",
            remedy: "Judge the output folder or the data folder of the run, which hold all "
                + "pictures, or run these tests again."
        )
    }
}

extension TestEvidence {
    /// Replaces the report of one capture.
    fileprivate mutating func replace(_ pair: Rejudgement.Pair, _ outcome: Rejudgement.Outcome) {
        guard case .reported(var report) = attempts[pair.place.attempt].outcome else { return }
        var capture = report.pictures.captures[pair.place.capture]
        capture.reference = pair.reference
        capture.predecessor = pair.predecessor
        capture.alternates = pair.alternates.isEmpty ? nil : pair.alternates
        capture.alternate = nil
        capture.comparison = nil
        capture.diff = nil
        capture.rendering = nil
        switch outcome {
        case .unavailable: break
        case .compared(let comparison, let diff, let alternate):
            capture.comparison = comparison
            capture.diff = diff
            capture.alternate = alternate
        case .unusable(let problem): capture.problem = problem
        }
        report.pictures.captures[pair.place.capture] = capture
        attempts[pair.place.attempt].outcome = .reported(report)
    }
}
