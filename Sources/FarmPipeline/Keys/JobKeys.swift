// The keys of a job. The keys of single drivers are defined with the drivers.
import FarmCore

enum JobKeys {
    /// Returns all keys of a job, for a file with these drivers.
    static func all(_ drivers: [any DriverKind]) -> [FileKey] {
        common(drivers) + drivers.keys
    }

    /// Returns the keys of every job.
    static func common(_ drivers: [any DriverKind]) -> [FileKey] {
        [
            FileKey(
                "kind",
                .words(JobKind.allCases.map(\.rawValue)),
                "`snapshot` for tests that make pictures, else `unit`.",
                example: "kind: snapshot",
                isRequired: true
            ),
            FileKey(
                "driver",
                .words(drivers.names),
                "What runs the tests. Each driver has keys of its own.",
                example: "driver: webdriver",
                isRequired: true
            ),
        ] + subjectKeys + lifecycleKeys
    }

    /// The keys that name the subject of the tests and the rules of judging it.
    private static let subjectKeys = [
        FileKey(
            "framework",
            "The snapshot framework that the tests use, or the path of a profile of your own. "
                + "`snapfarm frameworks` lists those that snapfarm knows.",
            example: "framework: iOSSnapshotTestCase",
            defaultValue: "the tests write pictures into SNAPFARM_CAPTURE_DIR"
        ),
        FileKey(
            "matrix",
            .either([.words(["all", "none"]), .closed(matrix)]),
            "On which cells the job runs: all of them, none (once, without a device), or a part.",
            example: "matrix: {devices: [iPhone 8 (13.1)], variants: {appearance: [light]}}",
            defaultValue: "all; none for unit jobs"
        ),
        FileKey(
            "judge",
            .words(Judge.allCases.map(\.rawValue)),
            "Who compares the pictures: `farm` is snapfarm, `framework` is the test framework, whose "
                + "pictures snapfarm only collects.",
            example: "judge: farm",
            defaultValue: "farm, or what the framework's profile says"
        ),
        FileKey(
            "comparison",
            .closed(PolicyKeys.comparison),
            "How different a picture may be, which regions do not count, and what differs for some cells, "
                + "suites and pictures.",
            example: "comparison: {policy: visible, ignore: \"0,0-749,39\"}",
            defaultValue: "the policy visible"
        ),
        FileKey(
            "probes",
            .list(of: .string),
            "Patterns of `<suite>/<name>` of pictures whose content never changes. They show how another browser "
                + "or OS draws, so that the run tells other pictures that are only drawn differently from those "
                + "that changed.",
            example: "probes: [\"Renderer/*\"]"
        ),
        FileKey(
            "new",
            leniency,
            "Whether a picture without a reference makes the run red.",
            example: "new: accept",
            defaultValue: "fail"
        ),
        FileKey(
            "moved",
            leniency,
            "Whether a picture that has the reference of another name makes the run red.",
            example: "moved: accept",
            defaultValue: "fail"
        ),
        FileKey(
            "flaky",
            leniency,
            "Whether a test that passed only when it ran again makes the run red.",
            example: "flaky: fail",
            defaultValue: "accept"
        ),
        FileKey(
            "vanished",
            leniency,
            "Whether a test that the last complete run had, and that is not found any more, makes the run "
                + "red.",
            example: "vanished: accept",
            defaultValue: "fail"
        ),
    ]

    /// The keys that say how the tests run.
    private static let lifecycleKeys = [
        FileKey(
            "timeout",
            .closed(timeout),
            "How long a test, and all tests of one lease, may take.",
            example: "timeout: {test: 60s, shard: 30m}",
            defaultValue: "60s for a test, 30m for a lease"
        ),
        FileKey(
            "retries",
            .integer(to: FarmLimits.attemptsMax - 1),
            "How often a failed test runs again. A retry never accepts a picture that has no reference.",
            example: "retries: 1",
            defaultValue: "0"
        ),
        FileKey(
            "repeat-new",
            .integer(from: 1, to: FarmLimits.attemptsMax),
            "How often a test with a new picture runs before the picture may be accepted, each time on another worker if there is one.",
            example: "repeat-new: 3",
            defaultValue: "1"
        ),
        FileKey(
            "exclusive",
            .boolean,
            "While one of the job's leases runs, nothing else of the run does.",
            example: "exclusive: true",
            defaultValue: "false"
        ),
        FileKey(
            "env",
            .map(of: .scalar),
            "Environment variables for discovery and tests.",
            example: "env: {API_URL: \"http://127.0.0.1:8080\"}"
        ),
        FileKey(
            "bundle",
            .list(of: .string),
            "Patterns of the files that a worker on another machine needs, relative to this file.",
            example: "bundle: [\"app/**\", scripts/run-tests.sh]",
            defaultValue: "what the driver knows"
        ),
        FileKey(
            "reuse",
            .either([.boolean, .closed(reuse)]),
            "Whether a test case inherits its verdict while nothing that it reads has changed. Needs "
                + "`--history`.",
            example: "reuse: {sample: 5%}",
            defaultValue: "false"
        ),
        FileKey(
            "inputs",
            .list(of: .string),
            "Patterns of all files that the tests of a job with `reuse` read, relative to this file.",
            example: "inputs: [\"app/**\", scripts/run-tests.sh]",
            defaultValue: "what the driver knows"
        ),
        FileKey(
            "needs",
            .map(of: .scalar),
            "What a worker must offer to run this job.",
            example: "needs: {xcode: \"26\"}"
        ),
    ]

    private static let leniency = SchemaValue.words(Leniency.allCases.map(\.rawValue))

    static let matrix = [
        FileKey(
            "devices",
            .list(of: .string),
            "Names of devices of this file.",
            example: "devices: [iPhone 8 (13.1)]",
            defaultValue: "all"
        ),
        FileKey(
            "variants",
            .map(of: .list(of: .scalar)),
            "Axes of this file, each with some of its values.",
            example: "variants: {appearance: [light]}",
            defaultValue: "all"
        ),
    ]

    static let reuse = [
        FileKey(
            "sample",
            .pattern("^[0-9]+(\\.[0-9]+)? ?%$"),
            "How many of the test cases that could be inherited run all the same, at least 5.",
            example: "sample: 5%",
            defaultValue: "2%"
        )
    ]

    static let timeout = [
        FileKey(
            "test",
            .duration,
            "For one test.",
            example: "test: 60s",
            defaultValue: "60s"
        ),
        FileKey(
            "shard",
            .duration,
            "For all tests that a worker takes at once.",
            example: "shard: 30m",
            defaultValue: "30m"
        ),
    ]
}
