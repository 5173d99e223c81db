import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Killed processes", .serialized)
    struct SurvivalTests {
        private func slowProject() throws -> Project {
            let project = try Project(
                scenes: (0..<6).map { "s\($0)" },
                devices: ["A", "B"],
                units: 10
            )
            try project.folder.write("act-unit", "sleep 0.15")
            return project
        }

        private func verdicts(_ project: Project) throws -> [String] {
            try project.summary().tests.map {
                "\($0.job) \($0.cell) \($0.test) \($0.verdict?.rawValue ?? "none")"
            }
        }

        /// Checks the data folder of the surviving run, byte for byte.
        private func expectSound(_ project: Project) throws {
            let check = try project.program().run(["check", "--deep"])
            #expect(check.status == 0, "\(check.output)")
        }

        @Test("a worker killed by SIGKILL in the middle loses nothing")
        func workerKilled() throws {
            let project = try slowProject()
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run().status == 0)
            let expected = try verdicts(project)
            let running = try project.program().start(["run", "app.yaml"])
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            #expect(running.wait(seconds: 20) { !processes(naming: scratch).isEmpty })
            Thread.sleep(forTimeInterval: 0.4)
            for worker in processes(naming: scratch).prefix(1) { kill(worker, SIGKILL) }
            let result = running.ending(within: 90)
            #expect(result.status == 0, "\(result.said)")
            #expect(result.errors.contains("killed by signal 9"), "\(result.said)")
            let flaky = "flaky"
            // The test that ran when its worker died passed in another attempt.
            #expect(
                try verdicts(project).map { $0.replacingOccurrences(of: flaky, with: "passed") }
                    == expected
            )
            try expectSound(project)
        }

        @Test("a run killed by SIGKILL and resumed has the verdicts of an uninterrupted one")
        func runKilled() throws {
            let project = try slowProject()
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run().status == 0)
            let expected = try verdicts(project)
            let running = try project.program().start(["run", "app.yaml"])
            #expect(running.wait(seconds: 20) { running.errors.contains("workers") })
            Thread.sleep(forTimeInterval: 0.5)
            kill(running.pid, SIGKILL)
            #expect(running.ending(within: 10).status == 128 + 9)
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            #expect(
                running.wait(seconds: 10) { processes(naming: scratch).isEmpty },
                "workers leave"
            )
            try expectSound(project)
            let resumed = try project.run(["--resume"])
            #expect(resumed.status == 0, "\(resumed.said)")
            #expect(try verdicts(project) == expected)
            #expect(try project.run(["--resume"]).status == 65)
            try expectSound(project)
        }

        @Test("Ctrl-C stops the tests, ends in 130, says how to resume; resuming finishes the run")
        func interrupted() throws {
            let project = try slowProject()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let running = try project.program().start(["run", "app.yaml"])
            #expect(running.wait(seconds: 20) { running.errors.contains("workers") })
            Thread.sleep(forTimeInterval: 0.4)
            kill(running.pid, SIGINT)
            let stopped = running.ending(within: 30)
            #expect(stopped.status == 130, "\(stopped.said)")
            #expect(stopped.output.contains("--resume"))
            #expect(try project.summary().state == .cancelled)
            #expect(processes(naming: project.folder.path).isEmpty)
            try expectSound(project)
            #expect(try project.run(["--resume"]).status == 0)
            #expect(try project.summary().counts.passed == 22)
        }

        @Test("Ctrl-C while tests are looked for ends in 130 and leaves no process behind")
        func interruptedDiscovery() throws {
            let project = try Project()
            try project.folder.write("units", "")
            try project.folder.write(
                "app.yaml",
                project.text("app.yaml").replacing("cat units", with: "sleep 77")
            )
            let running = try project.program().start(["run", "app.yaml", "--mode", "record"])
            #expect(running.wait(seconds: 20) { !processes(naming: "sleep\u{0}77").isEmpty })
            kill(running.pid, SIGINT)
            let stopped = running.ending(within: 20)
            #expect(stopped.status == 130, "\(stopped.said)")
            #expect(processes(naming: "sleep\u{0}77").isEmpty)
        }

        @Test("a second Ctrl-C kills at once")
        func killedTwice() throws {
            let project = try Project(devices: ["A"], units: 1, testLimit: "4s")
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act-unit", "trap '' TERM INT; sleep 1.8; sleep 1.8")
            let running = try project.program().start(["run", "app.yaml"])
            #expect(running.wait(seconds: 20) { running.errors.contains("workers") })
            Thread.sleep(forTimeInterval: 0.5)
            kill(running.pid, SIGINT)
            #expect(running.wait(seconds: 10) { running.errors.contains("once more to kill") })
            Thread.sleep(forTimeInterval: 0.1)
            kill(running.pid, SIGINT)
            #expect(running.ending(within: 10).status == 130)
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            #expect(running.wait(seconds: 10) { processes(naming: scratch).isEmpty })
        }
    }
}
