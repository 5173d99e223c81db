// The driver `command` for pipeline files, plans and bundles. Only the job's `bundle:` can name the
// files that its programs need.
import FarmCore
import FarmPipeline

/// The keys, settings and health checks of the driver `command`.
package struct CommandKind: TestDriverKind {
    package let name = "command"
    package let inputs = KnownInputs.named
    package let keys = [
        FileKey(
            "discover",
            "A command of the shell that prints one test on each line.",
            example: "discover: tests/run.sh --list\nrun: \"tests/run.sh {tests}\""
        ),
        FileKey(
            "run",
            "A command of the shell that runs tests. `{tests}` stands for their names, `{tests-file}` for a "
                + "file with one name on each line; without either the names come on standard input.",
            example: "discover: tests/run.sh --list\nrun: \"tests/run.sh {tests}\""
        ),
        FileKey(
            "results",
            "A JUnit file, or a pattern of several, relative to SNAPFARM_LEASE_DIR. With it one process runs "
                + "all tests of a lease.",
            example: "discover: ./list.sh\nrun: \"./run.sh {tests-file}\"\nresults: junit.xml",
            defaultValue: "each test is a process, and its exit code is the result"
        ),
        FileKey(
            "captures",
            .either([.string, .closed(ofCaptures)]),
            "A pattern of the pictures, relative to SNAPFARM_LEASE_DIR; or a map that also says which test "
                + "makes each of them.",
            example: "discover: ./list.sh\nrun: \"./run.sh {tests}\"\n"
                + "captures: {pattern: \"shots/**/*.png\", test: \"{suite}/{name}\"}",
            defaultValue: "what tests write into SNAPFARM_CAPTURE_DIR"
        ),
    ]

    static let ofCaptures = [
        FileKey(
            "pattern",
            "A pattern of the pictures, relative to SNAPFARM_LEASE_DIR.",
            example: "pattern: \"shots/**/*.png\"",
            isRequired: true
        ),
        FileKey(
            "test",
            "The test that makes a picture. `{suite}` stands for the picture's folder below the fixed part of "
                + "the pattern, `{name}` for its name.",
            example: "pattern: \"shots/**/*.png\"\ntest: \"{suite}/{name}\"",
            defaultValue: "the picture's name tells, or the test runs alone"
        ),
    ]

    /// The guess of a start's duration: `nil`, because each lease starts the job's program and only
    /// a lease shows how long that takes.
    package var startGuess: StartGuess? { nil }

    package func pictureRemedy(_ settings: CommandSettings) -> String? {
        "Let its tests write PNGs to $SNAPFARM_CAPTURE_DIR/<suite>/<name>.png, or "
            + (settings.captures == nil
                ? "set `captures:`." : "where `captures:` looks for them.")
    }

    package func makeDriver(
        environment: [String: String],
        isolation: Isolation?
    ) -> any TestDriver {
        CommandDriver(environment: environment, isolation: isolation)
    }

    package func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] {
        let environment = CleanEnvironment(parent: place.environment)
        let commands = jobs.flatMap { job -> [HealthCommand] in
            guard let settings = try? settings(of: job.driver) else { return [] }
            return [("discover", settings.discover), ("run", settings.run)].map { key, command in
                HealthCommand(
                    job: job,
                    key: key,
                    command: command,
                    environment: environment.forBuilding(job)
                )
            }
        }
        return [HealthCommand.check(commands, in: place.workTree)]
    }

    package func settings(
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) -> CommandSettings? {
        let discover = reader.required("discover", in: job)
        let run = reader.required("run", in: job)
        let results = job["results"].flatMap { reader.text($0, what: "results") }
        let captures = job["captures"].flatMap { self.captures($0, in: job, &reader) }
        for (key, value) in [("results", results), ("captures", captures?.pattern)] {
            guard let value, !Self.staysInside(value) else { continue }
            reader.report(
                job[key],
                "\(job.what): \(key) leaves the lease's folder: \"\(value)\".",
                "It is relative to SNAPFARM_LEASE_DIR; let the command copy files there."
            )
        }
        guard let discover, let run else { return nil }
        reportPlaceholders(run: run, discover: discover, in: job, &reader)
        return CommandSettings(discover: discover, run: run, results: results, captures: captures)
    }

    private func reportPlaceholders(
        run: String,
        discover: String,
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) {
        if let found = MisspeltPlaceholder.first(in: run) {
            let mended = run.replacing("{\(found.word)}", with: "{\(found.meant)}")
            reader.report(
                job["run"],
                "\(job.what): run has {\(found.word)}, which stands for nothing.",
                "Write `run: \(mended)`; for the shell's own braces, `{ \(found.word) }`."
            )
        }
        if let found = MisspeltPlaceholder.first(in: discover, known: []) {
            reader.report(
                job["discover"],
                "\(job.what): discover has {\(found.word)}, and nothing stands for a test there.",
                "Let it print all tests; for the shell's own braces, write `{ \(found.word) }`."
            )
        }
    }

    /// Decodes the key `captures`, a glob or a map `{pattern, test}`, or returns `nil` after
    /// reporting a mistake.
    private func captures(
        _ node: DocumentNode,
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) -> CapturePattern? {
        if let pattern = node.scalarText { return CapturePattern(pattern) }
        let what = "\(job.what).captures"
        guard let entries = reader.mapping(node, known: Self.ofCaptures.names, what: what),
            let pattern = reader.required(
                "pattern",
                in: DocumentMap(entries, of: node, what: what)
            )
        else { return nil }
        let test = entries["test"].flatMap { reader.text($0, what: "\(what).test") }
        if let test, !test.contains("{name}"), !test.contains("{suite}") {
            reader.report(
                entries["test"],
                "\(job.what): captures.test is \"\(test)\" for every picture.",
                "Write `{suite}` and `{name}` where a picture's folder and name stand in its test's "
                    + "name, such as \"{suite}/{name}\"."
            )
        }
        return CapturePattern(pattern, test: test)
    }

    package func mistakes(in settings: CommandSettings) -> [String] {
        let paths = [settings.results, settings.captures?.pattern].compactMap(\.self)
        return paths.allSatisfy(Self.staysInside)
            ? [] : ["results or captures leave the lease's folder"]
    }

    private static func staysInside(_ path: String) -> Bool {
        !path.isAbsolutePath && !path.pathParts.contains("..")
    }
}
