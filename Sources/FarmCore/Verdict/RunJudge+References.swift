// The references that no picture of the run answers: the tests that should have made them, and the
// consequences. None is skipped silently: a reference that no test makes any more makes the run
// red.

extension Judging {
    mutating func expectReferences() {
        guard evidence.plan.mode == .verify, !evidence.references.isEmpty else { return }
        let byKey = Dictionary(uniqueKeysWithValues: evidence.tests.map { ($0.key, $0) })
        for (cell, references) in evidence.references.sorted(by: { $0.key < $1.key }) {
            for reference in references.references
            where !pictures.has(reference.id) && !pictures.movedFrom.contains(reference.id) {
                let suite = references.suites[reference.id.firstFolder]
                let test = suite?.test(of: reference.id)
                if let job = owner(of: suite, cell: cell) {
                    expect(reference, of: suite, job: job, test: test, byKey)
                } else if let job = framework(of: suite, cell) {
                    // The framework leaves no picture if all is well, so a picture only counts as
                    // gone if its test is.
                    let key = test.map { TestKey(job: job.name, cell: cell, test: $0) }
                    if let key, byKey[key] == nil {
                        expectGone(reference, of: suite, job: job, test: test)
                    }
                } else {
                    expectOrphan(reference, of: suite)
                }
            }
        }
    }

    private mutating func expect(
        _ reference: Reference,
        of suite: SuiteRecord?,
        job: Job,
        test: TestID?,
        _ byKey: [TestKey: TestEvidence]
    ) {
        let cell = reference.id.cell
        guard let test, let found = byKey[TestKey(job: job.name, cell: cell, test: test)] else {
            return expectGone(reference, of: suite, job: job, test: test)
        }
        if found.verdict == .inherited {
            return inherit(reference, job: job.name, test: test)
        }
        let verdict: Verdict = found.ranToItsEnd && !found.skipped ? .missing : .unreached
        pictures.expect(reference, job: job.name, test: test, verdict: verdict)
        if verdict == .missing, quarantine.entry(ofPicture: reference.id) == nil {
            raise(found, to: .missing)
        }
    }

    /// Records that a reference has no picture and its test is not in the plan, or was never named.
    private mutating func expectGone(
        _ reference: Reference,
        of suite: SuiteRecord?,
        job: Job,
        test: TestID?
    ) {
        // Only a whole run can prove that the reference is missing.
        guard !evidence.plan.filtered, evidence.plan.share == nil else { return }
        let id = reference.id
        if test == nil, isInherited(id, job: suite == nil ? nil : job.name) {
            return inherit(reference, job: job.name, test: nil)
        }
        let isWhole = !unended.contains(CellKey(job: job.name, cell: id.cell))
        pictures.expect(
            reference,
            job: job.name,
            test: test,
            verdict: isWhole ? .missing : .unreached,
            words: test.map { "its test \($0) is not in the list of tests any more." }
                ?? (isWhole
                    ? "no test makes it any more."
                    : "it is not known whether a test makes it: not all got to their end.")
        )
        guard isWhole, quarantine.entry(ofPicture: id) == nil else { return }
        if let test {
            if quarantine.entry(ofTest: test, cell: id.cell) != nil { return }
            if job.vanished == .accept {
                letGo.insert(id.text)
                return
            }
        }
        orphans += 1
    }

    /// Whether a picture of an unknown test was as expected in the run whose verdicts are inherited.
    ///
    /// Otherwise its job's tests on the cell would run again; without `job`, all tests on the cell.
    private func isInherited(_ id: SnapshotID, job: JobName?) -> Bool {
        !remade.contains(id)
            && inheriting.contains { $0.cell == id.cell && (job == nil || $0.job == job) }
    }

    /// Records a reference that no job of this run makes: another pipeline does, or none any more.
    private mutating func expectOrphan(_ reference: Reference, of suite: SuiteRecord?) {
        // An unselected job or another machine's share may make it.
        guard !evidence.plan.filtered, evidence.plan.share == nil else { return }
        let place = "\(reference.id.cell)/\(reference.id.firstFolder)"
        if let suite, owners.isOther(suite) {
            ofOthers[suite.pipeline ?? "", default: 0] += 1
            return
        }
        let job = suite?.job ?? JobName("")
        if suite == nil, isInherited(reference.id, job: nil) {
            return inherit(reference, job: job, test: nil)
        }
        pictures.expect(
            reference,
            job: job,
            test: nil,
            verdict: .missing,
            words: "no job of this pipeline makes it any more."
        )
        guard quarantine.entry(ofPicture: reference.id) == nil else { return }
        orphans += 1
        ownerless[place] = job
    }

    /// Returns the job whose framework compares a suite's references, or `nil` if there is none.
    private func framework(of suite: SuiteRecord?, _ cell: CellID) -> Job? {
        jobs.values.first { job in
            job.kind == .snapshot && job.judge == .framework
                && job.cells.contains { $0.id == cell }
                && (suite == nil || suite?.job == job.name && !owners.isOther(suite))
        }
    }

    mutating func sayOwnerless() {
        for (place, job) in ownerless.sorted(by: { $0.key < $1.key }) {
            let maker = job.text.isEmpty ? "it is not known which job did" : "job \(job) did"
            problems.append(
                Problem(
                    code: "references-without-owner",
                    message: "no job of this pipeline makes the references of \(place) any more "
                        + "(\(maker)), so their changes are not looked for.",
                    remedy: "If they have another name now, `snapfarm refs move \(place) NEW`; if "
                        + "they are not needed any more, `snapfarm refs retire \(place)`.",
                    about: place
                )
            )
        }
        for (pipeline, count) in ofOthers.sorted(by: { $0.key < $1.key }) {
            problems.append(
                Problem(
                    code: "references-of-other-pipeline",
                    message: "\(count) references of these devices belong to pipeline "
                        + "\(pipeline); this run does not look at them.",
                    remedy: "Nothing to do while that pipeline runs; if it was renamed, record "
                        + "again with `--mode record`."
                )
            )
        }
    }

    var owners: SuiteOwner {
        SuiteOwner(pipeline: evidence.plan.pipeline, jobs: Set(jobs.keys))
    }

    /// Returns the job of this run that makes a suite's pictures, or `nil` if there is none.
    private func owner(of suite: SuiteRecord?, cell: CellID) -> Job? {
        if let suite {
            guard !owners.isOther(suite) else { return nil }
            return jobs[suite.job].flatMap { $0.ownsReferences(of: cell) ? $0 : nil }
        }
        let owners = jobs.values.filter { $0.ownsReferences(of: cell) }
        return owners.count == 1 ? owners.first : nil
    }
}
