// Tests of one run on machines of two CI providers: the key names the commit, not the provider.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension Documented {
    @Suite("Two CI providers in one run", .serialized)
    struct TwoProvidersTests {
        private static let commit = String(repeating: "be", count: 20)
        private static let said = [
            "CI": "true", "SNAPFARM_RUN_KEY": commit, "SNAPFARM_COMMIT": commit,
        ]
        private static let circle = said.merging(["CIRCLECI": "true", "CIRCLE_SHA1": commit]) { $1 }
            .merging(["CIRCLE_WORKFLOW_ID": "w-1"]) { $1 }
        /// GitHub names the merge commit that it tests.
        private static let gitHub = said.merging([
            "GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "9", "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_SHA": String(repeating: "f", count: 40),
        ]) { $1 }

        @Test("a half on CircleCI and a half on GitHub share one run of a coordinator")
        func coordinator() throws {
            let fleet = try Fleet()
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            // There are no other workers: each job lends its machine.
            let words = ["run", "app.yaml", "--coordinator", fleet.url, "--join"]
            func place(_ name: String) -> [String] { ["--output", name, "--data", "data-\(name)"] }
            var programs = [try fleet.submitting("work"), try fleet.submitting("work")]
            for (index, variables) in [Self.circle, Self.gitHub].enumerated() {
                programs[index].environment.merge(variables) { $1 }
            }
            let halves = try [
                programs[0].start(words + place("circle")),
                programs[1].start(words + place("github")),
            ]
            for half in halves {
                let ending = half.ending(within: 120)
                #expect(ending.status == 0, "\(ending.said)")
            }
            let runs = try ["circle", "github"].map { try fleet.project.summary($0).run }
            #expect(runs[0].id == runs[1].id && runs.allSatisfy { $0.commit == Self.commit })
            #expect(try fleet.project.summary("circle").counts.planned == 7)
        }

        @Test("a share of CircleCI and a share of GitHub merge into one run")
        func shares() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            for (index, variables) in [Self.circle, Self.gitHub].enumerated() {
                let share = ["SNAPFARM_SHARD_INDEX": "\(index)", "SNAPFARM_SHARD_TOTAL": "2"]
                let environment = variables.merging(share) { $1 }
                let ending = try project.run(
                    ["--output", "out-\(index)"],
                    environment: environment
                )
                #expect(ending.status == 0, "\(ending.said)")
            }
            let merged = try project.program().run(["merge", "out-0", "out-1", "--output", "out"])
            #expect(merged.status == 0, "\(merged.said)")
            let summary = try project.summary("out")
            #expect(summary.counts.passed == 7 && summary.run.commit == Self.commit)
        }
    }
}
