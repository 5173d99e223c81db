// The rules by which a run changes the record of inheritable test cases.

extension ReuseRecord {
    /// Adds the test cases that passed in a run, and removes those that did not.
    ///
    /// `facts` are what was found before the run and was the same after it; a resumed run has none,
    /// because its first tests may have read other inputs. A run that has not ended, or is a part
    /// of one, changes nothing; one that ran no test, neither.
    package mutating func add(
        _ summary: RunSummary,
        _ evidence: RunEvidence,
        _ facts: ReuseFacts
    ) {
        let plan = evidence.plan
        guard summary.run.mode == .verify, summary.run.isJudgeable, summary.judgedRun == nil,
            !summary.isProven, [.passed, .failed].contains(summary.state)
        else { return }
        let isFull = plan.inherited == nil
        if isFull {
            fullRun = evidence.startedAt
            if summary.state == .passed { off = [] }
        }
        let differing = evidence.differingSamples
        off = Set(off + differing.map(\.key.job)).sorted()
        count(
            ReuseCount(
                run: summary.run.id,
                planned: summary.counts.planned,
                inherited: summary.counts.inherited,
                sampled: plan.inherited?.unchanged?.sample.count ?? 0,
                differed: differing.count
            )
        )
        replaceTests(by: summary, evidence, facts)
        commits[summary.run.id] = summary.run.commit
        shrink()
    }

    private mutating func replaceTests(
        by summary: RunSummary,
        _ evidence: RunEvidence,
        _ facts: ReuseFacts
    ) {
        let plan = evidence.plan
        let passed = EarlierRun(plan: plan, summary: summary, leases: evidence.leases)
            .passed(ofOtherCode: false)
        let known = Dictionary(tests.map { ($0.key, $0) }) { first, _ in first }
        let found = Dictionary(evidence.tests.map { ($0.key, $0) }) { first, _ in first }
        let otherwise = Set(
            evidence.leases.filter { $0.renderer != facts.inputs[$0.job]?.renderer ?? [:] }
                .map { CellKey(job: $0.job, cell: $0.cell) }
        )
        var kept: [ReusedTest] = []
        for planned in plan.jobs where planned.job.reuse != nil {
            let digests = ReuseDigests(of: planned.job, in: plan, facts)
            for (key, run) in passed where key.job == planned.job.name {
                if run != summary.run.id {
                    if let old = known[key], old.run == run { kept.append(old) }
                    continue
                }
                guard let test = found[key], test.madeOnePicture,
                    !otherwise.contains(CellKey(job: key.job, cell: key.cell))
                else { continue }
                let pictures = test.reusedPictures
                let inputs = test.report?.inputs
                let files = inputs?.unknown == nil ? inputs?.files : nil
                guard
                    let digest = digests.digest(of: key, pictures: pictures.keys, files: files)
                else { continue }
                kept.append(
                    ReusedTest(key: key, digest: digest, run: run, pictures: pictures, files: files)
                )
            }
        }
        tests = kept.sorted { $0.key < $1.key }
    }
}

extension TestEvidence {
    /// Whether all attempts made the same pictures.
    fileprivate var madeOnePicture: Bool {
        let takes = attempts.map { attempt in
            (attempt.report?.pictures.captures ?? []).map {
                [$0.capture.id.text, $0.capture.objectID.hex]
            }
        }
        return Set(takes).count <= 1
    }
}
