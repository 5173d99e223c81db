// Tests that a new driver needs only its kind, declared here, and an entry in the list of kinds.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmDrivers

/// A driver whose tests are names listed in the job; all of them pass.
private struct NothingKind: TestDriverKind {
    struct Settings: Codable {
        var tests: [String]
    }

    let name = "nothing"
    let keys = [FileKey("tests", .list(of: .string), "The tests.", example: "tests: [a, b]")]
    let startGuess: StartGuess? = StartGuess(warmSeconds: 1, coldSeconds: 2)

    func pictureRemedy(_ settings: Settings) -> String? { "Nothing takes pictures." }

    func settings(in job: DocumentMap, _ reader: inout DocumentReader) -> Settings? {
        guard let node = job["tests"] else {
            reader.report(job.node, "\(job.what) has no tests.", "Add `tests: [a, b]`.")
            return nil
        }
        let tests = reader.list(node, what: "\(job.what).tests").compactMap { item in
            reader.text(item, what: "a test")
        }
        return Settings(tests: tests)
    }

    func mistakes(in settings: Settings) -> [String] {
        settings.tests.isEmpty ? ["nothing has no tests"] : []
    }

    func makeDriver(environment: [String: String], isolation: Isolation?) -> any TestDriver {
        NothingDriver()
    }

    func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] {
        [HealthCheck("nothing") { [.ok("nothing", "\(jobs.count) job needs nothing")] }]
    }
}

private struct NothingDriver: TestDriver {
    func discover(job: Job, workTree: String, scratch: String) async throws -> Discovery {
        Discovery(tests: try NothingKind().settings(of: job.driver).tests.map { TestID($0) })
    }

    func run(
        _ shard: Shard,
        folders: LeaseFolders,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) async throws {
        _ = try NothingKind().settings(of: shard.job.driver)
        for test in shard.tests {
            try await report(.finished(TestResult(test: test, ending: .passed, seconds: 0)))
        }
    }
}

@Suite("A driver in the list and nowhere else")
struct NothingDriverTests {
    private static let all: [any TestDriverKind] = DriverCatalog.all + [NothingKind()]
    private static var kinds: [any DriverKind] { all }

    private func pipeline(_ job: String) throws(DocumentErrors) -> Pipeline {
        let text = "version: 1\njobs:\n  n: \(job)\n"
        return try PipelineDecoder.decode(text, file: "p.yaml", drivers: Self.kinds)
    }

    @Test("is read from a pipeline file, and nobody reads it who does not have it")
    func decoded() throws {
        let job = "{kind: unit, driver: nothing, tests: [a, b]}"
        let driver = try pipeline(job).jobs[0].driver
        #expect(driver == DriverSettings("nothing", ["tests": ["a", "b"]]))
        let text = "version: 1\njobs:\n  n: \(job)\n"
        let error = #expect(throws: DocumentErrors.self) {
            try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
        }
        #expect(
            error?.message.contains("Known drivers: command, swiftpm, webdriver, xcodebuild.")
                == true
        )
    }

    @Test("its guess and its advice reach the plan, the advice only of jobs with pictures")
    func described() throws {
        let unit = try pipeline("{kind: unit, driver: nothing, tests: [a]}").jobs[0]
        #expect(unit.startGuess == StartGuess(warmSeconds: 1, coldSeconds: 2))
        #expect(unit.pictureRemedy == nil)
        let text = """
            version: 1
            references: {store: r.git, pin: p.refs}
            jobs:
              n: {kind: snapshot, driver: nothing, tests: [a]}
            """
        let snapshot =
            try PipelineDecoder.decode(text, file: "p.yaml", drivers: Self.kinds).jobs[0]
        #expect(snapshot.pictureRemedy == "Nothing takes pictures.")
    }

    @Test("is asked what its jobs need of a machine, and only about its own")
    func looked() async throws {
        let jobs = try pipeline("{kind: unit, driver: nothing, tests: [a]}").jobs
        let place = HealthPlace(workTree: "/", environment: [:])
        let checks = DriverCatalog.health(of: jobs, in: place, kinds: Self.all)
        #expect(checks.count == 1)
        #expect(await checks.first?.look() == [.ok("nothing", "1 job needs nothing")])
        #expect(DriverCatalog.health(of: jobs, in: place).isEmpty)
    }

    @Test(
        "has its mistakes reported with their lines",
        arguments: [
            ("{kind: unit, driver: nothing}", "p.yaml:3: job n has no tests."),
            ("{kind: unit, driver: nothing, tests: a}", "p.yaml:3: job n.tests must be a list."),
            (
                "{kind: unit, driver: nothing, tests: [a], run: r}",
                "p.yaml:3: job n: `run` belongs to the driver command, not to nothing."
            ),
            (
                "{kind: unit, driver: swiftpm, package: P, tests: [a]}",
                "p.yaml:3: job n: `tests` belongs to the driver nothing, not to swiftpm."
            ),
            (
                "{kind: unit, driver: nothin, tests: [a]}",
                "p.yaml:3: unknown driver \"nothin\". Did you mean \"nothing\"? Known drivers: "
                    + "command, swiftpm, webdriver, xcodebuild, nothing."
            ),
        ]
    )
    func mistakes(job: String, words: String) {
        let error = #expect(throws: DocumentErrors.self) { try pipeline(job) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("stands in the schema with its name and its keys")
    func schema() {
        let schema = PipelineSchema.text(drivers: Self.kinds)
        #expect(
            schema.contains(
                #""enum": ["command", "swiftpm", "webdriver", "xcodebuild", "nothing"]"#
            )
        )
        #expect(schema.contains(#""tests": {"#))
        #expect(!PipelineSchema.text(drivers: DriverCatalog.kinds).contains("\"nothing\""))
    }

    @Test("says what a plan must not hold, and what its bundle needs")
    func plans() throws {
        let job = try pipeline("{kind: unit, driver: nothing, tests: [a, b]}").jobs[0]
        var plan = Plan(
            pipeline: "p",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [PlannedJob(job: job, tests: [TestID("a")], prepared: [:])],
            workTree: "/w"
        )
        func mistakes(_ kinds: [any DriverKind]) -> [String]? {
            PlanMistakes(plan) { kinds.mistakes(in: $0) }?.named
        }
        #expect(mistakes(Self.kinds) == nil)
        #expect(
            mistakes(DriverCatalog.kinds) == [
                "job \"n\": unknown driver \"nothing\", known are command, swiftpm, webdriver, xcodebuild"
            ]
        )
        plan.jobs[0].job.driver.values["tests"] = []
        #expect(mistakes(Self.kinds) == ["job \"n\": nothing has no tests"])
        plan.jobs[0].job.driver.values = [:]
        #expect(
            mistakes(Self.kinds) == [
                "job \"n\": the settings of the driver nothing have no \"tests\""
            ]
        )
        plan.jobs[0].job.driver.values = ["tests": ["a"]]
        #expect(throws: BundleRefusal.nothing(JobName("n"))) {
            try Self.kinds.bundle(of: plan.jobs[0], workTree: "/w")
        }
    }

    @Test("lists its tests and runs them")
    func runs() async throws {
        let folder = try TemporaryFolder("nothing")
        let job = try pipeline("{kind: unit, driver: nothing, tests: [a, b]}").jobs[0]
        let catalog = DriverCatalog(environment: [:], kinds: Self.all)
        let driver = catalog.driver(for: job.driver)
        let found = try await driver.discover(
            job: job,
            workTree: folder.path,
            scratch: folder.path
        )
        let shard = Shard(
            run: RunID("r"),
            mode: .verify,
            job: job,
            cell: .host,
            tests: found.tests,
            prepared: found.prepared,
            workTree: folder.path
        )
        let passed = Mutex<[TestID]>([])
        try await driver.run(shard, folders: LeaseFolders(in: folder.path)) { event in
            guard case .finished(let result) = event, result.ending == .passed else { return }
            passed.withLock { $0.append(result.test) }
        }
        await catalog.shutDown()
        #expect(passed.withLock { $0 } == [TestID("a"), TestID("b")])
    }
}
