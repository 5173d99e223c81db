import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Approve and reject", .serialized)
    struct ApproveTests {
        /// Returns a project with references and a run that found two changed pictures.
        static func changed() throws -> (project: Project, run: String) {
            let project = try Project(scenes: ["one", "two", "three"], devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            for scene in ["one", "two"] {
                try project.folder.write("pictures/\(scene).png", Project.png(shade: 200))
            }
            #expect(try project.run().status == 1)
            return (project, try project.summary().run.id)
        }

        @Test("what is approved is green, what is rejected stays red and is left by the next one")
        func approveAndReject() throws {
            let (project, run) = try Self.changed()
            let program = project.program()
            let rejected = try program.run([
                "reject", "--run", run, "--select", "snapshot=A/Suite/two", "--reason", "too pale",
            ])
            #expect(rejected.status == 0, "\(rejected.said)")
            let pin = project.text("snapfarm.refs")
            let dry = try program.run(["approve", "--run", run, "--dry-run"])
            #expect(dry.status == 0 && dry.output.contains("Would approve 1 changed"))
            #expect(project.text("snapfarm.refs") == pin)
            let approved = try program.run(["approve", "--run", run, "--json"])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(approved.errors.contains("A/Suite/two — "))
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(approved.output.utf8))
                    as? [String: Any]
            )
            #expect((document["approved"] as? [Any])?.count == 1)
            #expect(document["pinMoved"] as? Bool == true)
            #expect(project.text("snapfarm.refs") != pin)
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            #expect(summary.counts.passed == 3 + 2 && summary.counts.changed == 1)
            #expect(try project.storeIsSound())
        }

        @Test("an approval names the checked-out references that it leaves behind, and what to do")
        func stale() throws {
            let (project, run) = try Self.changed()
            let program = project.program()
            let git = try TestProcess.run(["git", "-C", project.folder.path, "init", "-q"])
            #expect(git.status == 0, "\(git.errors)")
            let out = try program.run(["refs", "checkout", "--folder", "refs"])
            #expect(out.output.contains("3 written"), "\(out.said)")
            let approved = try program.run(["approve", "--run", run])
            let lines = approved.output.split(separator: "\n")
            #expect(lines.contains("2 checked-out references are older than the pin:"), "\(lines)")
            #expect(lines.contains("  refs/A/Suite/one.png"), "\(lines)")
            #expect(lines.contains { $0.hasSuffix(": snapfarm refs checkout") })
            // The command that the commit needs comes last.
            #expect(lines.last?.contains("git ") == true, "\(lines)")
            #expect(try program.run(["refs", "checkout"]).output.contains("2 written, 1 kept"))
        }

        @Test("an unknown change is refused by its id, and nothing is decided")
        func unknownChange() throws {
            let (project, run) = try Self.changed()
            let pin = project.text("snapfarm.refs")
            for verb in ["approve", "reject"] {
                let result = try project.program().run([verb, "--run", run, "--change", "\u{1B}x"])
                #expect(result.status == ExitCode.incomplete.rawValue, "\(result.said)")
                #expect(result.errors.contains("has no change"), "\(result.said)")
            }
            #expect(project.text("snapfarm.refs") == pin)
        }

        @Test(
            "references of chosen suites are smaller files of the same pixels, also approved ones"
        )
        func reencoded() throws {
            let project = try Project(devices: ["A"])
            let pipeline = project.text("app.yaml").replacing(
                "pin: snapfarm.refs}",
                with: "pin: snapfarm.refs, reencode: [Sui*]}"
            )
            try project.folder.write("app.yaml", pipeline)
            func bytesOfReference() throws -> Int {
                let words = ["-C", "store.git", "cat-file", "-s", "main:A/Suite/one.png"]
                let said = try SharedProject.git(words, in: project.folder.path).output
                return try #require(Int(said.dropLast()))
            }
            let capture = Project.png(shade: 200).count
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try bytesOfReference() < capture)
            #expect(try project.run().status == 0)
            let pin = project.text("snapfarm.refs")
            let again = try project.run(["--mode", "record"])
            #expect(again.output.contains("2 unchanged"), "\(again.output)")
            #expect(project.text("snapfarm.refs") == pin)

            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let run = try project.summary().run.id
            #expect(try project.program().run(["approve", "--run", run]).status == 0)
            #expect(project.text("snapfarm.refs") != pin)
            #expect(try bytesOfReference() < capture)
            let twice = try project.program().run(["approve", "--run", run])
            #expect(twice.output.contains("Already approved: 1"), "\(twice.output)")
            #expect(try project.run().status == 0)
            #expect(try project.storeIsSound())
        }

        @Test("approving again changes nothing and says so")
        func again() throws {
            let (project, run) = try Self.changed()
            #expect(try project.program().run(["approve", "--run", run]).status == 0)
            let pin = project.text("snapfarm.refs")
            let again = try project.program().run(["approve", "--run", run])
            #expect(again.status == 0, "\(again.said)")
            #expect(again.output.contains("Already approved: 2"))
            #expect(project.text("snapfarm.refs") == pin)
            #expect(try project.run().status == 0)
        }

        /// Returns the path of the changed picture.
        ///
        /// Pictures with equal bytes share one file.
        private func failedTwo(_ project: Project) throws -> String {
            let two = try project.summary().snapshots.first { $0.id == "A/Suite/two" }
            return project.folder.file("snapfarm-out/" + (try #require(two?.files["failed"])))
        }

        @Test("an incomplete run, a strange pin, a damaged zip and an unknown run are refused")
        func refused() throws {
            let (project, run) = try Self.changed()
            let program = project.program()
            let unknown = try program.run(["approve", "--run", "r-nothing"])
            #expect(unknown.status == ExitCode.usage.rawValue, "\(unknown.said)")
            let zip = project.folder.file("snapfarm-out/FailureDiffs.zip")
            var bytes = try Data(contentsOf: URL(fileURLWithPath: zip))
            // Damages a picture that would become a reference.
            let picture = try Data(contentsOf: URL(fileURLWithPath: try failedTwo(project)))
            let place = try #require(bytes.range(of: picture))
            bytes[place.lowerBound + picture.count / 2] ^= 0xFF
            try project.folder.write("broken.zip", bytes)
            let broken = try program.run(["approve", "--from", "broken.zip"])
            #expect(broken.status == ExitCode.invalidInput.rawValue, "\(broken.said)")
            // A second run records meanwhile.
            try project.folder.write("pictures/three.png", Project.png(shade: 99))
            #expect(try project.run(["--mode", "record"]).status == 0)
            let pin = project.text("snapfarm.refs")
            let strange = try program.run(["approve", "--run", run])
            #expect(
                strange.status != 0 && strange.errors.contains("A/Suite/three"),
                "\(strange.said)"
            )
            #expect(project.text("snapfarm.refs") == pin)
            try project.folder.write("act/one", "exit 3\n")
            #expect(try project.run().status == 1)
            let partial = try project.summary().run.id
            let failing = try program.run(["approve", "--run", partial])
            #expect(failing.errors.contains("A/Suite/one"), "\(failing.said)")
            #expect(try project.storeIsSound())
        }

        @Test("a picture that was cut before the run is refused, and the store does not get it")
        func cutPicture() throws {
            let (project, _) = try Self.changed()
            let program = project.program()
            let diffs = project.folder.file("snapfarm-out/FailureDiffs")
            let failed = try failedTwo(project)
            let whole = try Data(contentsOf: URL(fileURLWithPath: failed))
            let cut = whole.prefix(whole.count - 20)
            try cut.write(to: URL(fileURLWithPath: failed))
            // The manifest matches the cut file.
            let manifest = "\(diffs)/manifest.json"
            let text = try String(contentsOfFile: manifest, encoding: .utf8)
                .replacing(Digest(of: whole).hex, with: Digest(of: Data(cut)).hex)
            try Data(text.utf8).write(to: URL(fileURLWithPath: manifest))
            let pin = project.text("snapfarm.refs")
            let refused = try program.run(["approve", "--from", "snapfarm-out"])
            #expect(refused.status == ExitCode.invalidInput.rawValue, "\(refused.said)")
            #expect(refused.errors.contains("truncated"), "\(refused.said)")
            #expect(project.text("snapfarm.refs") == pin)
            #expect(try project.storeIsSound())
        }
    }

    @Suite("A store that others share", .serialized)
    struct SharedStoreTests {
        @Test("clone A fails and is deleted; clone B approves from its zip, pushes and is green")
        func twoClones() throws {
            let team = try SharedProject()
            let first = try team.clone("first")
            #expect(try first.snapfarm(["refs", "init", "--pipeline", "app.yaml"]).status == 0)
            let recorded = try first.snapfarm(["run", "app.yaml", "--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(recorded.output.contains("snapfarm refs push"))
            try first.push("first references")
            #expect(try first.snapfarm(["refs", "check"]).status != 0)
            #expect(try first.snapfarm(["refs", "push"]).status == 0)
            #expect(try first.snapfarm(["refs", "check"]).status == 0)

            let broken = try team.clone("a")
            try broken.draw("one", shade: 222)
            try broken.push("a new look")
            let run = try broken.snapfarm(["run", "app.yaml"])
            #expect(run.status == 1, "\(run.said)")
            try FileManager.default.copyItem(
                atPath: broken.path + "/snapfarm-out/FailureDiffs.zip",
                toPath: team.folder.file("kept.zip")
            )
            try broken.delete()

            let other = try team.clone("b")
            let zip = team.folder.file("kept.zip")
            let approved = try other.snapfarm(["approve", "--from", zip, "--reason", "redesign"])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(approved.output.contains("  git add snapfarm.refs && git commit"))
            #expect(try other.snapfarm(["refs", "check"]).status == 0)
            try other.push("approve")
            #expect(try other.snapfarm(["run", "app.yaml"]).status == 0)

            let fresh = try team.clone("fresh")
            let green = try fresh.snapfarm(["run", "app.yaml"])
            #expect(green.status == 0, "\(green.said)")
            let log = try fresh.snapfarm(["refs", "log", "A/Suite/one"])
            #expect(log.status == 0 && log.output.contains("2 changed"), "\(log.output)")
            #expect(try team.storeIsSound())
        }

        @Test("verifying one cell fetches that cell's references and no other's")
        func oneCell() throws {
            let team = try SharedProject()
            let first = try team.clone("first")
            #expect(try first.snapfarm(["refs", "init", "--pipeline", "app.yaml"]).status == 0)
            try first.draw("B/one", shade: 33)
            #expect(try first.snapfarm(["run", "app.yaml", "--mode", "record"]).status == 0)
            #expect(try first.snapfarm(["refs", "push"]).status == 0)
            try first.push("references")
            let fresh = try team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml", "--select", "device=A"]).status == 0)
            let store = try #require(fresh.cloneOfStore())
            #expect(try fresh.holds(picture: "B/one", store) == false)
            #expect(try fresh.holds(picture: "one", store))
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == 0)
            #expect(try fresh.holds(picture: "B/one", store))
            #expect(try team.storeIsSound())
        }

        @Test("verifying a device that succeeds another fetches the other's references, too")
        func predecessors() throws {
            let team = try SharedProject()
            let first = try team.clone("first")
            #expect(try first.snapfarm(["refs", "init", "--pipeline", "app.yaml"]).status == 0)
            #expect(try first.snapfarm(["run", "app.yaml", "--mode", "record"]).status == 0)
            #expect(try first.snapfarm(["refs", "push"]).status == 0)
            let file = URL(fileURLWithPath: first.path + "/app.yaml")
            let pipeline = try String(contentsOf: file, encoding: .utf8).replacing(
                "devices:\n",
                with: "devices:\n  - {name: C, width: 8, height: 8, scale: 1, succeeds: A}\n"
            )
            try Data(pipeline.utf8).write(to: file)
            try first.push("a new device")
            let fresh = try team.clone("fresh")
            let result = try fresh.snapfarm(["run", "app.yaml", "--select", "device=C", "--json"])
            #expect(result.status == 1, "\(result.said)")
            #expect(result.output.contains("moved from A/Suite/one."), "\(result.said)")
        }

        @Test("a prune of the remote drops what no branch pins, and a run says what became of it")
        func prune() throws {
            let team = try SharedProject()
            let first = try team.clone("first")
            #expect(try first.snapfarm(["refs", "init", "--pipeline", "app.yaml"]).status == 0)
            for shade in [UInt8(10), 20, 30] {
                try first.draw("one", shade: shade)
                #expect(try first.snapfarm(["run", "app.yaml", "--mode", "record"]).status == 0)
                #expect(try first.snapfarm(["refs", "push"]).status == 0)
                try first.push("look \(shade)")
            }
            #expect(try team.setsOfStore() == 3)
            let keep = ["--keep-days", "0", "--young-days", "0", "--grace-days", "0"]
            let plan = try first.snapfarm(["refs", "prune", "--dry-run"] + keep)
            #expect(plan.status == 0 && plan.output.contains("2 dropped"), "\(plan.said)")
            #expect(try team.setsOfStore() == 3)
            let graced = try first.snapfarm(
                ["refs", "prune", "--yes", "--keep-days", "0", "--young-days", "0"]
            )
            #expect(graced.status == 0, "\(graced.said)")
            #expect(try team.setsOfStore() == 1)
            #expect(try team.references("refs/snapfarm/trash").count == 2)
            let done = try first.snapfarm(["refs", "prune", "--yes"] + keep)
            #expect(done.status == 0, "\(done.said)")
            #expect(try team.references("refs/snapfarm/trash").isEmpty)
            #expect(try team.storeIsSound())
            try team.collectGarbage()
            let fresh = try team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == 0)
            try fresh.checkOut("HEAD~1")
            let old = try fresh.snapfarm(["run", "app.yaml"])
            #expect(old.status == ExitCode.configuration.rawValue)
            #expect(old.errors.contains("were pruned on"), "\(old.said)")
            #expect(old.errors.contains("snapfarm refs pin move"))
            #expect(try fresh.snapfarm(["refs", "check"]).output.contains("was pruned on"))
            #expect(try team.storeIsSound())
        }

        @Test("the zip of a run is approved from its URL; a page that is not there is named")
        func fromURL() throws {
            let project = try Project(devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let server = try #require(
                try FileServer(folder: project.folder.file("snapfarm-out"))
            )
            let url = "http://127.0.0.1:\(server.port)/"
            let absent = try project.program().run(["approve", "--from", url + "nothing.zip"])
            #expect(absent.status == ExitCode.unavailable.rawValue)
            #expect(absent.errors.contains("status 404"), "\(absent.said)")
            let approved = try project.program().run([
                "approve", "--from", url + "FailureDiffs.zip",
            ])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(try project.run().status == 0)
            withExtendedLifetime(server) {}
        }

        @Test("a pin that was never pushed ends in 78 and names the line; no server, too")
        func neverPushed() throws {
            let team = try SharedProject()
            let first = try team.clone("first")
            #expect(try first.snapfarm(["refs", "init", "--pipeline", "app.yaml"]).status == 0)
            #expect(try first.snapfarm(["run", "app.yaml", "--mode", "record"]).status == 0)
            try first.push("forgot the references")
            let fresh = try team.clone("fresh")
            let result = try fresh.snapfarm(["run", "app.yaml"])
            #expect(result.status == ExitCode.configuration.rawValue, "\(result.said)")
            #expect(result.errors.contains("A/Suite") && result.errors.contains("refs push"))
            try FileManager.default.removeItem(atPath: team.folder.file("store.git"))
            let gone = try fresh.snapfarm(["run", "app.yaml"])
            #expect(gone.status != 0 && gone.status != 1, "\(gone.said)")
            #expect(gone.errors.contains("store.git"))
        }
    }
}
