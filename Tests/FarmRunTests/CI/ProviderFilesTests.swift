// Tests of the files that a team copies into its repository: they parse and match their
// descriptions.
import FarmTesting
import Foundation
import Testing

@Suite("Provider files")
struct ProviderFilesTests {
    /// The provider's schema for each file.
    ///
    /// Jenkins has none, and Bitrise's is not available.
    private static let schemas = [
        "circleci/config.yml": "circle-ci", "circleci/shards.yml": "circle-ci",
        "circleci/testsuite.yml": "circle-ci", "circleci/prune.yml": "circle-ci",
        "circleci/release.yml": "circle-ci", "github/release.yml": "github-workflows",
        "github/snapfarm.yml": "github-workflows", "github/shards.yml": "github-workflows",
        "github/report.yml": "github-workflows", "github/approve.yml": "github-workflows",
        "github/action/action.yml": "github-actions", "gitlab/gitlab-ci.yml": "gitlab-ci",
        "gitlab/shards.yml": "gitlab-ci", "buildkite/pipeline.yml": "buildkite",
        "buildkite/shards.yml": "buildkite",
    ]
    private static let others: Set<String> = [
        "bitrise/bitrise.yml", "bitrise/shards.yml", "bitrise/step/step.yml",
        // CircleCI has no schema for this file.
        "circleci/test-suites.yml",
    ]

    @Test(
        "each file is what its provider's schema asks for",
        .enabled(if: Self.hasSchemas, "pip install check-jsonschema")
    )
    func schema() throws {
        for (file, schema) in Self.schemas {
            let words = ["--builtin-schema", "vendor.\(schema)", "\(Self.pipelines)/\(file)"]
            let ending = try TestProcess.run(["check-jsonschema"] + words)
            #expect(ending.status == 0, "\(file): \(ending.output)")
        }
    }

    @Test("no file of a provider is without a schema unnoticed")
    func complete() throws {
        let files = FileManager.default
        // Our own files end in `.yaml`; each provider's examples have a folder.
        let found = (files.enumerator(atPath: Self.pipelines)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".yml") }
        #expect(Set(found) == Self.others.union(Self.schemas.keys))
    }

    @Test(
        "the scheduled prune sees every pin, shows its plan first, and pushes all or nothing",
        .enabled(if: Self.hasYAML)
    )
    func prune() throws {
        try check(
            "circleci/prune.yml",
            """
            assert config["version"] == 2.1
            assert config["workflows"]["prune"]["when"]["equal"][0] == "prune"
            steps = config["jobs"]["prune"]["steps"]
            assert steps[0]["checkout"]["method"] == "full", steps[0]
            scripts = [s["run"]["command"] for s in steps[1:]]
            prunes = [i for i, s in enumerate(scripts) if "snapfarm refs prune" in s]
            assert len(prunes) == 2, scripts
            assert "--dry-run" in scripts[prunes[0]] and "--yes" in scripts[prunes[1]]
            """
        )
    }

    @Test(
        "a comment decides only with the right to write, and is never part of a script",
        .enabled(if: Self.hasYAML)
    )
    func approve() throws {
        try check(
            "github/approve.yml",
            """
            import subprocess
            assert config[True] == {"issue_comment": {"types": ["created"]}}, config[True]
            assert config["permissions"] == {}
            job = config["jobs"]["approve"]
            assert job["permissions"] == {"actions": "read", "contents": "write",
                                          "pull-requests": "write", "statuses": "write"}
            for words in ("github.event.issue.pull_request", "/snapfarm ", "author_association"):
                assert words in job["if"], job["if"]
            steps = job["steps"]
            # The default branch: nothing of the pull request is run.
            assert steps[0]["uses"].startswith("actions/checkout@")
            assert steps[0]["with"] == {"persist-credentials": False}, steps[0]
            scripts = [s for s in steps if "run" in s]
            assert "collaborators" in scripts[0]["run"], "the right is asked for first"
            for step in scripts:
                assert "${{" not in step["run"], step["name"]
                assert subprocess.run(["sh", "-n", "-c", step["run"]]).returncode == 0
            decide = [s for s in scripts if "approve.sh" in s["run"]]
            assert len(decide) == 1 and decide[0]["env"]["COMMENT"]
            assert scripts[-1]["if"] == "always()", "a refusal is answered, too"
            """
        )
    }

    private static let hasYAML = (try? python(["-c", "import yaml"]))?.status == 0

    private static let hasSchemas =
        (try? TestProcess.run(["check-jsonschema", "--version"]))?.status == 0
    private static let pipelines = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("pipelines").path

    private func check(_ name: String, _ program: String) throws {
        let head = "import sys, yaml\nconfig = yaml.safe_load(open(sys.argv[1]))\n"
        let path = "\(Self.pipelines)/\(name)"
        let result = try Self.python(["-c", head + program, path])
        #expect(result.status == 0, "\(result.output)")
    }

    private static func python(_ words: [String]) throws -> (status: Int32, output: String) {
        let ending = try TestProcess.run(["python3"] + words)
        return (ending.status, ending.output + ending.errors)
    }
}
