// Well-formed messages to a coordinator, before the fuzzer changes them.
import FarmAPI
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

struct RouteMessages {
    let picture = Project.png(shade: 90)
    let blob: Digest
    let object: ObjectID
    /// A picture among the project's references.
    let reference = ObjectID(ofBlob: Project.png(shade: 10))
    /// The project's pin.
    private let pin: ReferencePin

    /// Makes the messages.
    ///
    /// - Throws: If the fleet's project has no recorded references.
    init(_ fleet: Fleet) throws {
        blob = Digest(of: picture)
        object = ObjectID(ofBlob: picture)
        pin = try ReferencePin(parsing: Data(fleet.project.text("snapfarm.refs").utf8))
        try #require(!pin.isEmpty)
    }

    // MARK: decisions

    /// Returns a decision about pictures that a run of these messages may have.
    func decide(_ random: inout SeededGenerator) -> DecideRequest {
        DecideRequest(
            kind: Decision.Kind.allCases.randomElement(using: &random) ?? .rejected,
            reason: "too pale",
            snapshots: ["A/Suite/one", "B/Suite/two"]
        )
    }

    // MARK: runs

    /// Returns a run with jobs of every driver on two devices, and every field of a plan.
    func submit(
        _ number: Int,
        _ random: inout SeededGenerator
    ) throws -> SubmitRequest {
        let mode: RunMode = Int.random(in: 0..<4, using: &random) == 0 ? .record : .verify
        var plan = try plan(mode)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: share(&plan)
        case 1: part(&plan)
        case 2 where mode == .verify: inherit(&plan)
        default: break
        }
        return request(plan, key: "run-\(number)", priority: Int.random(in: -2...2, using: &random))
    }

    private func request(_ plan: Plan, key: String, priority: Int) -> SubmitRequest {
        let facts = RunFacts(
            id: key,
            key: key,
            pipeline: plan.pipeline,
            mode: plan.mode,
            filtered: plan.filtered,
            commit: String(repeating: "a", count: 40),
            branch: "main",
            pullRequest: "12",
            set: "",
            planDigest: plan.digest.description,
            started: "2026-11-24T10:00:00Z",
            finished: ""
        )
        let costs = PlanCosts(
            cells: plan.jobs.map { planned in
                planned.job.cells.map { _ in
                    CellCosts(start: 100_000, tests: planned.tests.map { _ in 5_000 })
                }
            }
        )
        let hasCosts = plan.share == nil
        return SubmitRequest(
            key: key,
            facts: facts,
            plan: plan,
            costs: hasCosts ? plan.inherited.map { costs.without($0) } ?? costs : nil,
            priority: priority
        )
    }

    /// Returns a run of the highest priority that only a worker with the offer `bystander` may run.
    func bystander(_ key: String) throws -> SubmitRequest {
        var plan = try plan(.verify)
        plan.jobs = [plan.jobs[0]]
        plan.jobs[0].job.needs = Needs([try Need(name: "bystander", parsing: "true")])
        return request(plan, key: key, priority: FarmLimits.priorities.upperBound)
    }

    private func plan(_ mode: RunMode) throws -> Plan {
        let cells = ["A", "B"].map { name in
            Cell(
                id: CellID(name),
                device: Device(name: name, width: 8, height: 8, scale: 1),
                variant: [VariantValue(axis: "appearance", value: "dark")]
            )
        }
        return Plan(
            pipeline: "app",
            mode: mode,
            filtered: false,
            pin: pin,
            jobs: try jobs(cells),
            matrix: cells,
            renames: [try RenameRule(old: "{screen}-old", new: "{screen}")],
            reencode: ["Suite*"],
            rules: RunRules(
                repeats: 2,
                quarantine: [QuarantineEntry(test: "two", until: "2027-01-01", reason: "slow")]
            ),
            workTree: "/srv/tree"
        )
    }

    private func jobs(_ cells: [Cell]) throws -> [PlannedJob] {
        let units = DriverSettings(
            "command",
            ["discover": "cat tests", "run": "sh test.sh {tests}"]
        )
        var pictures = units
        pictures.values["results"] = "results/*.xml"
        pictures.values["captures"] = ["pattern": "shots/**/*.png", "test": "{suite}/{name}"]
        var snapshots = job("snapshot_test", .snapshot, pictures, cells)
        snapshots.comparison = comparison
        snapshots.bundle = ["test.sh", "pictures/**"]
        let scenes = DriverSettings(
            "webdriver",
            ["scenes": "scenes.yaml", "timeZone": "Europe/Berlin"]
        )
        let program = DriverSettings("swiftpm", ["package": "."])
        var package = job("package_test", .unit, program, [.host])
        package.needs = Needs([try Need(name: "os", parsing: "linux")])
        let named: [(Job, [String])] = [
            (job("unit_test", .unit, units, [.host]), (0..<3).map { "unit/\($0)" }),
            (snapshots, ["one", "two"]),
            (job("scene_test", .snapshot, scenes, cells), ["home", "cart"]),
            (package, ["AppTests.CartTests/empty"]),
        ]
        return named.map { job, tests in
            PlannedJob(
                job: job,
                tests: tests.map { TestID($0) },
                prepared: [BundleRules.key: blob.hex]
            )
        }
    }

    private var comparison: ComparisonRules {
        let box = PixelBox(x: 0, y: 0, width: 4, height: 1)
        return ComparisonRules(
            policy: .fb(perPixelTolerance: 0.02, overallTolerance: 0.01),
            ignored: IgnoredRegions(boxes: [box]),
            overrides: [
                ComparisonRules.Override(
                    subject: .suites,
                    pattern: "Suite*",
                    policy: .exact,
                    ignored: IgnoredRegions(boxes: [box])
                )
            ]
        )
    }

    /// Reduces a plan to the share of one of two machines.
    private func share(_ plan: inout Plan) {
        plan.share = ShardPlace(index: 1, total: 2).map { place in
            let tests = plan.jobs.map { planned in
                planned.job.cells.indices.map { cell in
                    planned.tests.indices.filter { ($0 + cell).isMultiple(of: 2) }
                }
            }
            return PlanShare(place: place, history: nil, tests: tests)
        }
    }

    /// Lets a plan inherit the first test of each job on its first cell.
    private func inherit(_ plan: inout Plan) {
        let tests = plan.jobs.map { planned in
            planned.job.cells.indices.map { cell in cell == 0 ? [0] : [] }
        }
        plan.inherited = InheritedTests(
            run: "run-0",
            isOfOtherCode: false,
            sources: [InheritedTests.Source(run: "run-0", tests: tests)]
        )
    }

    /// Reduces a plan to a selection of its jobs.
    private func part(_ plan: inout Plan) {
        let all = plan.jobs
        plan.filtered = true
        plan.jobs = Array(all.prefix(2))
        plan.part = PlanPart(
            name: "job=unit_test,snapshot_test",
            jobs: all.map(\.job),
            tests: Dictionary(plan.jobs.map { ($0.job.name.text, $0.tests) }) { first, _ in first }
        )
    }

    private func job(
        _ name: String,
        _ kind: JobKind,
        _ driver: DriverSettings,
        _ cells: [Cell]
    ) -> Job {
        Job(
            name: JobName(name),
            kind: kind,
            driver: driver,
            retries: 1,
            env: ["MODE": "fast"],
            cells: cells
        )
    }

    // MARK: workers

    func hello(_ worker: String, offering: String = "os=linux") throws -> HelloRequest {
        var offer = WorkerOffer()
        try offer.add(word: offering)
        return HelloRequest(
            worker: WorkerID(worker),
            beginsAnew: false,
            offer: offer,
            running: [],
            host: "host-\(worker)"
        )
    }

    /// Returns a report for each test of a lease: passed, different or errored.
    func reports(_ lease: Lease?, _ random: inout SeededGenerator) -> [TestReport] {
        guard let shard = lease?.shard else {
            return [TestReport(test: TestID("one"), ending: .passed, seconds: 0.1)]
        }
        return shard.tests.map { test in
            let endings: [TestEnding] = [
                .passed, .passed, .failed("expected 1, got 2"), .changed("it differs"),
                .new("there is none"), .skipped("not today"),
                .errored(Problem(code: "test-crashed", message: "it crashed.", remedy: "Look.")),
            ]
            let ending = endings.randomElement(using: &random) ?? .passed
            var report = TestReport(
                test: test,
                ending: ending,
                seconds: 1.5,
                output: ending == .passed ? "" : "some words",
                startedAt: 1_700_000_000_000,
                load: HostLoad(waiting: 0.25, source: .pressure)
            )
            if shard.job.kind == .snapshot, ending == .passed {
                report.pictures = pictures(of: test, shard.cell.id)
            }
            return report
        }
    }

    private func pictures(of test: TestID, _ cell: CellID) -> PictureReports {
        let named = try? SnapshotID(cell: cell, suite: "Suite", name: test.text)
        let id = named ?? .unusable(cell: cell, key: blob)
        let size = PixelSize(width: 8, height: 8)
        let difference = PixelDifference(
            reference: size,
            capture: size,
            differing: 64,
            counted: 64,
            largestDelta: 40,
            clusters: [PixelBox(x: 0, y: 0, width: 8, height: 8)]
        )
        let capture = CaptureReport(
            capture: Capture(
                id: id,
                test: test,
                digest: blob,
                objectID: object,
                bytes: picture.count,
                size: size
            ),
            reference: object,
            comparison: .different(difference),
            diff: blob
        )
        return PictureReports(
            captures: [capture],
            differences: [
                DifferenceReport(id: id, reference: blob, failed: blob, diff: blob, comparison: nil)
            ]
        )
    }

    func evidence(_ lease: Lease?) -> LeaseEvidence {
        LeaseEvidence(
            job: lease?.shard.job.name ?? JobName("unit_test"),
            cell: lease?.shard.cell.id ?? .host,
            renderer: ["browser": "Chromium 120"],
            log: blob,
            load: HostLoad(waiting: 0.25, source: .pressure),
            leftOver: []
        )
    }
}
