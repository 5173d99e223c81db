import FarmCore
import FarmDrivers
import FarmPipeline
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Called from CI", .serialized)
    struct CITests {
        @Test("Bitrise gets the zip and the test results where it looks for them")
        func bitrise() throws {
            let project = try Project()
            let deploy = try TemporaryFolder("deploy")
            let results = try TemporaryFolder("results")
            let environment = [
                "BITRISE_IO": "true", "CI": "true", "BITRISE_BUILD_SLUG": "abc",
                "BITRISE_GIT_COMMIT": "c0ffee", "BITRISE_GIT_BRANCH": "feature",
                "BITRISE_PULL_REQUEST": "7", "BITRISE_DEPLOY_DIR": deploy.path,
                "BITRISE_TEST_RESULT_DIR": results.path,
            ]
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run(environment: environment).status == 1)
            let facts = try project.summary().run
            #expect(
                facts.commit == "c0ffee" && facts.branch == "feature" && facts.pullRequest == "7"
            )
            let files = FileManager.default
            #expect(files.fileExists(atPath: deploy.file("FailureDiffs.zip")))
            let runs = try files.contentsOfDirectory(atPath: results.path)
            #expect(runs.count == 1)
            for name in ["test-info.json", "results.xml"] {
                #expect(files.fileExists(atPath: results.file("\(runs[0])/\(name)")))
            }
        }

        @Test("CircleCI's facts go into the summary, and every shard of a workflow has one key")
        func circle() throws {
            let project = try Project()
            let environment = [
                "CIRCLECI": "true", "CI": "true", "CIRCLE_SHA1": "beef", "CIRCLE_BRANCH": "main",
                "CIRCLE_WORKFLOW_ID": "w-1", "CIRCLE_PIPELINE_ID": "p-1",
                "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/12",
            ]
            let run = ["--mode", "record", "--output", "out"]
            #expect(try project.run(run, environment: environment).status == 0)
            let facts = try project.summary("out").run
            #expect(facts.commit == "beef" && facts.pullRequest == "12")
            #expect(facts.key.hasPrefix("circleci:"))
        }

        @Test("a pull request gets one comment and a status; a refusal changes no verdict")
        func pullRequest() throws {
            let project = try Project()
            let commit = String(repeating: "c0", count: 20)
            let state = """
                {"token": "good", "pulls": [7], "shas": ["\(commit)"], "comments": [],
                 "statuses": [], "refusals": [], "calls": []}
                """
            let file = try project.folder.write("github.json", state)
            let port = try TestPort.free()
            let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("FarmCITests/StandIn/github.py").path
            let gitHub = try TestProcess(["python3", program, "\(port)", file])
            defer { gitHub.kill() }
            try TestPort.awaitListener(on: port)
            var environment = [
                "CIRCLECI": "true", "CI": "true", "CIRCLE_SHA1": commit,
                "CIRCLE_WORKFLOW_ID": "w-1", "CIRCLE_BUILD_URL": "https://ci/1",
                "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/7",
                "SNAPFARM_GITHUB_REPOSITORY": "o/r", "SNAPFARM_GITHUB_TOKEN": "good",
                "GITHUB_API_URL": "http://127.0.0.1:\(port)",
            ]
            #expect(try project.run(["--mode", "record"], environment: environment).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run(environment: environment).status == 1)
            struct Shown: Decodable {
                let comments: [[String: Text]]
                let statuses: [[String: String]]
            }
            struct Text: Decodable {
                let text: String?
                init(from decoder: any Decoder) throws {
                    text = try? decoder.singleValueContainer().decode(String.self)
                }
            }
            func shown() throws -> Shown {
                let bytes = Data(project.text("github.json").utf8)
                return try JSONDecoder().decode(Shown.self, from: bytes)
            }
            let body = try #require(try shown().comments.first?["body"]?.text)
            #expect(try shown().comments.count == 1)
            #expect(
                body.hasPrefix("<!-- snapfarm: \(commit) -->\n") && body.contains("approve --run")
            )
            #expect(body.split(separator: "\n").contains { $0.hasPrefix("|≠ changed") })
            #expect(try shown().statuses.map { $0["state"] } == ["success", "failure"])
            #expect(try shown().statuses.last?["target_url"] == "https://ci/1")
            let two = ["reject", "--run", "latest", "--select", "snapshot=*/two"]
            let reviewer = project.program(["SNAPFARM_REVIEWER": "ada"])
            #expect(try reviewer.run(two + ["--reason", "too pale"]).status == 0)
            #expect(try project.run(environment: environment).status == 1)
            let words = "rejected by ada: too pale"
            let later = try #require(try shown().comments.first?["body"]?.text)
            #expect(later.replacing("&#58;", with: ":").contains("**\(words)**"), "\(later)")
            let status = try #require(try shown().statuses.last?["description"])
            #expect(status.hasSuffix("; " + words), "\(status)")
            environment["SNAPFARM_GITHUB_TOKEN"] = "expired"
            let refused = try project.run(environment: environment)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("SNAPFARM_GITHUB_TOKEN is wrong or has expired"))
        }

        /// The shell steps of two examples, as YAML holds them; the arguments name the files.
        private static let steps = """
            import json, sys, yaml
            circle = yaml.safe_load(open(f"pipelines/{sys.argv[1]}"))["jobs"]
            bitrise = yaml.safe_load(open(f"pipelines/{sys.argv[2]}"))["workflows"]
            out = {"circleci": {}, "bitrise": {}}
            for name, job in circle.items():
                out["circleci"][name] = [s["run"]["command"] for s in job["steps"]
                                         if isinstance(s, dict) and "run" in s]
            for name, flow in bitrise.items():
                out["bitrise"][name] = [i["content"] for s in flow["steps"]
                                        for k, v in s.items() if k.startswith("script@")
                                        for i in v["inputs"] if "content" in i]
            json.dump(out, sys.stdout)
            """

        /// The steps by provider and job, with a store to clone and the program on the path.
        private func steps(
            _ state: TemporaryFolder,
            _ circle: String,
            _ bitrise: String
        ) throws -> [String: [String: [String]]] {
            let program = Program(folder: state.path)
            let record = ["run", "pipelines/app.yaml", "--mode", "record", "--output", "recorded"]
            #expect(try program.run(record).status == 0)
            try FileManager.default.moveItem(
                atPath: state.file("pipelines/.snapfarm/app/references.git"),
                toPath: state.file("origin.git")
            )
            try state.write("steps.py", Self.steps)
            try state.write("bin/.keep", "")
            try FileManager.default.createSymbolicLink(
                atPath: state.file("bin/snapfarm"),
                withDestinationPath: Program.path
            )
            let read = "python3 steps.py \(circle) \(bitrise) > steps.json"
            #expect(try Shell.run("cd '\(state.path)' && \(read)") == 0)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: state.file("steps.json")))
            return try JSONDecoder().decode([String: [String: [String]]].self, from: bytes)
        }

        /// Runs the shell steps of one job after `head`, each of which must succeed.
        private func run(_ scripts: [String]?, _ head: String, in state: TemporaryFolder) throws {
            let scripts = try #require(scripts)
            #expect(!scripts.isEmpty)
            for script in scripts {
                try state.write("step.sh", head + script)
                let log = state.file("step.log")
                let status = try Shell.run("bash '\(state.path)/step.sh' > '\(log)' 2>&1")
                let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                #expect(status == 0, "\(script): \(said)")
            }
        }

        private func common(_ state: TemporaryFolder) -> String {
            "cd '\(state.path)'; export PATH=\(state.path)/bin:$PATH CI=true "
                + "SNAPFARM_STORE=file://\(state.path)/origin.git; unset GITHUB_ACTIONS; "
        }

        @Test("the shell steps of both sharded examples make one run of four machines' shares")
        func shards() throws {
            let state = try Self.copyOfPipelines()
            let steps = try self.steps(state, "circleci-shards.yml", "bitrise-shards.yml")
            try state.write("given.json", "")
            let circle =
                common(state) + "export CIRCLECI=true CIRCLE_SHA1=c1 CIRCLE_WORKFLOW_ID=w "
                + "CIRCLE_NODE_TOTAL=4; set -eo pipefail\n"
            let bitrise =
                common(state) + "export BITRISE_IO=true BITRISE_BUILD_SLUG=b SHARDS=4 "
                + "BITRISE_DEPLOY_DIR=\(state.path) "
                + "HISTORY=\(state.path)/given.json BITRISE_IO_PARALLEL_TOTAL=4\n"
            for (provider, head, place) in [
                ("circleci", circle, "CIRCLE_NODE_INDEX"),
                ("bitrise", bitrise, "BITRISE_IO_PARALLEL_INDEX"),
            ] {
                _ = try Shell.run("cd '\(state.path)' && rm -rf farm out shard-*")
                let jobs = try #require(steps[provider])
                try run(jobs["history"], head, in: state)
                for index in 0..<4 {
                    // Each machine has its own checkout: neither the store nor runs of others.
                    let place = "export \(place)=\(index)\n"
                    let clean = "rm -rf store ledger* blobs"
                    _ = try Shell.run("cd '\(state.path)/pipelines/.snapfarm' && \(clean)")
                    try run(jobs["tests"], head + place, in: state)
                    guard provider == "bitrise" else { continue }
                    _ = try Shell.run("cd '\(state.path)' && mv out shard-\(index)")
                }
                let folders = (0..<4).map { "SHARD_\($0)=\(state.path)/shard-\($0)" }
                let given = "export \(folders.joined(separator: " "))\n"
                try run(jobs["merge"], head + given, in: state)
                let summary = try Data(
                    contentsOf: URL(fileURLWithPath: state.file("out/summary.json"))
                )
                let joined = try JSONDecoder().decode(RunSummary.self, from: summary)
                #expect(joined.state == .passed && joined.counts.passed == joined.counts.planned)
                #expect(joined.run.shard == nil && joined.counts.planned > 4)
                #expect(FileManager.default.fileExists(atPath: state.file("farm/history.json")))
            }
        }

        @Test("the shell steps of both CI examples make one run, and store all that its page shows")
        func examples() throws {
            let state = try Self.copyOfPipelines()
            let steps = try self.steps(state, "circleci.yml", "bitrise.yml")
            // From now on some pictures differ.
            let tests = state.file("pipelines/quickstart/tests.sh")
            #expect(try Shell.run("sed -i s/^chart=chart/chart=chart-changed/ '\(tests)'") == 0)
            let circle =
                common(state) + "export CIRCLECI=true CIRCLE_SHA1=c1 CIRCLE_WORKFLOW_ID=w\n"
            let bitrise =
                common(state) + "export BITRISE_IO=true BITRISE_BUILD_SLUG=b "
                + "BITRISE_DEPLOY_DIR=\(state.path)/deploy "
                + "BITRISE_TEST_RESULT_DIR=\(state.path)/results "
                + "PART_UNIT=\(state.path)/unit_test PART_SNAPSHOT=\(state.path)/snapshot_test; "
                + "mkdir -p deploy results\n"
            let devices = ["iPhone 8 (13.1)", "iPhone Xʀ (12.2)", "iPad Pro (11-inch) (13.1)"]
            let jobs = try #require(steps["circleci"])
            for (index, device) in ([""] + devices).enumerated() {
                let place = "export CIRCLE_WORKFLOW_JOB_ID=\(index) DEVICE='\(device)'\n"
                let job = device.isEmpty ? "unit_test" : "snapshot_test"
                try run(jobs[job], circle + place, in: state)
            }
            // The merge is red, and its page is stored all the same.
            try run(jobs["merge"]?.map { $0 + " || [ $? -eq 1 ]" }, circle, in: state)
            try checkPage(state, "out", storing: "out")
            for job in ["unit_test", "snapshot_test"] {
                try run(steps["bitrise"]?[job], bitrise, in: state)
                _ = try Shell.run("cd '\(state.path)' && rm -rf \(job) && mv out \(job)")
            }
            let merge = try #require(steps["bitrise"]?["merge"])
            try run([merge[0] + " || [ $? -eq 1 ]"], bitrise, in: state)
            try run([merge[1]], bitrise, in: state)
            let unpack = "cd '\(state.path)' && mkdir page && tar -xzf deploy/report.tar.gz -C page"
            #expect(try Shell.run(unpack) == 0)
            try checkPage(state, "out", storing: "page")
            let files = FileManager.default
            #expect(files.fileExists(atPath: state.file("deploy/FailureDiffs.zip")))
            #expect(try !files.contentsOfDirectory(atPath: state.file("results")).isEmpty)
        }

        /// Every picture that the page of `run` shows must be in the folder that is stored.
        private func checkPage(
            _ state: TemporaryFolder,
            _ run: String,
            storing stored: String
        ) throws {
            let bytes = try Data(
                contentsOf: URL(fileURLWithPath: state.file("\(run)/summary.json"))
            )
            let summary = try JSONDecoder().decode(RunSummary.self, from: bytes)
            #expect(summary.state == .failed && summary.counts.changed > 0)
            #expect(summary.run.partName == nil && summary.counts.planned > 20)
            let page = state.file("\(stored)/report/index.html")
            let text = try String(contentsOfFile: page, encoding: .utf8)
            let shown = text.matches(of: #/\.\./((captures|FailureDiffs|logs)/[^"'<>\s]+)/#).map {
                String($0.output.1).removingPercentEncoding ?? ""
            }
            #expect(shown.count > 5)
            for path in Set(shown) {
                let file = state.file("\(stored)/\(path)")
                #expect(FileManager.default.fileExists(atPath: file), "\(path)")
            }
        }

        /// The steps of the prune as one script; the first argument is the file, the second takes
        /// the place of `--yes`.
        private static let pruneScript = """
            import sys, yaml
            job = yaml.safe_load(open(sys.argv[1]))["jobs"]["prune"]
            for step in job["steps"]:
                if "run" in step:
                    print(step["run"]["command"].replace("--yes", sys.argv[2]))
            """

        @Test("the steps of the scheduled prune drop at the host what nothing pins any more")
        func prune() throws {
            let project = try ReferencesProject.imported()
            let folder = project.folder
            try project.draw("one", shade: 99)
            _ = try project.refs("commit")
            try project.commit("second")
            let host = folder.file("host.git")
            try project.git("clone", "-q", "--mirror", project.store, host, in: folder.path)
            let main = "file://" + project.main
            try project.git("clone", "-q", main, folder.file("ci"), in: folder.path)
            try project.git("clone", "-q", "--depth=1", main, "shallow", in: folder.path)
            try folder.write("script.py", Self.pruneScript)
            try folder.write("bin/.keep", "")
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("bin/snapfarm"),
                withDestinationPath: Program.path
            )
            let file = Self.root + "/pipelines/prune.yml"
            func run(in clone: String, _ policy: String) throws -> Int32 {
                try Shell.run(
                    """
                    set -e; cd '\(folder.path)'
                    python3 script.py '\(file)' '--yes \(policy)' > prune.sh
                    export PATH="$PWD/bin:$PATH" PIN=snapfarm.refs \
                        REFERENCES_URL='\(host)'
                    cd \(clone); exec bash -eo pipefail ../prune.sh > ../prune.log 2>&1
                    """
                )
            }
            let now = "--keep-days 0 --young-days 0 --grace-days 0"
            #expect(try run(in: "shallow", now) == 78)
            #expect(try run(in: "ci", "") == 0)
            #expect(try project.sets(host).count == 2)
            #expect(try run(in: "ci", now) == 0)
            let log = try String(contentsOfFile: folder.file("prune.log"), encoding: .utf8)
            #expect(try project.sets(host).count == 1, "\(log)")
            let left = try project.refs("check", "--store", host, "--pin", "snapfarm.refs")
            #expect(left.status == 0, "\(left.output)")
            #expect(try project.storeIsClean(host))
        }

        @Test("every example pipeline decodes, and validates against the committed JSON Schema")
        func schema() throws {
            let state = try Self.copyOfPipelines()
            try state.write(
                "validate.py",
                """
                import glob, json, jsonschema, sys, yaml
                schema = json.load(open(sys.argv[1]))
                files = [f for f in sorted(glob.glob("pipelines/*.yaml"))]
                assert len(files) >= 5, files
                for f in files:
                    jsonschema.validate(yaml.safe_load(open(f)), schema)
                bad = yaml.safe_load(open(files[0])); bad["jbos"] = {}
                try:
                    jsonschema.validate(bad, schema)
                except jsonschema.ValidationError:
                    sys.exit(0)
                sys.exit("an unknown key passed")
                """
            )
            let schema = Self.root + "/docs/schema/pipeline.schema.json"
            #expect(
                try Shell.run("cd '\(state.path)' && python3 validate.py '\(schema)'") == 0
            )
            for name in try FileManager.default.contentsOfDirectory(
                atPath: state.file("pipelines")
            ) where name.hasSuffix(".yaml") {
                let path = state.file("pipelines/" + name)
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(throws: Never.self, "\(name)") {
                    try PipelineDecoder.decode(text, file: name, drivers: DriverCatalog.kinds)
                }
            }
        }

        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path

        private static func copyOfPipelines() throws -> TemporaryFolder {
            let state = try TemporaryFolder("pipelines")
            _ = try Shell.run(
                "cp -r '\(root)/pipelines' '\(state.path)/' && "
                    + "rm -rf '\(state.path)/pipelines/.snapfarm'"
            )
            return state
        }

        @Test("the iOS pipeline runs against the stand-in for xcodebuild")
        func ios() throws {
            let state = try Self.copyOfPipelines()
            let program = Program(folder: state.path)
            let run = ["run", "pipelines/ios.yaml", "--output", "out"]
            let recorded = try program.run(run + ["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.errors)")
            let verified = try program.run(run + ["--json"])
            #expect(verified.status == 0, "\(verified.errors)")
            let summary = try JSONDecoder().decode(
                RunSummary.self,
                from: Data(verified.output.utf8)
            )
            #expect(summary.counts.planned == 14 && summary.counts.passed == 14)
            #expect(summary.comparisons.identicalByDigest == 12)
        }
    }
}
