// The files a team copies into its repository: they must parse, and say what they promise.
import FarmTesting
import Foundation
import Testing

@Suite("Provider files")
struct ProviderFilesTests {
    @Test(
        "the CircleCI file runs unit and snapshot tests side by side and keeps the results",
        .enabled(if: Self.hasYAML)
    )
    func circleCI() throws {
        try check(
            "circleci.yml",
            """
            assert config["version"] == 2.1
            jobs, flow = config["jobs"], config["workflows"]["test"]["jobs"]
            names = {(n if isinstance(n, str) else next(iter(n))): n for n in flow}
            assert set(names) == {"unit_test", "snapshot_test", "merge"}, names
            assert names["unit_test"] == "unit_test" and "requires" not in names["snapshot_test"]
            assert names["merge"]["merge"]["requires"] == ["unit_test", "snapshot_test"], names
            devices = names["snapshot_test"]["snapshot_test"]["matrix"]["parameters"]["device"]
            assert len(devices) > 1 and jobs["snapshot_test"]["parameters"]["device"]
            for name in ("unit_test", "snapshot_test"):
                steps = jobs[name]["steps"]
                kinds = [s if isinstance(s, str) else next(iter(s)) for s in steps]
                assert "checkout" in kinds and "persist_to_workspace" in kinds, kinds
                scripts = [s["run"]["command"] for s in steps if isinstance(s, dict) and "run" in s]
                assert any("snapfarm run" in s and f"job={name}" in s for s in scripts), scripts
            stored = [s["store_artifacts"]["path"] for s in jobs["merge"]["steps"]
                      if isinstance(s, dict) and "store_artifacts" in s]
            assert stored == ["out/FailureDiffs.zip", "out"], stored
            """
        )
    }

    @Test(
        "the Bitrise file runs the farm, and deploys even when it is red",
        .enabled(if: Self.hasYAML)
    )
    func bitrise() throws {
        try check(
            "bitrise.yml",
            """
            assert config["format_version"]
            flows = config["workflows"]
            pipeline = config["pipelines"]["test"]["workflows"]
            assert pipeline["merge"]["depends_on"] == ["unit_test", "snapshot_test"]
            parts = [name for name, v in pipeline.items() if not (v or {}).get("depends_on")]
            assert set(parts) == {"unit_test", "snapshot_test"}
            merge = [v for s in flows["merge"]["steps"] for k, v in s.items()
                     if k.startswith("deploy-to-bitrise-io")]
            assert len(merge) == 1 and merge[0]["is_always_run"] is True
            for name in parts:
                steps = [next(iter(s.items())) for s in flows[name]["steps"]]
                scripts = [v["inputs"][0]["content"] for k, v in steps if k.startswith("script")]
                assert any("snapfarm run" in s and f"job={name}" in s for s in scripts), scripts
                deploy = [v for k, v in steps if k.startswith("deploy-to-bitrise-io")]
                sent = deploy[0]["inputs"][0]["pipeline_intermediate_files"]
                assert len(deploy) == 1 and sent.startswith("out:PART_"), sent
            """
        )
    }

    @Test(
        "the scheduled prune sees every pin, shows its plan first, and pushes all or nothing",
        .enabled(if: Self.hasYAML)
    )
    func prune() throws {
        try check(
            "prune.yml",
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
            "approve/github.yml",
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

    @Test(
        "CircleCI's shards share one history, and one job joins what the workspace brings",
        .enabled(if: Self.hasYAML)
    )
    func circleCIShards() throws {
        try check(
            "circleci-shards.yml",
            """
            jobs = config["jobs"]
            flow = {(n if isinstance(n, str) else next(iter(n))): n for n in
                    config["workflows"]["test"]["jobs"]}
            assert jobs["tests"]["parallelism"] > 1
            assert flow["tests"]["tests"]["requires"] == ["history"]
            assert flow["merge"]["merge"]["requires"] == ["tests"]
            def steps(job, kind):
                return [s[kind] for s in jobs[job]["steps"] if isinstance(s, dict) and kind in s]
            sent = steps("tests", "persist_to_workspace")[0]
            assert sent == {"root": "farm", "paths": ["out-*"]}, sent
            for job in ("tests", "merge"):
                assert steps(job, "attach_workspace") == [{"at": "farm"}], job
            script = steps("merge", "run")[0]["command"]
            assert script.startswith("snapfarm merge farm/out-* --output out"), script
            assert steps("merge", "save_cache")[0]["when"] == "always"
            """
        )
    }

    @Test(
        "Bitrise's shards go to the merge as intermediate files",
        .enabled(if: Self.hasYAML)
    )
    func bitriseShards() throws {
        try check(
            "bitrise-shards.yml",
            """
            flow = config["pipelines"]["test"]["workflows"]
            shards = {k: v for e in config["app"]["envs"] for k, v in e.items()}["SHARDS"]
            assert flow["tests"]["parallel"] == int(shards) > 1
            assert flow["tests"]["depends_on"] == ["history"]
            assert flow["merge"]["depends_on"] == ["tests"]
            def inputs(job, kind):
                found = [v for s in config["workflows"][job]["steps"] for k, v in s.items()
                         if k.startswith(kind)]
                return {k: v for f in found for i in (f or {}).get("inputs", [])
                        for k, v in i.items()}
            sent = inputs("tests", "deploy-to-bitrise-io")["pipeline_intermediate_files"]
            assert sent == "out:SHARD_$BITRISE_IO_PARALLEL_INDEX", sent
            scripts = [i["content"] for s in config["workflows"]["merge"]["steps"]
                       for k, v in s.items() if k.startswith("script@") for i in v["inputs"]
                       if "content" in i]
            assert "snapfarm merge" in scripts[0] and "report.tar.gz" in scripts[1], scripts
            """
        )
    }

    private static let hasYAML = (try? python(["-c", "import yaml"]))?.status == 0

    private func check(_ name: String, _ program: String) throws {
        let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let head = "import sys, yaml\nconfig = yaml.safe_load(open(sys.argv[1]))\n"
        let path = folder.appendingPathComponent("pipelines/\(name)").path
        let result = try Self.python(["-c", head + program, path])
        #expect(result.status == 0, "\(result.output)")
    }

    private static func python(_ words: [String]) throws -> (status: Int32, output: String) {
        let ending = try TestProcess.run(["python3"] + words)
        return (ending.status, ending.output + ending.errors)
    }
}
