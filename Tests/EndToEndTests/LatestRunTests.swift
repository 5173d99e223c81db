import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("The runs of this machine", .serialized)
    struct LatestRunTests {
        private func table(_ ending: ProcessEnding) -> [String] {
            #expect(ending.status == 0, "\(ending.said)")
            return ending.output.split(separator: "\n").map(String.init)
        }

        @Test("are listed without a coordinator, the newest first, at most as many as asked for")
        func listed() throws {
            let project = try Project(devices: ["A"], units: 1)
            let program = project.program()
            #expect(try program.run(["runs"]).errors.contains("there are no runs"))
            #expect(try project.run(["--mode", "record"]).status == 0)
            let recorded = try project.summary().run.id
            #expect(try project.run().status == 0)
            let verified = try project.summary().run.id
            let rows = table(try program.run(["runs"]))
            #expect(rows.count == 3, "\(rows)")
            #expect(rows.first?.hasPrefix("RUN ") == true)
            #expect(rows.dropFirst().first?.hasPrefix(verified) == true, "\(rows)")
            #expect(rows.last?.hasPrefix(recorded) == true, "\(rows)")
            #expect(
                rows.last?.contains(" passed ") == true && rows.last?.contains("record") == true
            )
            #expect(table(try program.run(["runs", "--limit", "1"])).count == 2)
            #expect(table(try program.run(["runs", "--data", ".snapfarm"])).count == 3)
            let nothing = try program.run(["runs", "--data", "none"])
            #expect(nothing.status == 65 && nothing.errors.contains("holds no runs"))
        }

        @Test("are listed with branch and commit")
        func place() throws {
            let project = try Project(devices: ["A"], units: 1)
            let runs: [(String, String, [String])] = [
                ("feature/cart", "c0ffee", ["--mode", "record"]), ("main", "beef", []),
            ]
            for (branch, commit, words) in runs {
                let environment = [
                    "CIRCLECI": "true", "CIRCLE_BRANCH": branch, "CIRCLE_SHA1": commit,
                    "CIRCLE_WORKFLOW_ID": branch,
                ]
                #expect(try project.run(words, environment: environment).status == 0)
            }
            let table = try project.program().run(["runs"])
            #expect(try table.column("BRANCH") == ["main", "feature/cart"], "\(table.output)")
            #expect(try table.column("COMMIT") == ["beef", "c0ffee"], "\(table.output)")
        }

        @Test("approve --run latest takes the newest complete run with a picture to decide about")
        func latest() throws {
            let project = try Project(devices: ["A"], units: 1)
            let program = project.program()
            let words = ["approve", "--run", "latest"]
            #expect(try program.run(words).status == 65)
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(
                try program.run(words).errors.contains("has a picture left to approve or reject")
            )
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let run = try project.summary().run.id
            // A newer run has no picture to decide about.
            #expect(try project.run(["--select", "job=unit_test"]).status == 0)
            let rejected = try program.run(["reject", "--run", "latest", "--dry-run"])
            #expect(rejected.status == 0, "\(rejected.said)")
            #expect(rejected.output.contains(run))
            let approved = try program.run(words)
            #expect(approved.status == 0, "\(approved.said)")
            #expect(approved.output.contains("Approved 1 changed of run \(run)"))
            #expect(try project.run().status == 0)
        }

        @Test("approve --run ID finds the run's own pipeline file among several")
        func ownFile() throws {
            let project = try Project(devices: ["A"], units: 1)
            let other = project.text("app.yaml").replacing("name: app", with: "name: other")
                .replacing("pin: snapfarm.refs", with: "pin: other.refs")
            try project.folder.write("other.yaml", other)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let run = try project.summary().run.id
            let approved = try project.program().run(["approve", "--run", run])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(!project.exists("other.refs"))
            try project.folder.write("copy.yaml", project.text("app.yaml"))
            let several = try project.program().run(["approve", "--run", run])
            #expect(several.status == 64, "\(several.said)")
            #expect(several.errors.contains("app.yaml, copy.yaml"), "\(several.said)")
        }
    }
}
