import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("What workers offer and cells need", .serialized)
    struct PlacementTests {
        /// Gives the project's unit job these needs.
        private func needy(_ project: Project, _ needs: String) throws -> Project {
            let text = project.text("app.yaml").replacing(
                "    discover: cat units",
                with: "    needs: \(needs)\n    discover: cat units"
            )
            try project.folder.write("app.yaml", text)
            return project
        }

        @Test("plan says what each cell needs")
        func planned() throws {
            let project = try needy(Project(), "{lab: true, os: linux}")
            let plan = try project.program().run(["plan", "app.yaml"])
            let cells = plan.output.split(separator: "\n").filter { $0.contains("needs") }
            #expect(cells.count == 1 && cells[0].hasSuffix(", needs lab and os linux"))
            let json = try project.program().run(["plan", "app.yaml", "--json"])
            #expect(json.output.contains("\"needs\" : \"lab and os linux\""), "\(json.output)")
        }

        @Test("a run here ends with what it could do and says what this machine does not have")
        func embedded() throws {
            let project = try needy(Project(), "{lab: true, os: linux}")
            let recorded = try project.run(["--mode", "record", "--select", "job=snapshot_test"])
            #expect(recorded.status == 0, "\(recorded.said)")
            let ending = try project.run()
            #expect(ending.status == 2, "\(ending.said)")
            let reason = "no worker offers lab and os linux; the nearest, w1-"
            #expect(ending.errors.contains(reason), "\(ending.said)")
            let summary = try project.summary()
            #expect(summary.counts.withoutVerdict == 3 && summary.counts.passed == 4)
            let problem = summary.problems.first { $0.code == "unplaceable" }
            #expect(
                problem?.message.contains("3 tests of unit_test on host are unplaceable") == true
            )
            let resumed = try project.run(["--offer", "lab", "--resume"])
            #expect(resumed.status == 0, "\(resumed.said)")
            let wrong = try project.run(["--offer", "Lab"])
            #expect(wrong.status == 64 && wrong.errors.contains("no name of something"))
        }

        /// Waits until `why` prints a text about a run.
        private func wait(_ program: Program, _ words: [String], for text: String) throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(90)
            while ContinuousClock.now < deadline {
                if try program.run(words).output.contains(text) { return true }
                Thread.sleep(forTimeInterval: 0.5)
            }
            return false
        }

        @Test("the only worker that fits is killed mid-shard: the run waits, says so, and goes on")
        func fleet() throws {
            let project = try needy(Project(units: 6), "{gpu: \">=3\"}")
            let gate = project.folder.file("gate")
            try project.folder.write(
                "act-unit",
                "while [ ! -e \(gate) ]; do sleep 0.05; done\n"
            )
            let fleet = try Fleet(project)
            try fleet.serve()
            let plain = try fleet.startWorker("plain", offering: ["gpu=2.10"])
            let program = try fleet.submitting()
            let place = ["--coordinator", fleet.url]
            let following = try program.start(
                ["run", "app.yaml", "--select", "job=unit_test"] + place
            )
            let words = "no worker offers gpu >=3; the nearest, plain, offers gpu 2.10"
            #expect(following.wait(seconds: 60) { following.errors.contains(words) })
            let runs = try program.run(["runs"] + place).output
            let newest = runs.split(separator: "\n").dropFirst().first?.split(separator: " ")
            let run = String(try #require(newest?.first))
            let why = ["why", run] + place
            let stuck = "unit_test on host: 6 of 6 open: unplaceable: \(words).\n"
            #expect(try program.run(why).output.contains(stuck))
            let able = try fleet.startWorker("able", offering: ["gpu=3.1"])
            #expect(able.wait(seconds: 60) { able.errors.contains("tests of unit_test") })
            #expect(try program.run(why).output.contains("6 of 6 open.\n"))
            able.kill()
            // Its lease ends; everything waits again, since no other worker fits.
            #expect(try wait(program, why, for: stuck))
            try fleet.project.folder.write("gate", "")
            _ = try fleet.startWorker("again", offering: ["gpu=3.1"])
            let ending = following.ending(within: 120)
            #expect(ending.status == 0, "\(ending.said)")
            #expect(try fleet.project.summary().counts.passed == 6)
            #expect(!plain.errors.contains("tests of unit_test"))
            #expect(
                plain.errors.contains("may run no cell of run \(run): the nearest needs gpu >=3")
            )
            let workers = try program.run(["workers"] + place).output
            #expect(workers.contains("arch") && workers.contains("gpu 2.10"), "\(workers)")
            let json = try program.run(["workers", "--json"] + place).output
            #expect(json.contains("\"gpu\" : [") && json.contains("\"os\" : ["), "\(json)")
        }
    }
}
