import FarmCore
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

        @Test("the iOS pipeline runs against the stand-in for xcodebuild")
        func ios() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().path
            let state = try TemporaryFolder("ios")
            _ = try Shell.run("cp -r '\(root)/pipelines' '\(state.path)/'")
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
