import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("What people read of a red run")
    struct OutputTests {
        @Test("the zip opens by itself: its page shows pictures that it holds, and all of them")
        func zip() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let names = try TestProcess.run([
                "unzip", "-Z1", project.folder.file("snapfarm-out/FailureDiffs.zip"),
            ]).output.split(separator: "\n").map(String.init)
            let page = project.text("snapfarm-out/FailureDiffs/index.html")
            #expect(names.contains("index.html"))
            let shown = Set(page.matches(of: /src="([^"]*)"/).map { String($0.output.1) })
            #expect(shown == Set(names.filter { $0.hasSuffix(".png") }))
            #expect(shown.count == 6)
        }

        @Test("the last lines of a red run are the report and the command that accepts it")
        func lastLines() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            let result = try project.run()
            let run = try project.summary().run.id
            let lines = result.errors.split(separator: "\n")
            #expect(lines.dropLast(2).last?.hasPrefix("Report: ") == true, "\(result.errors)")
            #expect(
                lines.last == "Accept: snapfarm approve app.yaml --run \(run) --reason \"…\"",
                "\(result.errors)"
            )
        }

        @Test("a crash's own words come first, with the path of its log, in terminal and JUnit")
        func crash() throws {
            let project = try Project(scenes: ["one"], devices: ["A"])
            let words = "Fatal error: Index out of range: file Cart.swift, line 12"
            try project.folder.write("act/one", "echo '\(words)' >&2; kill -ILL $$\n")
            let result = try project.run(["--mode", "record"])
            #expect(result.status == 1)
            let test = try #require(try project.summary().tests.first)
            #expect(test.message.hasPrefix(words), "\(test.message)")
            let path = try #require(test.message.split(separator: "\n").last)
            #expect(path.hasPrefix("Log: logs/snapshot_test/A-"), "\(test.message)")
            #expect(project.exists("snapfarm-out/" + path.dropFirst("Log: ".count)))
            #expect(result.errors.contains("  \(words)\n  \(path)\n"), "\(result.errors)")
            #expect(project.text("snapfarm-out/junit.xml").contains("message=\"\(words)\""))
        }

        @Test("of an unstable picture both takes and their difference are shown")
        func unstable() throws {
            let project = try Project(scenes: ["one"], devices: ["A"])
            try project.folder.write("other.png", Project.png(shade: 99))
            try project.folder.write(
                "act/one",
                """
                echo x >> takes
                mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                picture=other.png
                [ $(wc -l < takes) = 1 ] || picture=pictures/one.png
                cp $picture "$SNAPFARM_CAPTURE_DIR/Suite/one.png"

                """
            )
            #expect(try project.run(["--mode", "record"]).status == 1)
            let files = try #require(try project.summary().snapshots.first).files
            let roles = ["other", "failed", "diff"].compactMap { files[$0] }
            #expect(roles.count == 3, "\(files)")
            #expect(roles.allSatisfy { project.exists("snapfarm-out/" + $0) })
            let page = project.text("snapfarm-out/report/index.html")
            #expect(page.contains("Another take"))
            #expect(roles.allSatisfy { page.contains("src=\"../\($0)\"") })
        }

        @Test("a job without pictures is told which pictures its tests wrote elsewhere")
        func strays() throws {
            let project = try Project(scenes: ["one"], devices: ["A"])
            try project.folder.write(
                "act/one",
                "mkdir -p __Snapshots__/Cart; cp pictures/one.png __Snapshots__/Cart/one.png\n"
            )
            let result = try project.run(["--mode", "record"])
            #expect(result.status == 1)
            #expect(result.errors.contains("__Snapshots__/Cart/one.png"), "\(result.errors)")
            #expect(!result.errors.contains("pictures/one.png."), "\(result.errors)")
        }
    }
}
