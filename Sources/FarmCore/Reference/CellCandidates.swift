// The pictures of one cell that a record run may write, and those that it holds back although their
// tests passed. A picture whose place is taken holds back no other picture.

/// The pictures that a finished record run may write to one cell.
struct CellCandidates {
    let cell: CellID
    /// Whether the run made all pictures of the cell; the recording then replaces the cell's
    /// references.
    private(set) var isComplete: Bool
    /// The pictures that the run may write, grouped by the test that made them.
    private(set) var kept: [(key: TestKey, captures: [CaptureReport])] = []
    /// The pictures that are held back because another picture of the run has a colliding path.
    let twins: [SnapshotID: PathTwins.Pair]
    /// The pictures that are held back because a reference that stays in the set has a colliding
    /// path.
    private(set) var blocked: [SnapshotID: PathTwins.Pair] = [:]

    /// Returns the candidates of each cell with snapshot tests, in plan order.
    static func all(of evidence: RunEvidence) -> [CellCandidates] {
        let snapshotJobs = evidence.plan.jobs.map(\.job).filter { $0.kind == .snapshot }
        let names = Set(snapshotJobs.map(\.name))
        var byCell: [CellID: [TestEvidence]] = [:]
        for test in evidence.tests where names.contains(test.key.job) {
            byCell[test.key.cell, default: []].append(test)
        }
        var seen: Set<CellID> = []
        let cells = snapshotJobs.flatMap(\.cells).map(\.id).filter { seen.insert($0).inserted }
        return cells.map { CellCandidates($0, byCell[$0] ?? [], evidence) }
    }

    private init(_ cell: CellID, _ tests: [TestEvidence], _ evidence: RunEvidence) {
        self.cell = cell
        isComplete = !evidence.plan.filtered && !evidence.cancelled
        var makers: [SnapshotID: Int] = [:]
        for test in tests {
            for id in Set((test.report?.pictures.captures ?? []).map(\.capture.id)) {
                makers[id, default: 0] += 1
            }
        }
        twins = PathTwins.among(makers.keys)
        for test in tests {
            guard test.verdict == .passed, let report = test.report else {
                isComplete = false
                continue
            }
            let unstable = Set(RecordRules.unstable(test, in: evidence))
            let good = report.pictures.captures.filter { [twins] report in
                let id = report.capture.id
                return !unstable.contains(id) && makers[id] == 1 && twins[id] == nil
            }
            if good.count < report.pictures.captures.count { isComplete = false }
            kept.append((test.key, good))
        }
        holdBack(besides: evidence.references[cell] ?? CellReferences(), SuiteOwner(evidence.plan))
    }

    /// Holds back the pictures whose paths collide with references that stay in the set.
    private mutating func holdBack(besides references: CellReferences, _ owner: SuiteOwner) {
        while true {
            let made = Set(kept.flatMap(\.captures).map(\.capture.id))
            let staying = references.references.map(\.id).filter { id in
                let leaves = isComplete && owner.owns(references.suites[id.firstFolder])
                return !leaves && !made.contains(id)
            }
            let found = PathTwins.among(Array(made) + staying).filter { made.contains($0.key) }
            // Once a picture is held back, the recording is not complete, and more references stay.
            guard !found.isEmpty else { return }
            blocked.merge(found) { first, _ in first }
            isComplete = false
            for place in kept.indices {
                kept[place].captures.removeAll { found[$0.capture.id] != nil }
            }
        }
    }
}

extension SuiteOwner {
    /// Makes the owner of the suites that a plan's jobs make.
    init(_ plan: Plan) {
        self.init(pipeline: plan.pipeline, jobs: Set(plan.jobs.map(\.job.name)))
    }
}
