import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// The kept pictures of a run under other rules; no test runs.
    @Suite("snapfarm judge", .serialized)
    struct JudgeTests {
        /// Returns a project with a red run: the picture `one` differs from its reference in one
        /// pixel on both devices.
        private func redProject() throws -> Project {
            let project = try Project(units: 1)
            try project.folder.write("test.sh", project.text("test.sh") + "\necho drawn\n")
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/one.png", Project.png(shade: 10, corner: 200))
            #expect(try project.run().status == 1)
            // A test that ran would fail.
            try project.folder.write("act/one", "exit 9")
            try project.folder.write("act/two", "exit 9")
            return project
        }

        private func judge(_ project: Project, _ words: String...) throws -> ProcessEnding {
            try project.program().run(["judge", "app.yaml"] + words)
        }

        private func verdicts(_ project: Project, _ output: String) throws -> [String: Verdict] {
            let rows = try project.summary(output).snapshots.map { ($0.id, $0.verdict) }
            return Dictionary(uniqueKeysWithValues: rows)
        }

        private func pipeline(_ project: Project, _ extra: String) throws {
            let text = project.text("app.yaml").replacing(
                "    discover: cat scenes",
                with: "    \(extra)\n    discover: cat scenes"
            )
            try project.folder.write("app.yaml", text)
        }

        @Test("says what the run said, with the same bytes each time, and no test runs")
        func repeated() throws {
            let project = try redProject()
            let run = try project.summary()
            let first = try judge(project, "--run", "latest", "--output", "a")
            #expect(first.status == 1, "\(first.said)")
            #expect(first.said.contains("no test ran"), "\(first.said)")
            #expect(try judge(project, "--run", run.run.id, "--output", "b").status == 1)
            for name in ["summary.json", "FailureDiffs.zip", "report/index.html", "junit.xml"] {
                let pair = try ["a", "b"].map {
                    try Data(contentsOf: URL(fileURLWithPath: project.folder.file("\($0)/\(name)")))
                }
                #expect(pair[0] == pair[1], "\(name)")
            }
            let judged = try project.summary("a")
            #expect(judged.snapshots.map(\.verdict) == run.snapshots.map(\.verdict))
            #expect(judged.counts == run.counts)
            #expect(judged.run.id.hasPrefix(run.run.id + "-"))
        }

        @Test("by a looser policy passes what it allows, and by a stricter one not any more")
        func policy() throws {
            let project = try redProject()
            let strict = project.text("app.yaml")
            try pipeline(project, "comparison: {policy: fb, overallTolerance: 0.1}")
            let loose = try judge(project, "--run", "latest", "--output", "loose")
            #expect(loose.status == 0, "\(loose.said)")
            #expect(try verdicts(project, "loose").values.allSatisfy { $0 == .passed })
            // The looser judgement has its own evidence.
            try project.folder.write("app.yaml", strict)
            let back = try judge(project, "--from", "loose", "--output", "back")
            #expect(back.status == 1, "\(back.said)")
            #expect(
                try verdicts(project, "back") == verdicts(project, "snapfarm-out"),
                "\(back.said)"
            )
        }

        @Test(
            "a button of the page judges again, and people decide about what is left",
            .enabled(if: TestBrowser.isInstalled, "needs: apt-get install -y chromium-driver"),
            arguments: ["--run", "--from"]
        )
        func button(place: String) throws {
            let project = try redProject()
            try project.folder.write("pictures/two.png", Project.png(shade: 250))
            try FileManager.default.removeItem(atPath: project.folder.file("act"))
            #expect(try project.run().status == 1)
            let origin = place == "--run" ? "latest" : "snapfarm-out/FailureDiffs.zip"
            let review = try RunningReview(project, [place, origin, "--no-open"])
            let browser = try TestBrowser()
            try browser.open(review.address)
            let changes = "document.querySelectorAll('.change').length"
            #expect(try browser.text(changes) == "2")
            try pipeline(project, "comparison: {policy: fb, overallTolerance: 0.1}")
            try browser.click("#judge button")
            #expect(try browser.waits(for: "\(changes) === 1"), "\(review.process.errors)")
            let notice = "document.querySelector('#notice').textContent.includes('no test ran')"
            #expect(try browser.text(notice) == "true")
            let loaded = "document.querySelector('.change img').naturalWidth > 0"
            #expect(try browser.waits(for: loaded))
            // People decide and publish as before.
            let accept = ".change button[value=accepted]"
            _ = try browser.text(
                "document.querySelector('\(accept)').scrollIntoView({block: 'center'})"
            )
            try browser.click(accept)
            #expect(try browser.waits(for: "!document.querySelector('#publish button').disabled"))
            let pin = project.text("snapfarm.refs")
            try browser.click("#publish button")
            let isPublished = review.process.wait(seconds: 60) {
                project.text("snapfarm.refs") != pin
            }
            #expect(isPublished, "\(review.process.errors)")
            let green = try judge(project, "--run", "latest", "--output", "a")
            #expect(green.status == 0, "\(green.said)")
        }

        @Test("over the pin of an approval is green, and over the old one red again")
        func pin() throws {
            let project = try redProject()
            try project.folder.write("old.refs", Data(project.text("snapfarm.refs").utf8))
            try FileManager.default.copyItem(
                atPath: project.folder.file("snapfarm-out/FailureDiffs.zip"),
                toPath: project.folder.file("kept.zip")
            )
            #expect(try project.program().run(["approve", "--run", "latest"]).status == 0)
            for (from, output) in [("kept.zip", "zip"), ("snapfarm-out", "folder")] {
                let ended = try judge(project, "--from", from, "--output", output)
                #expect(ended.status == 0, "\(ended.said)")
                #expect(try verdicts(project, output).values.allSatisfy { $0 == .passed })
            }
            let old = try judge(
                project,
                "--from",
                "kept.zip",
                "--pin",
                "old.refs",
                "--output",
                "old"
            )
            #expect(old.status == 1, "\(old.said)")
            #expect(try verdicts(project, "old") == verdicts(project, "snapfarm-out"))
        }

        @Test("excuses what a quarantine of now names")
        func quarantine() throws {
            let project = try redProject()
            let entry = #"{snapshot: "*/Suite/one", until: 2999-01-01, reason: "known"}"#
            let text = project.text("app.yaml") + "\nquarantine:\n  - \(entry)\n"
            try project.folder.write("app.yaml", text)
            let ended = try judge(project, "--run", "latest", "--output", "q")
            #expect(ended.status == 0, "\(ended.said)")
            #expect(try project.summary("q").quarantined?.count == 2, "\(ended.said)")
        }

        @Test("of a zip has no verdict for a picture that only the run's machine has")
        func lost() throws {
            let project = try Project(units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try pipeline(project, "comparison: {policy: fb, overallTolerance: 0.1}")
            try project.folder.write("pictures/one.png", Project.png(shade: 10, corner: 200))
            #expect(try project.run().status == 0)
            try project.folder.write(
                "app.yaml",
                project.text("app.yaml").replacing(
                    "    comparison: {policy: fb, overallTolerance: 0.1}\n",
                    with: ""
                )
            )
            let zip = "snapfarm-out/FailureDiffs.zip"
            let ended = try judge(project, "--from", zip, "--output", "lost")
            #expect(ended.status == 2, "\(ended.said)")
            #expect(ended.said.contains("2 tests have no verdict"), "\(ended.said)")
            let approved = try project.program().run(["approve", "app.yaml", "--from", "lost"])
            #expect(approved.status == 2, "\(approved.said)")
            #expect(approved.said.contains("of the judgement"), "\(approved.said)")
            #expect(!approved.said.contains("resume"), "\(approved.said)")
            // The output folder has all pictures.
            let whole = try judge(project, "--from", "snapfarm-out", "--output", "whole")
            #expect(whole.status == 1, "\(whole.said)")
            #expect(try project.summary("whole").counts.changed == 2)
        }

        @Test("names the cells, the device and the job of now that the kept pictures do not decide")
        func undecided() throws {
            let project = try redProject()
            let devices = (
                "  - {name: A, width: 8, height: 8, scale: 1}\n"
                    + "  - {name: B, width: 8, height: 8, scale: 1}",
                "  - {name: A, width: 9, height: 8, scale: 1}\n"
                    + "  - {name: C, width: 8, height: 8, scale: 1}"
            )
            let job = "  more: {kind: unit, driver: command, discover: cat units, run: \"true\"}\n"
            let text = project.text("app.yaml").replacing(devices.0, with: devices.1)
                .replacing("  snapshot_test:", with: job + "  snapshot_test:")
            try project.folder.write("app.yaml", text)
            let ended = try judge(project, "--run", "latest")
            #expect(ended.status == 1, "\(ended.said)")
            let run = try project.summary().run.id
            for line in [
                "job more is new; run \(run) has no test of it.",
                "job snapshot_test now has cells of which run \(run) has no picture: C.",
                "whose pictures of run \(run) are judged all the same: B.",
                "has another device now on cells whose pictures are those of run \(run): A.",
            ] {
                #expect(ended.said.contains(line), "\(line): \(ended.said)")
            }
        }

        @Test("of a pipeline that was renamed says so, and names the file that is needed")
        func renamed() throws {
            let project = try redProject()
            let text = project.text("app.yaml").replacing("name: app", with: "name: other")
            try project.folder.write("app.yaml", text)
            let ended = try project.program().run(["judge", "--run", "latest"])
            #expect(ended.status == 65, "\(ended.said)")
            #expect(ended.said.contains("is of a pipeline that is here now"), "\(ended.said)")
            #expect(!ended.said.contains("approve"), "\(ended.said)")
        }

        @Test("judges a merged run, and refuses its parts")
        func merged() throws {
            let project = try redProject()
            for name in ["one", "two"] {
                try FileManager.default.removeItem(atPath: project.folder.file("act/\(name)"))
            }
            for index in 0..<2 {
                let part = ["--shard", "\(index)/2", "--output", "part-\(index)"]
                #expect([0, 1].contains(try project.run(part).status))
            }
            let merge = ["merge", "part-0", "part-1", "--output", "whole"]
            #expect(try project.program().run(merge).status == 1)
            let whole = try judge(project, "--from", "whole", "--output", "a")
            #expect(whole.status == 1, "\(whole.said)")
            #expect(try verdicts(project, "a") == verdicts(project, "whole"))
            let part = try judge(project, "--from", "part-0", "--output", "b")
            #expect(part.status == 65, "\(part.said)")
            let run = try project.summary("part-0").run.id
            let own = try judge(project, "--run", run, "--output", "b")
            #expect(own.status == 65 && own.said.contains("is a part"), "\(own.said)")
        }

        @Test("refuses what it cannot judge, and says what to do")
        func refused() throws {
            let project = try redProject()
            let cases: [([String], Int32, String)] = [
                (["--run", "none"], 64, "no run none"),
                (["--from", "."], 65, "manifest.json"),
                ([], 64, "Name the run"),
                (["--from", "snapfarm-out", "--output", "snapfarm-out"], 64, "would be replaced"),
                (
                    ["--from", "snapfarm-out/FailureDiffs.zip", "--output", "snapfarm-out"], 64,
                    "would be replaced"
                ),
                (["--run", "latest", "--pin", "nothing"], 65, "nothing"),
                (
                    ["--run", "latest", "--pin", "pictures/one.png"], 78,
                    "pictures/one.png is no pin: it is a binary file"
                ),
            ]
            for (words, status, said) in cases {
                let ended = try project.program().run(["judge", "app.yaml"] + words)
                #expect(ended.status == status, "\(words): \(ended.status) \(ended.said)")
                #expect(ended.said.contains(said), "\(words): \(ended.said)")
            }
            try pipeline(project, "judge: framework")
            let other = try judge(project, "--run", "latest")
            #expect(other.status == 65, "\(other.said)")
            #expect(other.said.contains("another `judge:`"), "\(other.said)")
        }
    }
}
