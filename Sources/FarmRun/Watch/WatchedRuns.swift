// The runs of one `watch` as one run: each test case has the evidence of its last run. The judge of
// every run judges them.
import FarmArtifacts
import FarmCore
import FarmReferences
import Foundation

/// The evidence of the last run of each test case.
struct WatchedRuns: Sendable {
    private var tests: [TestKey: TestEvidence] = [:]
    private var leases: [LeaseEvidence] = []
    private var alike: Set<SnapshotID> = []
    /// The facts of the last run, or `nil` before the first one.
    private var facts: RunFacts?
    private var startedAt: Int64 = 0
    private var incidents: [Problem] = []
    /// The state in which each test case ran that has a verdict.
    private(set) var last: [TestKey: LastRun] = [:]

    /// Whether nothing has run yet.
    var isEmpty: Bool { facts == nil }

    /// The paths of all files that the test cases read.
    var files: Set<String> { last.values.reduce(into: []) { $0.formUnion($1.files ?? []) } }

    /// Puts what a run found in the place of what earlier runs found.
    mutating func add(_ run: RunEvidence, _ watched: WatchFacts) {
        let jobs = Dictionary(run.plan.jobs.map { ($0.job.name, $0.job) }) { first, _ in first }
        for test in run.tests {
            let old = tests[test.key]?.report?.pictures.captures.map(\.capture.id) ?? []
            alike.subtract(old)
            tests[test.key] = test
            last[test.key] = nil
            guard test.verdict != nil, let job = jobs[test.key.job] else { continue }
            let inputs = test.report?.inputs
            let alone = job.alone(on: test.key.cell)
            last[test.key] = LastRun(of: test.key, alone, watched, read: inputs)
        }
        alike.formUnion(run.alike)
        facts = run.facts
        if startedAt == 0 { startedAt = run.startedAt }
        incidents = run.incidents
        let used = Set(tests.values.flatMap(\.attempts).compactMap(\.lease))
        leases = (leases + run.leases).filter { lease in
            lease.lease.map { used.contains($0) } ?? true
        }
    }

    /// Returns the evidence of one run of a plan, whose number makes its id; `nil` before the first
    /// run.
    mutating func evidence(
        of plan: Plan,
        _ references: [CellID: CellReferences],
        round: Int
    ) -> RunEvidence? {
        guard var facts else { return nil }
        let keys = plan.shareKeys
        let planned = Set(keys)
        tests = tests.filter { planned.contains($0.key) }
        last = last.filter { planned.contains($0.key) }
        facts.id += "-\(round)"
        facts.filtered = plan.filtered
        facts.part = plan.part?.name
        facts.planDigest = plan.digest.description
        facts.set = plan.pin.isEmpty ? "" : plan.pin.setID.hex
        var evidence = RunEvidence(
            facts: facts,
            plan: plan,
            tests: keys.map {
                tests[$0] ?? TestEvidence(key: $0, verdict: nil, note: "", attempts: [])
            },
            leases: leases,
            references: references,
            cancelled: false,
            startedAt: startedAt,
            incidents: incidents
        )
        evidence.alike = alike
        return evidence
    }

    /// Removes the stored pictures and logs that neither these runs nor their judgement name.
    func removeOthers(than judged: JudgedRun, from blobs: BlobStore) throws {
        var named = judged.blobs
        for attempt in tests.values.flatMap(\.attempts) {
            named.formUnion(attempt.report?.pictures.blobs.map(\.digest) ?? [])
        }
        named.formUnion(leases.flatMap(\.blobs).map(\.digest))
        var others: [StoredBlob] = []
        try blobs.forEachBlob { if !named.contains($0.digest) { others.append($0) } }
        for blob in others { _ = try blobs.remove(blob) }
    }
}
