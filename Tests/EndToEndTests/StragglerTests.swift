import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Tests that take far longer than they should", .serialized)
    struct StragglerTests {
        @Test("a test that hangs on one worker keeps nobody waiting, and passes on another")
        func hangsOnce() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 40)
            let pipeline = Project.pipeline(devices: ["A"], testLimit: "15s")
            try project.folder.write(
                "app.yaml",
                pipeline.replacing("kind: unit", with: "kind: unit\n    retries: 1")
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            let learned = ["--history", "history.json", "--workers", "2"]
            #expect(try project.run(learned).status == 0)
            // The first test that makes the folder hangs; it hangs only once.
            try project.folder.write(
                "act-unit",
                "if [ $1 = unit/3 ] && mkdir hung 2>/dev/null; then exec sleep 977; fi"
            )
            let result = try project.run(learned)
            #expect(result.status == 0, "\(result.said)")
            #expect(project.exists("hung"))
            let tests = try project.summary().tests
            let hung = tests.first { $0.test == "unit/3" }
            #expect(hung?.verdict == .flaky && hung?.attempts == 2)
            #expect(tests.count { $0.attempts > 1 } == 1)
            #expect(processes(naming: "sleep 977").isEmpty)
            let check = try project.program().run(["check", "--deep"])
            #expect(check.status == 0, "\(check.output)")
        }
    }
}
