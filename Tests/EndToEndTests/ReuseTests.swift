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

        /// Makes a project in Git with nine pages: each has a picture of its own, and all share a
        /// style; `unit` is the command of a unit test.
        private func pages(unit: String = "true") throws -> Project {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 80, height: 60, scale: 1}]
                jobs:
                  shots: {kind: snapshot, driver: webdriver, scenes: scenes.yaml, reuse: true}
                  unit: {kind: unit, driver: command, discover: echo unit/1, run: \(unit)}
                """
            )
            var scenes = "scenes:\n"
            for number in 0..<9 {
                scenes += "  - {suite: S, name: p\(number), file: web/p\(number).html}\n"
                try project.folder.write(
                    "web/p\(number).html",
                    "<link rel=stylesheet href=all.css><p>\(number)<img src=p\(number).svg>"
                )
                try project.folder.write("web/p\(number).svg", Self.square("red"))
            }
            try project.folder.write("web/all.css", "p { margin: 3px }")
            try project.folder.write("scenes.yaml", scenes)
            return try RedOfTests.Repository(project).project
        }

        @Test("records nothing of a page whose file was written while the run went on")
        func writtenMeanwhile() throws {
            let project = try pages(unit: "cp web/p7.svg web/p8.svg")
            #expect(try run(project).status == 0)
            let second = try run(project)
            #expect(second.status == 0, "\(second.said)")
            #expect(try project.summary().counts.inherited == 3)
        }

        private static func square(_ colour: String) -> String {
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>"
                + "<rect width='9' height='9' fill='\(colour)'/></svg>"
        }

        @Test("knows the files of each page, and captures those that a change may reach")
        func webPages() throws {
            let project = try pages()
            #expect(try run(project).status == 0)
            let second = try run(project)
            #expect(second.status == 0, "\(second.said)")
            #expect(try project.summary().counts.inherited == 4)
            #expect(second.output.contains("inputs of job shots (web/all.css, "), "\(second.said)")
            let sampled = Set(
                try project.summary().tests.filter { $0.verdict == .passed }.map(\.test)
            )
            // A file of one page, which the next sample may contain by chance.
            try project.folder.write("web/p3.svg", Self.square("blue"))
            let changed = try run(project)
            #expect(changed.status == 1, "\(changed.said)")
            #expect(!changed.output.contains("input-missing"), "\(changed.said)")
            let summary = try project.summary()
            #expect(summary.counts.changed == 1 && summary.counts.inherited == 3)
            #expect(Set(summary.tests.filter { $0.verdict == .passed }.map(\.test)) != sampled)
            try project.folder.write("web/all.css", "p { margin: 4px }")
            let all = try run(project)
            #expect(all.status == 1, "\(all.said)")
            #expect(try project.summary().counts.changed == 9)
            try project.folder.write("web/all.css", "p { margin: 3px }")
            try project.folder.write("web/p3.svg", Self.square("red"))
            // The scene's own entry, and nothing else, counts of the scenes file.
            let scenes = project.text("scenes.yaml")
            #expect(try run(project).status == 0)
            try project.folder.write(
                "scenes.yaml",
                scenes.replacing("web/p8.html}", with: "web/p8.html, wait: {milliseconds: 1}}")
            )
            #expect(try run(project).status == 0)
            #expect(try project.summary().counts.inherited == 3)
            // A page that reads what is no file is captured each time.
            try project.folder.write(
                "web/p0.html",
                "<script>new WebSocket('ws://127.0.0.1:9')</script>"
            )
            let socket = try run(project)
            #expect(socket.errors.contains("1 test will run each time: 1 reads a WebSocket (S/p0)"))
        }

        @Test("knows the products that Xcode built, and runs all tests of other ones")
        func xcode() throws {
            let app = try PaymentApp.recorded()
            try app.project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices: [iPhone 16 (18.5)]
                jobs:
                  unit_test: {kind: unit, driver: xcodebuild, workspace: Pay.xcworkspace, scheme: Pay,
                    targets: [PayTests], reuse: true}
                """
            )
            let mac = try StandInMac()
            func inherited(tests: Int) throws -> Int {
                let names = (0..<tests).map { #""AmountTests/test\#($0)""# }
                try app.project.folder.write(
                    "Pay.xcworkspace/standin.json",
                    """
                    {"app": "Pay", "schemes": {"Pay": {"targets": ["PayTests"]}}, "targets": {"PayTests":
                      {"kind": "unit", "host": "Pay", "tests": [\(names.joined(separator: ", "))]}}}
                    """
                )
                let ending = try app.run(["--history", ".snapfarm/history.json"], on: mac)
                #expect(ending.status == 0, "\(ending.said)")
                let summary = try app.project.summary()
                #expect(summary.counts.planned == tests)
                return summary.counts.inherited
            }
            #expect(try inherited(tests: 8) == 0)
            #expect(try inherited(tests: 8) == 3)
            #expect(try inherited(tests: 9) == 0)
        }
    }
}
