import FarmCore
import Foundation
import Testing

/// Builds evidence for the judge with little code for each case.
struct EvidenceBuilder {
    var mode: RunMode = .verify
    var filtered = false
    var job = Job(
        name: JobName("snap"),
        kind: .snapshot,
        driver: DriverSettings("command", ["discover": "d", "run": "r"]),
        cells: [Cell(id: CellID("c"), device: nil, variant: [])]
    )
    var tests: [TestEvidence] = []
    var references = CellReferences()
    var leases: [LeaseEvidence] = []
    var lost: LostTests?
    var rules: RunRules?

    static func id(_ name: String) throws -> SnapshotID {
        try SnapshotID(cell: CellID("c"), suite: "S", name: name)
    }

    static func capture(
        _ name: String,
        _ bytes: String = "same",
        reference: String? = "same"
    ) throws -> CaptureReport {
        let data = Data(bytes.utf8)
        let capture = Capture(
            id: try id(name),
            test: nil,
            digest: Digest(of: data),
            objectID: ObjectID(ofBlob: data),
            bytes: data.count
        )
        let size = PixelSize(width: 2, height: 2)
        let difference = PixelDifference(
            reference: size,
            capture: size,
            differing: 1,
            counted: 1,
            largestDelta: 7,
            clusters: []
        )
        return CaptureReport(
            capture: capture,
            reference: reference.map { ObjectID(ofBlob: Data($0.utf8)) },
            comparison: reference.map { $0 == bytes ? .identicalBytes : .different(difference) }
        )
    }

    mutating func add(
        _ test: String,
        _ captures: [CaptureReport],
        ending: TestEnding = .passed,
        verdict: Verdict?,
        earlier: [[CaptureReport]] = []
    ) {
        let key = TestKey(job: job.name, cell: CellID("c"), test: TestID(test))
        let all = earlier + [captures]
        let attempts = all.map { pictures in
            Attempt(
                worker: WorkerID("w"),
                outcome: .reported(
                    TestReport(
                        test: TestID(test),
                        ending: ending,
                        seconds: 1,
                        pictures: PictureReports(captures: pictures)
                    )
                )
            )
        }
        tests.append(
            TestEvidence(
                key: key,
                verdict: verdict,
                note: "",
                attempts: verdict == nil ? [] : attempts
            )
        )
    }

    mutating func expect(_ name: String, test: String?) throws {
        references.references.append(
            Reference(id: try Self.id(name), objectID: ObjectID(ofBlob: Data("same".utf8)))
        )
        var suite =
            references.suites["S"]
            ?? SuiteRecord(job: job.name, renderer: [:], tests: [:])
        if let test { suite.tests["S/\(name)"] = TestID(test) }
        references.suites["S"] = suite
    }

    var evidence: RunEvidence {
        let plan = Plan(
            pipeline: "p",
            mode: mode,
            filtered: filtered,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: tests.map(\.key.test), prepared: [:])],
            rules: rules,
            workTree: "/",
            lost: lost
        )
        let facts = RunFacts(
            id: "r",
            key: "",
            pipeline: "p",
            mode: mode,
            filtered: filtered,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "",
            planDigest: "",
            started: "",
            finished: ""
        )
        return RunEvidence(
            facts: facts,
            plan: plan,
            tests: tests,
            leases: leases,
            references: [CellID("c"): references],
            cancelled: false,
            startedAt: 0
        )
    }
}
