// Random evidence of a run, with every possible ending of a test.
import FarmCore
import Foundation

enum RandomRun {
    static func evidence(_ random: inout some RandomNumberGenerator) throws -> RunEvidence {
        let mode: RunMode = Int.random(in: 0..<4, using: &random) == 0 ? .record : .verify
        // Most tests of some runs pass, so that some runs are green.
        let calm = [0, 60, 95, 100].randomElement(using: &random) ?? 0
        let cells = Int.random(in: 1...3, using: &random)
        var plan = Plan(
            pipeline: "app",
            mode: mode,
            filtered: Int.random(in: 0..<5, using: &random) == 0,
            pin: ReferencePin(),
            jobs: [],
            workTree: "/"
        )
        var tests: [TestEvidence] = []
        var references: [CellID: CellReferences] = [:]
        for number in 0..<Int.random(in: 1...2, using: &random) {
            let job = job("job\(number)", cells: cells, &random)
            let names = (0..<Int.random(in: 1...6, using: &random)).map { TestID("S/t\($0)") }
            plan.jobs.append(PlannedJob(job: job, tests: names, prepared: [:]))
            for cell in job.cells {
                for test in names {
                    let key = TestKey(job: job.name, cell: cell.id, test: test)
                    tests.append(try self.test(key, job, mode, calm: calm, &random))
                }
                guard job.kind == .snapshot, job.judge == .farm, calm < 100 else { continue }
                guard Bool.random(using: &random) else { continue }
                let id = try SnapshotID(cell: cell.id, suite: job.name.text, name: "gone")
                references[cell.id, default: CellReferences()].references.append(
                    Reference(id: id, objectID: ObjectID(ofBlob: Data("gone".utf8)))
                )
            }
        }
        return RunEvidence(
            facts: RunFacts(
                id: "run-1",
                key: "",
                pipeline: "app",
                mode: mode,
                filtered: plan.filtered,
                commit: "c0ffee",
                branch: "b",
                pullRequest: "",
                set: "",
                planDigest: "",
                started: "2026-11-21T03:00:00.000Z",
                finished: "2026-11-21T03:00:01.000Z"
            ),
            plan: plan,
            tests: tests,
            leases: [],
            references: references,
            cancelled: false,
            startedAt: 0
        )
    }

    private static func job(
        _ name: String,
        cells: Int,
        _ random: inout some RandomNumberGenerator
    ) -> Job {
        var job = Job(
            name: JobName(name),
            kind: Bool.random(using: &random) ? .snapshot : .unit,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            retries: Int.random(in: 0...2, using: &random),
            cells: (0..<cells).map { Cell(id: CellID("c\($0)"), device: nil, variant: []) }
        )
        if Int.random(in: 0..<4, using: &random) == 0 { job.judge = .framework }
        if Bool.random(using: &random) { job.flaky = .fail }
        if Bool.random(using: &random) { job.new = .accept }
        return job
    }

    private static func test(
        _ key: TestKey,
        _ job: Job,
        _ mode: RunMode,
        calm: Int,
        _ random: inout some RandomNumberGenerator
    ) throws -> TestEvidence {
        // The rule itself decides when a test case is done.
        var attempts: [Attempt] = []
        guard Int.random(in: 0..<60, using: &random) > 0 || calm == 100 else {
            return TestEvidence(key: key, verdict: nil, note: "", attempts: [])
        }
        while true {
            let isCalm = Int.random(in: 0..<100, using: &random) < calm
            let report = try report(key, job, mode, isCalm: isCalm, attempts.count, &random)
            let isLost = !isCalm && Int.random(in: 0..<20, using: &random) == 0
            attempts.append(
                Attempt(worker: WorkerID("w"), outcome: isLost ? .workerLost : .reported(report))
            )
            let step = AttemptRules.step(after: attempts, job: job, mode: mode)
            guard case .final(let verdict, let note) = step else { continue }
            return TestEvidence(key: key, verdict: verdict, note: note, attempts: attempts)
        }
    }

    private static func report(
        _ key: TestKey,
        _ job: Job,
        _ mode: RunMode,
        isCalm: Bool,
        _ take: Int,
        _ random: inout some RandomNumberGenerator
    ) throws -> TestReport {
        let crash = Problem(code: "test-crashed", message: "signal 11.", remedy: "Look.")
        let endings: [TestEnding] = [
            .passed, .passed, .passed, .failed("no: 1 != 2\nat line 3"), .skipped("not today"),
            .errored(crash),
        ]
        let ending = isCalm ? .passed : endings.randomElement(using: &random) ?? .passed
        var report = TestReport(
            test: key.test,
            ending: ending,
            seconds: 0.1,
            output: "x\nFatal error: y"
        )
        if !isCalm, Int.random(in: 0..<4, using: &random) == 0 {
            report.load = HostLoad(waiting: 0.97, source: .pressure)
        }
        guard job.kind == .snapshot else { return report }
        // The test fails because its framework found a difference, or for another reason.
        let isOwn = mode == .record || Bool.random(using: &random)
        if job.judge == .framework, case .failed(let text) = ending, !isOwn {
            report.ending = Bool.random(using: &random) ? .changed(text) : .new(text)
        }
        let isNew = if case .new = report.ending { true } else { false }
        let looks = isCalm ? ["same"] : ["same", "other", "take \(take)", "none", "new", "broken"]
        for number in 0..<Int.random(in: 1...2, using: &random) {
            let look = looks.randomElement(using: &random) ?? "same"
            if look == "none" { continue }
            let name = "\(key.test.text.split(separator: "/").last ?? "")-\(number)"
            let id = try SnapshotID(cell: key.cell, suite: job.name.text, name: name)
            if job.judge == .framework, case .failed = ending {
                report.pictures.differences.append(
                    DifferenceReport(
                        id: id,
                        reference: isNew ? nil : Digest(of: Data("same".utf8)),
                        failed: Digest(of: Data(look.utf8)),
                        diff: nil,
                        comparison: isNew ? nil : .different(difference)
                    )
                )
            } else {
                report.pictures.captures.append(capture(id, look, key.test, job))
            }
        }
        return report
    }

    private static func capture(
        _ id: SnapshotID,
        _ look: String,
        _ test: TestID,
        _ job: Job
    ) -> CaptureReport {
        let data = Data(look.utf8)
        let same = ObjectID(ofBlob: Data("same".utf8))
        var report = CaptureReport(
            capture: Capture(
                id: id,
                test: test,
                digest: Digest(of: data),
                objectID: ObjectID(ofBlob: data),
                bytes: data.count
            ),
            reference: look == "new" ? nil : same
        )
        if look == "broken" {
            report.problem = Problem(code: "bad-png", message: "it is cut off.", remedy: "Mend it.")
        } else if look != "new", job.judge == .farm {
            report.comparison = look == "same" ? .identicalBytes : .different(difference)
        }
        return report
    }

    private static var difference: PixelDifference {
        let size = PixelSize(width: 2, height: 2)
        return PixelDifference(
            reference: size,
            capture: size,
            differing: 1,
            counted: 1,
            largestDelta: 9,
            clusters: []
        )
    }
}
