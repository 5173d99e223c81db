// Tests of the environment of test programs: it is a contract with them, and protects secrets.
import FarmCore
import FarmPipeline
import FarmTesting
import Testing

@testable import FarmDrivers

@Suite("the environment of children")
struct CleanEnvironmentTests {
    private let parent = [
        "PATH": "/bin", "HOME": "/h", "TZ": "UTC", "XDG_CACHE_HOME": "/c", "DEVELOPER_DIR": "/x",
        "SNAPFARM_TOKEN": "t", "GITHUB_TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "k", "CI": "true",
        "https_proxy": "http://user:pass@proxy",
    ]

    @Test("tokens and CI secrets reach no child, a proxy only a build")
    func secrets() throws {
        let folders = try leaseFolders(in: TemporaryFolder())
        let given = shard(.swiftpm(SwiftPMSettings(package: "P")), tests: [])
        let clean = CleanEnvironment(parent: parent)
        let tests = clean.forTests(given, folders)
        let build = clean.forBuilding(given.job)
        for secret in ["SNAPFARM_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "CI"] {
            #expect(tests[secret] == nil)
            #expect(tests["TEST_RUNNER_" + secret] == nil)
            #expect(build[secret] == nil)
        }
        #expect(tests["https_proxy"] == nil)
        #expect(build["https_proxy"] == "http://user:pass@proxy")
        for kept in ["PATH", "HOME", "TZ", "XDG_CACHE_HOME", "DEVELOPER_DIR"] {
            #expect(tests[kept] == parent[kept])
        }
        #expect(tests["GIVEN"] == "by the job")
        #expect(build["GIVEN"] == "by the job")
    }

    @Test("the job's variables do not override the contract")
    func precedence() throws {
        let folders = try leaseFolders(in: TemporaryFolder())
        var given = shard(.swiftpm(SwiftPMSettings(package: "P")), tests: [])
        given.job.env = ["SNAPSHOT_TESTING_RECORD": "all", "HOME": "/elsewhere"]
        let tests = CleanEnvironment(parent: parent).forTests(given, folders)
        #expect(tests["SNAPSHOT_TESTING_RECORD"] == "never")
        #expect(tests["HOME"] == "/elsewhere")
    }

    @Test(
        "who records follows from kind, mode and judge",
        arguments: [
            (JobKind.unit, RunMode.record, Judge.farm, "false", "never"),
            (.unit, .verify, .farm, "false", "never"),
            (.snapshot, .record, .framework, "true", "all"),
            (.snapshot, .record, .farm, "true", "all"),
            (.snapshot, .verify, .farm, "true", "all"),
            (.snapshot, .verify, .framework, "false", "never"),
        ]
    )
    func recording(
        kind: JobKind,
        mode: RunMode,
        judge: Judge,
        flag: String,
        word: String
    ) throws {
        let folders = try leaseFolders(in: TemporaryFolder())
        let given = shard(
            .swiftpm(SwiftPMSettings(package: "P")),
            kind: kind,
            judge: judge,
            mode: mode,
            tests: []
        )
        let tests = CleanEnvironment(parent: parent).forTests(given, folders)
        #expect(tests["SNAPSHOT_TEST_RECORD_MODE"] == flag)
        #expect(tests["RECORD_MODE_ENV"] == flag)
        #expect(tests["SNAPSHOT_TESTING_RECORD"] == word)
    }

    @Test(
        "a job that names its framework is told that framework's words and no others",
        arguments: [(Judge.farm, "all"), (.framework, "never")]
    )
    func framework(judge: Judge, word: String) throws {
        let folders = try leaseFolders(in: TemporaryFolder())
        var given = shard(
            .swiftpm(SwiftPMSettings(package: "P")),
            kind: .snapshot,
            judge: judge,
            tests: []
        )
        given.job.framework = FrameworkCatalog.profile(named: "swift-snapshot-testing")
        let tests = CleanEnvironment(parent: parent).forTests(given, folders)
        #expect(tests["SNAPSHOT_TESTING_RECORD"] == word)
        #expect(tests["TEST_RUNNER_SNAPSHOT_TESTING_RECORD"] == word)
        #expect(tests["SNAPSHOT_ARTIFACTS"] == folders.snapshotArtifacts)
        #expect(tests["FB_REFERENCE_IMAGE_DIR"] == nil)
        #expect(tests["SNAPFARM_CAPTURE_DIR"] == folders.captures)
    }

    @Test("the contract names folders, cell, device and variants, and once more for xcodebuild")
    func contract() throws {
        let folders = try leaseFolders(in: TemporaryFolder())
        let cell = Cell(
            id: CellID("Kiosk_13.1_landscape_big"),
            device: Device(name: "Kiosk", os: "13.1", width: 800, height: 1280, scale: 1.5),
            variant: [
                VariantValue(axis: "orientation", value: "landscape"),
                VariantValue(axis: "text size", value: "big"),
            ]
        )
        let given = shard(.swiftpm(SwiftPMSettings(package: "P")), tests: [], cell: cell)
        let tests = CleanEnvironment(parent: parent).forTests(given, folders)
        let expected = [
            "SNAPFARM_LEASE_DIR": folders.lease, "SNAPFARM_CAPTURE_DIR": folders.captures,
            "IMAGE_DIFF_DIR": folders.failureDiffs,
            "SNAPSHOT_ARTIFACTS": folders.snapshotArtifacts,
            "FB_REFERENCE_IMAGE_DIR": folders.references, "SNAPFARM_JOB": "job",
            "SNAPFARM_CELL": "Kiosk_13.1_landscape_big", "SNAPFARM_DEVICE": "Kiosk",
            "SNAPFARM_OS": "13.1", "SNAPFARM_WIDTH": "1280", "SNAPFARM_HEIGHT": "800",
            "SNAPFARM_SCALE": "1.5", "SNAPFARM_VARIANT_ORIENTATION": "landscape",
            "SNAPFARM_VARIANT_TEXT_SIZE": "big",
        ]
        for (name, value) in expected {
            #expect(tests[name] == value)
            #expect(tests["TEST_RUNNER_" + name] == value)
        }
    }
}
