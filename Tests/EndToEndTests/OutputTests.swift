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
            let links = page.matches(of: /(?:src|href)="([^"]*\.png)"/)
            let shown = Set(links.map { String($0.output.1) })
            #expect(shown == Set(names.filter { $0.hasSuffix(".png") }))
            // Both cells drew the same bytes, so they share files.
            #expect(shown.count == 3)
            #expect(links.count >= 6)
        }

        /// Returns a project with a changed, a new, a missing and an unstable picture.
        private func eventful() throws -> Project {
            let project = try Project(
                scenes: ["one", "two", "gone", "five"],
                devices: ["A"],
                extra: "    retries: 1"
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\ntwo\ngone\nfive\nthree\n")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            try project.folder.write("pictures/three.png", Project.png(shade: 30))
            try project.folder.write("act/gone", "exit 0\n")
            for shade in [98, 99] {
                try project.folder.write("take\(shade).png", Project.png(shade: UInt8(shade)))
            }
            try project.folder.write(
                "act/five",
                """
                echo x >> takes
                mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                picture=take98.png
                [ $(( $(wc -l < takes) % 2 )) = 1 ] || picture=take99.png
                cp $picture "$SNAPFARM_CAPTURE_DIR/Suite/five.png"

                """
            )
            return project
        }

        @Test(
            "the zip's page, opened from a disk without a network, shows every picture",
            .enabled(if: LocalScenes.haveBrowser, "needs: apt-get install -y chromium-driver")
        )
        func opened() throws {
            let project = try eventful()
            #expect(try project.run().status == 1)
            let verdicts = Set(try project.summary().snapshots.map(\.verdict))
            #expect(verdicts == [.passed, .changed, .new, .missing, .flaky])
            let zip = project.folder.file("snapfarm-out/FailureDiffs.zip")
            let place = try TemporaryFolder("opened")
            #expect(try TestProcess.run(["unzip", "-q", zip, "-d", place.path]).status == 0)
            // No host name resolves, and the window is tall enough that no picture is loaded
            // lazily.
            let browser = [
                "/usr/lib/chromium/chromium-headless-shell",
                "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,20000",
                "--virtual-time-budget=10000", "--dump-dom",
            ]
            let root = geteuid() == 0 ? ["--no-sandbox"] : []
            let dom = try TestProcess.run(
                browser + root + ["file://" + place.file("index.html")]
            )
            let pictures = dom.output.matches(of: #/<img [^>]*>/#).map { String($0.output) }
            // Three each for the changed and the unstable picture, one each for the missing and the
            // new one.
            #expect(pictures.count == 8, "\(dom.said)\n\(dom.output)")
            // The page's script stores the natural width of each loaded picture.
            for picture in pictures { #expect(picture.contains("--iw: 8;"), "\(picture)") }
        }

        @Test("the last lines of a red run are the report and the command that accepts it")
        func lastLines() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            let result = try project.run()
            let run = try project.summary().run.id
            let lines = result.output.split(separator: "\n")
            #expect(lines.dropLast(3).last?.hasPrefix("Report: ") == true, "\(result.output)")
            #expect(lines.dropLast().last == "Review: snapfarm review app.yaml --run \(run)")
            #expect(
                lines.last == "Accept: snapfarm approve app.yaml --run \(run) --reason \"…\"",
                "\(result.output)"
            )
        }

        @Test("a crash's own words come first, then its log, in terminal, page and JUnit")
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
            #expect(result.output.contains("  \(words)\n  \(path)\n"), "\(result.output)")
            #expect(project.text("snapfarm-out/junit.xml").contains("message=\"\(words)\""))
            let page = project.text("snapfarm-out/report/index.html")
            #expect(page.contains(">\(words)\n") && page.contains("\n\(path)"))
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
            #expect(page.contains("Another attempt"))
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
            #expect(result.output.contains("__Snapshots__/Cart/one.png"), "\(result.output)")
            #expect(!result.output.contains("pictures/one.png."), "\(result.output)")
        }

        @Test("a picture whose path no file system takes is named, and all else is written")
        func unplaced() throws {
            let long = String(repeating: "n", count: 180)
            let project = try Project(scenes: ["one", long], devices: ["A"], units: 1)
            // The folder's path is so long that everything but that picture fits below it.
            let room = Int(PATH_MAX) - 190 - project.folder.path.utf8.count - 1
            let letters = (0..<room).map { place -> Character in
                place % 200 == 199 && place < room - 1 ? "/" : "d"
            }
            let output = String(letters)
            let result = try project.run(["--mode", "record", "--output", output])
            #expect(result.status == 0, "\(result.said)")
            #expect(result.output.contains("no place in the output folder"), "\(result.output)")
            let summary = try project.summary(output)
            #expect(summary.problems.contains { $0.code == "pictures-not-placed" })
            #expect(summary.snapshots.count == 2)
            #expect(project.exists(output + "/captures/A/Suite/one.png"))
            #expect(project.exists(output + "/report/index.html"))
        }
    }
}
