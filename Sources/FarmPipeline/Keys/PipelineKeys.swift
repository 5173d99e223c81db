// All keys of a pipeline file, except those of a job (JobKeys) and of comparisons (PolicyKeys). The
// decoder refuses other keys. The JSON Schema and docs/keys.md are generated from these.
import FarmCore

enum PipelineKeys {
    /// Returns the top-level keys of the file, for jobs with these drivers.
    static func top(_ drivers: [any DriverKind]) -> [FileKey] {
        [
            FileKey(
                "version",
                .object([("const", .number(1))]),
                "The version of this format. It is 1.",
                example: "version: 1",
                isRequired: true
            ),
            FileKey(
                "name",
                "The pipeline's name, in reports and at the coordinator. Two pipelines that share a pin "
                    + "need two names.",
                example: "name: shop",
                defaultValue: "pipeline"
            ),
            FileKey(
                "references",
                .closed(references),
                "Where the reference pictures are, and which of them this commit expects.",
                example: "references: {store: ../shop-references.git, pin: snapfarm.refs}"
            ),
            FileKey(
                "devices",
                .list(of: .either([.string, .closed(device)])),
                "The devices: names that snapfarm knows, such as iPhone 8 (13.1), or maps with the "
                    + "metrics of your own.",
                example: "devices: [iPhone 8 (13.1), {name: Kiosk, width: 800, height: 1280}]",
                defaultValue: "jobs run once, on the machine itself"
            ),
            FileKey(
                "variants",
                .map(of: .list(of: .scalar)),
                "Further axes of the matrix, each with its values. Every device is tested with every "
                    + "combination.",
                example: "variants: {appearance: [light, dark], locale: [en, ja]}"
            ),
            FileKey(
                "exclude",
                .list(of: .object([("type", .text("object"))])),
                "Combinations that are left out. A map names a device, values of axes, or both.",
                example: "exclude: [{device: iPad Pro (11-inch), appearance: dark}]"
            ),
            FileKey(
                "jobs",
                .object([
                    ("type", .text("object")), ("minProperties", .number(1)),
                    ("additionalProperties", .closed(JobKeys.all(drivers))),
                ]),
                "The jobs by name. All of them run side by side.",
                example: "jobs: {unit_test: {kind: unit, driver: swiftpm, package: Core}}",
                isRequired: true
            ),
            FileKey(
                "quarantine",
                .list(of: .closed(quarantine)),
                "Tests and pictures that are known to be bad: they run, are shown, and make no run red.",
                example: "quarantine: [{test: \"Cart/pays*\", until: 2026-12-31, reason: flickers}]"
            ),
            FileKey(
                "screens",
                .either([.string, .list(of: .string)]),
                "The screens that should have pictures: a list of names, or a file that names one on each "
                    + "line. Runs and the catalogue say which have none; no run is red for it.",
                example: "screens: [Home/balance, Cart/empty]"
            ),
            FileKey(
                "pathsIgnore",
                .list(of: .string),
                "Files that no test reads, as patterns relative to the repository's root. A commit that "
                    + "changes only these and the pin runs no test, if an earlier run proves it green.",
                example: "pathsIgnore: [\"docs/**\", \"**/*.md\", \"node_modules/.cache/**\"]"
            ),
            FileKey(
                "publish",
                .closed(publish),
                "Where reports get a lasting address: those of red runs in CI, of `snapfarm report`, and of "
                    + "comparisons with --publish.",
                example:
                    "publish: {bucket: s3://reports/shop, address: \"https://reports.example.com/shop\"}"
            ),
        ]
    }

    static let references = [
        FileKey(
            "store",
            "The reference store, a Git repository of its own: a path relative to this file, or a Git URL. "
                + "SNAPFARM_STORE in the environment names another way to it.",
            example: "store: ../shop-references.git",
            isRequired: true
        ),
        FileKey(
            "pin",
            "A small file that you commit: it names the set of references that this commit expects. The "
                + "path of a submodule is one, too.",
            example: "pin: snapfarm.refs",
            defaultValue: "snapfarm.refs"
        ),
        FileKey(
            "renames",
            .list(of: .closed(rename)),
            "Names of pictures that changed, so that a picture keeps its reference under its new name.",
            example: "renames: [{from: \"{screen}-iPhone-15\", to: \"{screen}-iPhone-16\"}]"
        ),
        FileKey(
            "reencode",
            .list(of: .string),
            "Patterns of suites whose references are stored again with a better compression. Their pixels "
                + "stay the same.",
            example: "reencode: [\"Charts*\"]"
        ),
    ]

    static let publish = [
        FileKey(
            "bucket",
            "A bucket of S3 and the beginning of all keys. The access keys are in AWS_ACCESS_KEY_ID, "
                + "AWS_SECRET_ACCESS_KEY and, if there is one, AWS_SESSION_TOKEN.",
            example: "bucket: s3://reports/shop"
        ),
        FileKey(
            "endpoint",
            "The server of the bucket, if it is not AWS. Its addresses name the bucket in the path.",
            example: "bucket: s3://reports\nendpoint: https://s3.example.com",
            defaultValue: "AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, or AWS itself"
        ),
        FileKey(
            "region",
            "The region of the bucket.",
            example: "bucket: s3://reports\nregion: eu-central-1",
            defaultValue: "AWS_REGION or AWS_DEFAULT_REGION, or us-east-1"
        ),
        FileKey(
            "folder",
            "A folder: a path relative to this file, such as that of a web server on the same machine.",
            example: "folder: /srv/reports/shop"
        ),
        FileKey(
            "command",
            "A command of the shell that uploads the folder SNAPFARM_REPORT under the name "
                + "SNAPFARM_REPORT_NAME. If its last line is a URL, that is the report's address.",
            example:
                "command: rsync -a \"$SNAPFARM_REPORT/\" \"web:reports/$SNAPFARM_REPORT_NAME/\""
        ),
        FileKey(
            "address",
            "The address under which people open the place.",
            example: "folder: /srv/reports/shop\naddress: https://reports.example.com/shop",
            defaultValue: "that of the bucket or the folder"
        ),
        FileKey(
            "notify",
            "The variable with the address of an incoming webhook of Slack, Mattermost or the like: it gets "
                + "a line with the link of each published report.",
            example: "bucket: s3://reports\nnotify: SLACK_WEBHOOK_URL"
        ),
    ]

    static let rename = [
        FileKey(
            "from",
            "The old name. A word in braces stands for any text.",
            example: "from: \"{screen}-iPhone-15\"",
            isRequired: true
        ),
        FileKey(
            "to",
            "The new name, with the same words in braces.",
            example: "to: \"{screen}-iPhone-16\"",
            isRequired: true
        ),
    ]

    static let device = [
        FileKey(
            "name",
            "The device's name. An OS version may stand behind it in parentheses.",
            example: "name: Kiosk",
            isRequired: true
        ),
        FileKey(
            "os",
            "The version of the OS.",
            example: "os: \"13.1\"",
            defaultValue: "that of the name, if it has one"
        ),
        FileKey(
            "width",
            .positive,
            "The width of the screen in points, in portrait. It needs a height.",
            example: "width: 800",
            defaultValue: "that of a known device"
        ),
        FileKey(
            "height",
            .positive,
            "The height of the screen in points, in portrait. It needs a width.",
            example: "height: 1280",
            defaultValue: "that of a known device"
        ),
        FileKey(
            "scale",
            .positive,
            "Pixels for each point.",
            example: "scale: 1.5",
            defaultValue: "that of a known device; else 1"
        ),
        FileKey(
            "succeeds",
            "The device that this one replaces: its references count until this one has its own.",
            example: "succeeds: iPhone 8 (13.1)"
        ),
        FileKey(
            "needs",
            .map(of: .scalar),
            "What a worker must offer to run tests on this device.",
            example: "needs: {xcode: \"26\"}"
        ),
    ]

    static let quarantine = [
        FileKey(
            "test",
            "A pattern of tests. An entry has either `test` or `snapshot`.",
            example: "test: \"Cart/pays*\""
        ),
        FileKey(
            "snapshot",
            "A pattern of pictures: the cell, the suite and the name, with slashes between.",
            example: "snapshot: \"*/Cart/total\""
        ),
        FileKey(
            "cell",
            "A pattern of cells: the entry counts only there.",
            example: "cell: \"iPhone-8*\"",
            defaultValue: "everywhere"
        ),
        FileKey(
            "until",
            .pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
            "The last day that the entry counts. After it the run is red again.",
            example: "until: 2026-12-31",
            isRequired: true
        ),
        FileKey(
            "cleanRuns",
            .integer(from: 1, to: FarmLimits.cleanRunsMax),
            "The clean runs in a row after which the entry ends before that day.",
            example: "cleanRuns: 20",
            defaultValue: "only the day ends it"
        ),
        FileKey(
            "reason",
            "What is known about it. Reports show it.",
            example: "reason: \"flickers since the new font\"",
            isRequired: true
        ),
    ]
}
