import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Runs that inherit what is unchanged, with a history.
    @Suite("A run that inherits what is unchanged", .serialized)
    struct ReuseTests {
        /// Makes a project in Git whose twelve unit tests have reuse; its scenes have not.
        private func repository() throws -> RedOfTests.Repository {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 12)
            let pipeline = project.text("app.yaml").replacing(
                "discover: cat units",
                with: "discover: cat units\n    reuse: true\n    inputs: [units, \"src/**\"]"
            )
            try project.folder.write("app.yaml", pipeline)
            try project.folder.write("src/a", "a")
            return try RedOfTests.Repository(project)
        }

        private func run(_ project: Project, _ more: String...) throws -> ProcessEnding {
            try project.run(["--history", ".snapfarm/history.json"] + more)
        }

        @Test("names the run of each, and runs all that a change may reach, or a lie did")
        func whole() throws {
            let repository = try repository()
            let project = repository.project
            let first = try run(project)
            #expect(first.status == 0, "\(first.said)")
            #expect(first.errors.contains("all tests run: the history has no run"), "\(first.said)")
            let id = try project.summary().run.id
            let second = try run(project)
            #expect(second.status == 0, "\(second.said)")
            let summary = try project.summary()
            #expect(summary.counts.inherited == 7 && summary.counts.passed == 6)
            let others = summary.tests.filter { $0.verdict == .inherited }
            #expect(others.allSatisfy { $0.inheritedFrom == id && $0.job == "unit_test" })
            #expect(second.output.contains("3 inputs of job unit_test (src/a, test.sh, units)"))
            #expect(project.text("snapfarm-out/junit.xml").contains("it passed in run \(id)"))
            let judge = try project.program().run(["judge", "--run", "latest"])
            #expect(judge.status == 65 && judge.errors.contains("inherited verdicts"))

            try project.folder.write("src/b", "b")
            #expect(try run(project).status == 0)
            #expect(try project.summary().counts.inherited == 0)

            // Something that is no input makes all unit tests fail.
            try project.folder.write("hidden.txt", "")
            try project.folder.write("act-unit", "exit 1\n")
            let lie = try run(project)
            #expect(lie.status == 1, "\(lie.said)")
            #expect(lie.output.contains("reuse-input-missing: job unit_test"), "\(lie.said)")
            #expect(lie.output.contains("are no inputs: hidden.txt."), "\(lie.said)")
            try FileManager.default.removeItem(atPath: project.folder.file("act-unit"))
            let off = try run(project)
            #expect(off.status == 0 && off.errors.contains("one differed although"), "\(off.said)")
            #expect(try project.summary().counts.inherited == 0)
            #expect(try run(project).status == 0)
            #expect(try project.summary().counts.inherited == 7)
            #expect(try run(project, "--no-reuse").status == 0)
            #expect(try project.summary().counts.inherited == 0)
            let rate = try project.program().run(
                ["runs", "--reuse", "--history", ".snapfarm/history.json"]
            )
            #expect(rate.output.contains("7 runs: 21 of 91 tests inherited (23.0 %)"))
            #expect(rate.output.contains("15 sampled, 5 of these differed"), "\(rate.said)")
            let check = try project.program().run(["check", "--deep"])
            #expect(check.status == 0, "\(check.said)")
        }

        @Test("killed and resumed inherits the same, and no test is recorded whose inputs changed")
        func killed() throws {
            let project = try repository().project
            #expect(try run(project).status == 0)
            try project.folder.write("act-unit", "sleep 0.4\n")
            let words = ["run", "app.yaml", "--history", ".snapfarm/history.json"]
            let running = try project.program().start(words)
            #expect(running.wait(seconds: 20) { running.errors.contains("inherited from run") })
            kill(running.pid, SIGKILL)
            #expect(running.ending(within: 10).status == 128 + 9)
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            #expect(running.wait(seconds: 10) { processes(naming: scratch).isEmpty })
            let resumed = try project.program().run(words + ["--resume"])
            #expect(resumed.status == 0, "\(resumed.said)")
            #expect(try project.summary().counts.inherited == 7)
            #expect(try project.summary().counts.planned == 13)
            // The two halves of the run may have read different inputs.
            try project.folder.write("act-unit", "touch src/during\n")
            #expect(try run(project).status == 0)
            #expect(try project.summary().counts.inherited == 2)
            try FileManager.default.removeItem(atPath: project.folder.file("src/during"))
            try FileManager.default.removeItem(atPath: project.folder.file("act-unit"))
            #expect(try run(project).status == 0)
            #expect(try project.summary().counts.inherited == 0)
        }
    }
}
