import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A run that nobody can judge any more", .serialized)
    struct UnjudgeableTests {
        @Test("an old open run whose references are gone is closed by the next run, and is named")
        func laptop() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act-unit", "sleep 5")
            let running = try project.program().start(["run", "app.yaml"])
            #expect(running.wait(seconds: 20) { running.errors.contains("workers") })
            kill(running.pid, SIGKILL)
            _ = running.ending(within: 10)
            for name in ["store.git", "snapfarm.refs", "act-unit"] {
                try FileManager.default.removeItem(atPath: project.folder.file(name))
            }
            try project.folder.write("pictures/one.png", Project.png(shade: 99))
            let next = try project.run(["--mode", "record"])
            #expect(next.status == 0, "\(next.said)")
            let runs = try project.program().run(["runs", "--data", ".snapfarm"])
            #expect(runs.output.contains("unjudgeable"), "\(runs.said)")
            #expect(runs.output.contains("the run cannot be judged"), "\(runs.output)")
            #expect(try project.program().run(["check", "--data", ".snapfarm"]).status == 0)
        }

        @Test("a run whose store vanishes before its end is named, ends in 78 and stays open")
        func vanishes() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            project.staysBroken = true
            let made = project.folder.file("made")
            let captures = "$SNAPFARM_CAPTURE_DIR/Suite"
            try project.folder.write(
                "act/one",
                "mkdir -p \"\(captures)\"\ncp pictures/one.png \"\(captures)/one.png\"\ntouch \(made)\n"
            )
            try project.folder.write(
                "act-unit",
                "while [ ! -e \(made) ]; do sleep 0.1; done\nrm -rf \(project.folder.file("store.git"))\n"
            )
            let run = try project.run(["--mode", "record", "--workers", "2"])
            #expect(run.status == 78, "\(run.said)")
            #expect(run.errors.contains("cannot be judged"), "\(run.said)")
            let summary = try project.summary()
            let problem = try #require(summary.problems.first { $0.code == "run-not-judged" })
            #expect(problem.message.contains("run \(summary.run.id) has ended"))
            let runs = try project.program().run(["runs", "--data", ".snapfarm"])
            #expect(runs.output.contains("running"), "\(runs.said)")
        }
    }
}
