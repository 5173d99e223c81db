import FarmCore
import FarmRun
import FarmServer
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Pictures that are right in several ways", .serialized)
    struct AlternateTests {
        private static let one = ["--select", "snapshot=A/Suite/one"]

        /// Returns a project with references, and a run that found `one` and `two` changed.
        private func changed() throws -> (project: Project, run: String) {
            let project = try Project(scenes: ["one", "two", "three"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try draw("one", 200, in: project)
            try draw("two", 220, in: project)
            #expect(try project.run().status == 1)
            return (project, try project.summary().run.id)
        }

        private func draw(_ name: String, _ shade: UInt8, in project: Project) throws {
            try project.folder.write("pictures/\(name).png", Project.png(shade: shade))
        }

        private func row(_ name: String, in project: Project) throws -> SnapshotSummary {
            try #require(try project.summary().snapshots.first { $0.name == name })
        }

        private func decisions(of run: String, in project: Project) async throws -> DecisionBook {
            var request = ReviewRequest(
                .run(run),
                environment: ProcessInfo.processInfo.environment
            )
            request.file = project.folder.file("app.yaml")
            return try await RunPage.open(request, say: { _ in }).decided().book
        }

        @Test("both pass, a third does not, and uses are counted until the plan takes it out")
        func uses() throws {
            let (project, run) = try changed()
            let program = project.program()
            let before = project.text("snapfarm.refs")
            let approved = try program.run(
                ["approve", "--run", run, "--alternate", "--reason", "day and night"] + Self.one
            )
            #expect(approved.status == 0, "\(approved.said)")
            #expect(approved.output.contains("Approved 1 alternate of run"), "\(approved.output)")
            let entry = try SharedProject.git(
                ["-C", "store.git", "log", "-1", "--format=%B", "main"],
                in: project.folder.path
            ).output
            #expect(entry.contains("1 alternate — Suite"), "\(entry)")
            #expect(entry.contains("Snapfarm-Reason: day and night"), "\(entry)")

            // The kept pictures of the red run pass by it, too.
            let judged = try program.run(["judge", "--run", run, "--output", "judged"])
            let left = try project.summary("judged").snapshots.filter { $0.verdict == .changed }
            #expect(left.map(\.name) == ["two"], "\(judged.said)")
            // A machine without the pictures of the run before, like the next one of a CI.
            try FileManager.default.removeItem(atPath: project.folder.file(".snapfarm"))
            let history = ["--history", "history.json"]
            #expect(try project.run(history).status == 1)
            let byDigest = try row("one", in: project)
            #expect(byDigest.verdict == .passed && byDigest.alternate == byDigest.alternates?.first)
            #expect(byDigest.words.contains("as its alternate"), "\(byDigest.words)")
            // Equal bytes are not decoded: those of `three`, and of `one` with its alternate.
            #expect(try project.summary().comparisons.identicalByDigest == 2)
            // Within tolerance of the alternate; then the reference itself; then neither.
            try draw("one", 201, in: project)
            _ = try project.run(history)
            let near = try row("one", in: project)
            #expect(near.verdict == .passed && near.alternate == byDigest.alternate)
            try draw("one", 10, in: project)
            _ = try project.run(history)
            let main = try row("one", in: project)
            #expect(main.verdict == .passed && main.alternate == nil && main.alternates != nil)
            try draw("one", 100, in: project)
            _ = try project.run(history)
            let neither = try row("one", in: project)
            #expect(neither.verdict == .changed)
            #expect(neither.words.hasSuffix("; it matches none of its 1 alternate"))

            let listed = try program.run(["refs", "alternates", "--history", ".snapfarm"])
            #expect(listed.output.contains(": day and night"), "\(listed.said)")
            for place in [".snapfarm", "history.json"] {
                let listed = try program.run(["refs", "alternates", "--history", place])
                #expect(
                    listed.output.hasSuffix("used in 2 runs, not in the 1 since\n"),
                    "\(listed.said)"
                )
            }
            let prune = ["refs", "prune", "--alternates", "--history", "history.json", "--runs"]
            let two = try program.run(prune + ["2", "--yes"])
            #expect(two.output.contains("0 of 1 alternate unused for 2 runs"), "\(two.said)")
            let dry = try program.run(prune + ["1", "--dry-run"])
            #expect(dry.output.contains("unused A/Suite/one"), "\(dry.said)")
            #expect(project.text("snapfarm.refs") != before)
            let pruned = try program.run(prune + ["1", "--yes"])
            #expect(pruned.output.contains("1 alternate removed"), "\(pruned.said)")
            // The references are those of before, so the set is that of before.
            #expect(project.text("snapfarm.refs") == before)
        }

        @Test(
            "a checkout and an edit leave alternates alone; a new reference and a record drop them"
        )
        func lives() async throws {
            let (project, run) = try changed()
            let program = project.program()
            func alternates() throws -> String {
                try program.run(["refs", "alternates"]).output
            }
            let accepted = try program.run(["approve", "--run", run, "--alternate"])
            #expect(accepted.output.contains("Approved 2 alternates"), "\(accepted.said)")
            // A page of the run knows later that these publications are of alternates.
            let known = try await decisions(of: run, in: project).alternates.map(\.snapshot.name)
            #expect(known.sorted() == ["one", "two"])
            let again = try program.run(["approve", "--run", run, "--alternate"])
            #expect(again.output.contains("Already approved: 2 pictures"), "\(again.said)")
            let git = try TestProcess.run(["git", "-C", project.folder.path, "init", "-q"])
            #expect(git.status == 0)
            let out = try program.run(["refs", "checkout", "--folder", "refs"])
            #expect(out.output.contains("3 written"), "\(out.said)")
            try project.folder.write("refs/A/Suite/three.png", Project.png(shade: 33))
            let commit = try program.run(["refs", "commit", "--reason", "r"])
            #expect(commit.output.contains("1 changed"), "\(commit.said)")
            let exported = try program.run(["refs", "export", "files"])
            let files = try FileManager.default.subpathsOfDirectory(
                atPath: project.folder.file("files")
            )
            #expect(exported.status == 0 && files.count { $0.lowercased().hasSuffix(".png") } == 3)
            #expect(try alternates().split(separator: "\n").count == 2)

            // Chosen as the reference, its other pictures go; the other picture keeps its own.
            let pin = project.text("snapfarm.refs")
            try draw("three", 33, in: project)
            try draw("one", 90, in: project)
            #expect(try project.run().status == 1)
            let main = try program.run(["approve", "--run", "latest"])
            #expect(main.output.contains("Approved 1 changed"), "\(main.said)")
            #expect(project.text("snapfarm.refs") != pin)
            let left = try alternates()
            #expect(left.hasPrefix("A/Suite/two ") && left.split(separator: "\n").count == 1)
            #expect(try project.run().status == 0)
            // Recorded as it is, it stays; recorded as another picture, it goes.
            try draw("two", 50, in: project)
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try alternates() == left)
            try draw("two", 200, in: project)
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try alternates() == "no reference has an alternate\n")
        }

        @Test("new pictures and pictures with enough alternates are refused with the way out")
        func refused() throws {
            let (project, _) = try changed()
            let program = project.program()
            for shade in 1...FarmLimits.alternatesPerPictureMax {
                try draw("one", UInt8(60 + 30 * shade), in: project)
                #expect(try project.run().status == 1)
                let run = try project.summary().run.id
                let one = try program.run(["approve", "--run", run, "--alternate"] + Self.one)
                #expect(one.status == 0, "\(one.said)")
            }
            try draw("one", 240, in: project)
            try project.folder.write("scenes", "one\ntwo\nthree\nfour\n")
            try draw("four", 99, in: project)
            #expect(try project.run().status == 1)
            let run = try project.summary().run.id
            for (name, reason) in [
                ("one", "has 4 alternates"), ("four", "no reference of its own"),
            ] {
                let words = ["--select", "snapshot=A/Suite/\(name)"]
                let more = try program.run(["approve", "--run", run, "--alternate"] + words)
                #expect(more.status == 1 && more.errors.contains(reason), "\(more.said)")
                #expect(more.errors.contains("without --alternate"), "\(more.said)")
            }
        }
    }
}
