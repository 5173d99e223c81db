// The rules for what a record run writes. A complete, unfiltered record of a cell replaces the
// cell. A failing or unstable test keeps its old references. A cell without a new picture stays as
// it is.

package enum RecordRules {
    /// The most pictures of a run whose takes are compared; each costs two reads and a comparison.
    private static let takesComparedMax = 1_000

    /// Returns the pictures of a test that differ between its attempts by more than their job's
    /// policy allows, sorted.
    package static func unstable(_ test: TestEvidence, in evidence: RunEvidence) -> [SnapshotID] {
        differing(test).keys.filter { !evidence.alike.contains($0) }.sorted()
    }

    /// Returns the pictures that may become references and whose takes differ in bytes, but match
    /// by their job's policy.
    ///
    /// `isAlike` reads and compares two takes.
    package static func alike(
        in evidence: RunEvidence,
        _ isAlike: (Digest, Digest, ComparisonChoice) -> Bool
    ) -> Set<SnapshotID> {
        let jobs = Dictionary(
            evidence.plan.jobs.map { ($0.job.name, $0.job) },
            uniquingKeysWith: { first, _ in first }
        )
        var alike: Set<SnapshotID> = []
        var left = takesComparedMax
        for test in evidence.tests {
            guard let job = jobs[test.key.job], job.judge == .farm,
                evidence.plan.mode == .record || job.repeatNew != nil
            else { continue }
            for (id, takes) in differing(test).sorted(by: { $0.key < $1.key }) where left > 0 {
                left -= 1
                let choice = job.comparison.choice(for: id)
                let known = takes.compactMap(\.self)
                guard known.count == takes.count, let last = known.last else { continue }
                if known.allSatisfy({ $0 == last || isAlike($0, last, choice) }) {
                    alike.insert(id)
                }
            }
        }
        return alike
    }

    /// Returns the pictures of a test whose takes differ in bytes, each with all its takes, oldest
    /// first.
    ///
    /// A take without the picture is `nil`.
    private static func differing(_ test: TestEvidence) -> [SnapshotID: [Digest?]] {
        let good = test.attempts.compactMap(\.report).filter { report in
            report.ending.isGood && report.pictures.captures.allSatisfy { $0.problem == nil }
        }
        guard good.count > 1 else { return [:] }
        let takes = good.map(digests)
        let all = Set(takes.flatMap(\.keys)).map { id in (id, takes.map { $0[id] }) }
        return Dictionary(uniqueKeysWithValues: all).filter { Set($0.value).count > 1 }
    }

    /// Returns `<suite>/<name>` of the pictures that have the same bytes on devices of different
    /// sizes, sorted.
    static func sameOnAllSizes(_ evidence: RunEvidence) -> [String] {
        var sizes: [CellID: PixelSize] = [:]
        for cell in evidence.plan.jobs.flatMap(\.job.cells) { sizes[cell.id] = cell.pixels }
        var digests: [String: Set<Digest>] = [:]
        var screens: [String: Set<PixelSize>] = [:]
        for report in evidence.tests.compactMap(\.report).flatMap(\.pictures.captures) {
            guard report.problem == nil, !report.capture.id.isText,
                let size = sizes[report.capture.id.cell]
            else { continue }
            let name = "\(report.capture.id.suite)/\(report.capture.id.name)"
            digests[name, default: []].insert(report.capture.digest)
            screens[name, default: []].insert(size)
        }
        return digests.keys.filter { name in
            digests[name]?.count == 1 && (screens[name]?.count ?? 0) > 1
        }.sorted()
    }

    /// Returns the recordings of a finished run by cell, in plan order.
    package static func recordings(of evidence: RunEvidence) -> [CellRecording] {
        CellCandidates.all(of: evidence).compactMap { recording($0, evidence) }
    }

    private static func recording(
        _ candidates: CellCandidates,
        _ evidence: RunEvidence
    ) -> CellRecording? {
        var pictures: [SnapshotID: RecordedPicture] = [:]
        var suites: [String: SuiteRecord] = [:]
        let leases = evidence.leases.filter { $0.cell == candidates.cell }
        for (key, captures) in candidates.kept {
            add(captures, key, leases, evidence.plan.pipeline, &pictures, &suites)
        }
        guard !pictures.isEmpty else { return nil }
        return CellRecording(
            cell: candidates.cell,
            replacesCell: candidates.isComplete,
            pictures: pictures,
            suites: suites,
            owner: SuiteOwner(evidence.plan)
        )
    }

    private static func add(
        _ captures: [CaptureReport],
        _ key: TestKey,
        _ leases: [LeaseEvidence],
        _ pipeline: String,
        _ pictures: inout [SnapshotID: RecordedPicture],
        _ suites: inout [String: SuiteRecord]
    ) {
        for report in captures where report.problem == nil {
            let capture = report.capture
            pictures[capture.id] = RecordedPicture(
                digest: capture.digest,
                objectID: capture.objectID,
                companions: (report.companions ?? [:]).mapValues {
                    RecordedFile(digest: $0.digest, objectID: $0.objectID)
                }
            )
            // Changes the record in place: a suite may have thousands of pictures.
            suites[
                capture.id.firstFolder,
                default: SuiteRecord(
                    pipeline: pipeline,
                    job: key.job,
                    renderer: leases.first { $0.job == key.job && !$0.renderer.isEmpty }?.renderer
                        ?? [:],
                    tests: [:]
                )
            ].tests[capture.id.keyInSuite] = key.test
        }
    }

    private static func digests(_ report: TestReport) -> [SnapshotID: Digest] {
        Dictionary(
            report.pictures.captures.map { ($0.capture.id, $0.capture.digest) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
