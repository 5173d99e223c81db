import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

extension Documented {
    /// The workflow of docs/ios.md for an iOS team, on stand-ins for its Mac, its Git host and its
    /// CI.
    @Suite("An iOS team's way by docs/ios.md", .serialized)
    struct AppDayTests {
        /// Sections that another suite runs: `BuiltOnceTests` runs this one.
        private static let elsewhere: Set<String> = ["One build, six CI jobs"]

        private let place: AppPlace

        init() throws { place = try AppPlace() }

        @Test("every command and file of the guide leads from a clone to green jobs of the CI")
        func guide() throws {
            var section = ""
            var counts: [String: Int] = [:]
            for block in try Guide("ios.md").blocks where !Self.elsewhere.contains(block.section) {
                if block.section != section { try prepare(block.section) }
                section = block.section
                counts[block.language, default: 0] += 1
                try run(block)
                #expect(try place.simulatorsLeft() == "", "after \(section)")
            }
            #expect(counts == ["sh": 6, "yaml": 3, "ruby": 1, "swift": 1])
        }

        private func run(_ block: Guide.Block) throws {
            if let file = block.file { try place.folder.write("app/" + file, block.text) }
            switch (block.language, block.file) {
            case ("sh", nil):
                for command in block.commands {
                    let said = try place.run(command.words, status: command.status)
                    try check(command.words, said)
                }
            case ("sh", _), ("yaml", "snapfarm.yaml"): break
            case ("yaml", ".circleci/config.yml"): try circleCI()
            case ("yaml", "bitrise.yml"): try bitrise()
            case ("ruby", _): try fastlane(block)
            // The stand-in's tests read the variable as this code does.
            case ("swift", nil): #expect(block.text.contains("SNAPSHOT_TEST_RECORD_MODE"))
            default: Issue.record("nobody runs a block of \(block.language) in \(block.section)")
            }
        }

        /// Prepares a section that has no command of its own.
        private func prepare(_ section: String) throws {
            guard section == "Every day" else { return }
            try place.write(balance: #", "look": "larger""#)
        }

        /// Checks the output of some commands.
        private func check(_ command: String, _ said: String) throws {
            let words = [
                "snapfarm plan snapfarm.yaml": ["screens  snapshot, xcodebuild", "iPhone-16_18.5"],
                "snapfarm refs import": ["3 pictures", "2 cells"],
                "snapfarm run snapfarm.yaml --mode record": ["Recorded: 1 new"],
                "snapfarm approve": ["Approved 2 changed"],
                "snapfarm refs push": ["pushed"],
            ]
            for (start, texts) in words where command.hasPrefix(start) {
                for text in texts { #expect(said.contains(text), "\(command): \(said)") }
            }
        }

        // MARK: jobs

        private func circleCI() throws {
            let commit = try place.commitAll("CircleCI")
            let machine = try place.machine("circleci")
            let variables = [
                "CIRCLECI": "true", "CI": "true", "CIRCLE_SHA1": commit,
                "CIRCLE_BRANCH": "main", "CIRCLE_WORKFLOW_ID": "w-1", "CIRCLE_PIPELINE_ID": "p-1",
                "CIRCLE_WORKFLOW_JOB_ID": "j-1", "CIRCLE_NODE_INDEX": "0",
                "CIRCLE_NODE_TOTAL": "1", "CIRCLE_BUILD_URL": "https://ci.example.org/1",
            ]
            let steps = try place.steps(
                """
                jobs = config["jobs"]
                assert list(jobs) == config["workflows"]["test"]["jobs"] == ["tests"], jobs
                assert jobs["tests"]["macos"]["xcode"], jobs
                steps = jobs["tests"]["steps"]
                assert steps[0] == "checkout", steps
                for step in steps[1:]:
                    kind, value = next(iter(step.items()))
                    if kind == "run":
                        show("run", value if isinstance(value, str) else value["command"])
                    elif kind in ("store_test_results", "store_artifacts"):
                        show("store", value["path"])
                    else:
                        assert kind in ("restore_cache", "save_cache"), kind
                """,
                of: ".circleci/config.yml"
            )
            for step in steps where step.kind == "run" {
                _ = try machine.run(step.text, variables, shell: ["bash", "-eo", "pipefail", "-c"])
            }
            try machine.checkGreen(commit: commit)
            for step in steps where step.kind == "store" {
                #expect(machine.exists(step.text), "the job stores \(step.text)")
            }
            #expect(steps.filter { $0.kind == "store" }.count == 2)
        }

        private func bitrise() throws {
            let commit = try place.commitAll("Bitrise")
            let machine = try place.machine("bitrise")
            let variables = [
                "BITRISE_IO": "true", "CI": "true", "BITRISE_BUILD_SLUG": "b-1",
                "BITRISE_GIT_COMMIT": commit,
                "BITRISE_GIT_BRANCH": "main", "BITRISE_DEPLOY_DIR": machine.path + "-deploy",
                "BITRISE_TEST_RESULT_DIR": machine.path + "-results",
            ]
            let steps = try place.steps(
                """
                steps = [next(iter(step.items())) for step in config["workflows"]["test"]["steps"]]
                assert steps[0][0].startswith("git-clone@"), steps
                assert steps[-1][0].startswith("deploy-to-bitrise-io@"), steps
                assert steps[-1][1]["is_always_run"] is True, steps
                for name, step in steps[1:-1]:
                    assert name.startswith("script@"), name
                    show("run", step["inputs"][0]["content"])
                """,
                of: "bitrise.yml"
            )
            for step in steps {
                _ = try machine.run(step.text, variables, shell: ["bash", "-c"])
            }
            try machine.checkGreen(commit: commit)
            #expect(machine.exists("../bitrise-results/app/results.xml"))
        }

        /// Runs what the lanes give to a shell, in the folder in which fastlane does.
        private func fastlane(_ block: Guide.Block) throws {
            let calls = block.text.matches(of: #/sh\("(?<words>[^"]+)"\)/#)
            #expect(calls.count == 1)
            for call in calls {
                for mode in ["verify", "record"] {
                    let words = String(call.output.words).replacing("#{mode}", with: mode)
                    let said = try place.run(words, in: "app/fastlane")
                    // No picture has changed since the last run.
                    let text = mode == "record" ? "names them already" : "as expected"
                    #expect(said.contains(text), "\(said)")
                }
            }
        }
    }
}
