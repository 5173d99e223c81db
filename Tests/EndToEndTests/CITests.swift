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
            let port = try TestPort.reserved()
            let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("FarmRunTests/CI/StandIn/github.py").path
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

        /// A script of the steps of the prune.
        ///
        /// Its first argument is the file; its second replaces `--yes`.
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
            let file = Self.root + "/pipelines/circleci/prune.yml"
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
            #expect(recorded.status == 0, "\(recorded.said)")
            let verified = try program.run(run + ["--json"])
            #expect(verified.status == 0, "\(verified.said)")
            let summary = try JSONDecoder().decode(
                RunSummary.self,
                from: Data(verified.output.utf8)
            )
            #expect(summary.counts.planned == 14 && summary.counts.passed == 14)
            #expect(summary.comparisons.identicalByDigest == 12)
        }
    }
}
