// Tests of `snapfarm review` for runs from elsewhere: of a coordinator, and of an older program
// whose zip has no summary.
import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite(
        "Review of a run from elsewhere",
        .serialized,
        .enabled(if: TestBrowser.isInstalled)
    )
    struct ReviewElsewhereTests {
        /// Returns a project with references; two pictures have changed since.
        private func changed() throws -> Project {
            let project = try Project(scenes: ["one", "two"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            for scene in ["one", "two"] {
                try project.folder.write("pictures/\(scene).png", Project.png(shade: 200))
            }
            return project
        }

        /// Accepts the first change, rejects the second, and publishes.
        private func decide(_ review: RunningReview) throws {
            let browser = try TestBrowser()
            try browser.open(review.address)
            #expect(try browser.text("document.querySelectorAll('.change').length") == "2")
            func waits(_ number: Int, _ decision: String) throws -> Bool {
                let card = "document.querySelectorAll('.change')[\(number)]"
                return try browser.waits(for: "\(card)?.dataset.d === '\(decision)'")
            }
            let pictures = """
                [...document.querySelectorAll('.stage img')].filter((one) => one.naturalWidth)
                """
            try browser.press("ja")
            #expect(try waits(0, "accepted"))
            try browser.press("jx")
            try browser.press("too pale" + TestBrowser.enter)
            #expect(try waits(1, "rejected"))
            #expect(try browser.waits(for: "(\(pictures)).length >= 4"))
            try browser.press("p" + TestBrowser.enter)
            #expect(try waits(0, "published"))
            #expect(try waits(1, "rejected"))
        }

        @Test("of a coordinator it is decided there, and the pin moves here")
        func coordinator() throws {
            let fleet = try Fleet(try changed())
            let project = fleet.project
            try fleet.serve()
            _ = try fleet.startWorker("far")
            #expect(try fleet.run().status == 1, "\(fleet.log)")
            let (run, pin) = (try project.summary().run.id, project.text("snapfarm.refs"))
            // Nothing of the run is left on this machine.
            try FileManager.default.removeItem(atPath: project.folder.file(".snapfarm"))
            try FileManager.default.removeItem(atPath: project.folder.file("snapfarm-out"))
            let words = ["--coordinator", fleet.url, "--run", run, "--no-open"]
            let reader = try project.program(["SNAPFARM_TOKEN": try fleet.token("work")])
                .run(["review"] + words)
            #expect(reader.status != 0, "\(reader.said)")
            let review = try RunningReview(
                project,
                words,
                environment: ["SNAPFARM_TOKEN": try fleet.token("review")]
            )
            try decide(review)
            #expect(review.interrupt().status == 0)
            #expect(project.text("snapfarm.refs") != pin)
            let ledger = fleet.place.file("state/ledger.sqlite")
            let made = try SQLiteLedger.decisions(of: "app", inFileAt: ledger).decisions
            #expect(made.map(\.kind) == [.accepted, .rejected, .published], "\(made)")
            #expect(made.allSatisfy { $0.who == "review" && $0.run == run })
            #expect(try fleet.run().status == 1)
            let left = try project.summary().snapshots.filter { $0.verdict != .passed }
            #expect(left.count == 1)
        }

        @Test("a zip without a summary shows what its manifest says, and is published")
        func withoutSummary() throws {
            let project = try changed()
            #expect(try project.run().status == 1)
            let copied = try TestProcess.run(
                ["python3", "-c", Self.copy, "snapfarm-out/FailureDiffs.zip", "old.zip"],
                in: project.folder.path
            )
            #expect(copied.status == 0, "\(copied.said)")
            try FileManager.default.removeItem(atPath: project.folder.file(".snapfarm"))
            try FileManager.default.removeItem(atPath: project.folder.file("snapfarm-out"))
            let pin = project.text("snapfarm.refs")
            let review = try RunningReview(project, ["--from", "old.zip", "--no-open"])
            try decide(review)
            #expect(review.interrupt().status == 0)
            #expect(project.text("snapfarm.refs") != pin)
            #expect(try project.run().status == 1)
            #expect(try project.summary().counts.changed == 1)
        }

        /// A script that writes a zip in the format of older programs.
        private static let copy = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w") as new:
                for name in old.namelist():
                    if name not in ("summary.json", "index.html"):
                        new.writestr(name, old.read(name))
            """
    }
}
