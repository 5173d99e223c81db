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
            #expect(next.status == 0, "\(next.errors)")
            let runs = try project.program().run(["runs", "--data", ".snapfarm"])
            #expect(runs.output.contains("unjudgeable"), "\(runs.output)\(runs.errors)")
            #expect(runs.output.contains("the run cannot be judged"), "\(runs.output)")
            #expect(try project.program().run(["check", "--data", ".snapfarm"]).status == 0)
        }
    }
}
