import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Asking a coordinator", .serialized)
    struct FleetQuestionsTests {
        private func json(_ ending: ProcessEnding) throws -> [String: Any] {
            #expect(ending.status == 0, "\(ending.said)")
            let object = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
            let document = try #require(object as? [String: Any])
            #expect(document["schemaVersion"] as? Int == 1)
            return document
        }

        @Test("runs, workers, why and cancel say what is going on")
        func questions() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let program = try fleet.submitting()
            let place = ["--coordinator", fleet.url]
            #expect(try json(program.run(["runs", "--json"] + place))["runs"] as? [String] == [])
            let words = ["run", "app.yaml", "--select", "job=unit_test"]
            let following = try program.start(words + place)
            #expect(following.wait(seconds: 60) { following.errors.contains("run 2") })
            let runs =
                try json(program.run(["runs", "--json"] + place))["runs"] as? [[String: Any]]
            let run = try #require(runs?.first?["run"] as? String)
            let why = try program.run(["why", run] + place)
            #expect(why.output.contains("No worker calls. Start one"), "\(why.output)")
            #expect(why.output.contains("unit_test on host: 3 of 3 open."), "\(why.output)")
            let cancelled = try program.run(["cancel", run] + place)
            #expect(cancelled.status == 0 && cancelled.output.contains("cancelled"))
            #expect(following.ending(within: 60).status == 2, "\(following.said)")
            let ended = try program.run(["why", run] + place)
            #expect(ended.output == "Run \(run) has ended: cancelled.\n")
            let unknown = try program.run(["why", "none"] + place)
            #expect(unknown.status == 64 && unknown.errors.contains("no run none"))
            let table = try program.run(["runs"] + place).output.split(separator: "\n")
            #expect(table.first?.hasPrefix("RUN ") == true && table.count == 2, "\(table)")
            let columns = try #require(table.last).split(separator: " ")
            #expect(columns[0] == run && columns[1] == "cancelled", "\(table)")
            #expect(columns.contains { $0.hasSuffix("Z") } && columns.contains("s"), "\(table)")
            let nowhere = try program.run(["workers"])
            #expect(nowhere.status == 64 && nowhere.errors.contains("--coordinator"))
        }

        @Test("latest is the newest run of the work tree's branch, an open one where that matters")
        func latest() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let program = try fleet.submitting()
            let place = ["--coordinator", fleet.url]
            let nowhere = try program.run(["why", "latest"] + place)
            #expect(nowhere.status == 65, "\(nowhere.said)")
            #expect(nowhere.errors.contains("no work tree is here"), "\(nowhere.said)")
            for words in [
                ["init", "-q", "-b", "main"], ["commit", "-qm", "one", "--allow-empty"],
            ] {
                try SharedProject.git(words, in: fleet.project.folder.path)
            }
            let none = try program.run(["cancel", "latest"] + place)
            #expect(none.status == 65 && none.errors.contains("no run of branch main is open"))
            let words = ["run", "app.yaml", "--select", "job=unit_test"]
            let following = try program.start(words + place)
            #expect(following.wait(seconds: 60) { following.errors.contains("run 2") })
            let why = try program.run(["why", "latest"] + place)
            #expect(why.output.contains("No worker calls. Start one"), "\(why.said)")
            let early = try program.run(["artifacts", "list", "latest"] + place)
            #expect(early.status == 65 && early.errors.contains("branch main has ended"))
            let cancelled = try program.run(["cancel", "latest"] + place)
            #expect(cancelled.status == 0 && cancelled.output.contains("is cancelled"))
            #expect(following.ending(within: 60).status == 2, "\(following.said)")
            let listed = try program.run(["artifacts", "list", "latest"] + place)
            #expect(listed.status == 0, "\(listed.said)")
            let ended = try program.run(["why", "latest"] + place)
            #expect(ended.output.contains("has ended: cancelled"), "\(ended.said)")
        }

        @Test("a coordinator that restarts while the tests are listed costs no run")
        func restarted() throws {
            let fleet = try Fleet()
            let listing = "discover: touch listing && sleep 1 && cat units"
            let pipeline = fleet.project.text("app.yaml")
            try fleet.project.folder.write(
                "app.yaml",
                pipeline.replacing("discover: cat units", with: listing)
            )
            try fleet.serve()
            _ = try fleet.startWorker("far")
            let run = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url, "--select", "job=unit_test"]
            )
            #expect(run.wait(seconds: 30) { fleet.project.exists("listing") }, "\(run.errors)")
            fleet.killServer()
            // Longer than the few attempts of a command that only asks.
            #expect(!run.wait(seconds: 4) { !run.isRunning }, "\(run.errors)")
            try fleet.serve()
            let ending = run.ending(within: 60)
            #expect(ending.status == 0, "\(ending.said)")
        }

        @Test("a run that nobody works for is given up, and says so")
        func abandoned() throws {
            let fleet = try Fleet(limits: "limits: {silence: 3s}")
            try fleet.serve()
            let ending = try fleet.run(["--select", "job=unit_test"])
            #expect(ending.status == 2, "\(ending.said)\n\(fleet.log)")
            #expect(try fleet.project.summary().state == .incomplete, "nobody cancelled it")
            let problems = try fleet.project.summary().problems
            #expect(problems.contains { $0.code == "run-abandoned" }, "\(problems)")
            #expect(fleet.log.contains("nobody works for it"), "\(fleet.log)")
        }

        @Test("artifacts are the files that the run wrote, byte for byte, also in two halves")
        func artifacts() throws {
            let fleet = try Fleet()
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.project.folder.write("pictures/two.png", Project.png(shade: 200))
            try fleet.serve()
            _ = try fleet.startWorker("far")
            #expect(try fleet.run().status == 1)
            let run = try fleet.project.summary().run.id
            let program = try fleet.submitting()
            let place = ["--coordinator", fleet.url]
            let list = try json(program.run(["artifacts", "list", run, "--json"] + place))
            let rows = try #require(list["artifacts"] as? [[String: Any]])
            let names = rows.compactMap { $0["name"] as? String }
            #expect(names.contains("FailureDiffs.zip") && names.contains("junit.xml"))
            // A partial file is already there, as after an interrupted download.
            let zip = try Data(
                contentsOf: URL(
                    fileURLWithPath: fleet.project.folder.file("snapfarm-out/FailureDiffs.zip")
                )
            )
            let digest = Digest(of: zip)
            #expect(
                rows.first { $0["name"] as? String == "FailureDiffs.zip" }?["sha256"] as? String
                    == digest.hex
            )
            let part = "got/FailureDiffs.zip.\(digest.hex.prefix(16)).part"
            try fleet.project.folder.write(part, zip.prefix(zip.count / 2))
            let words = ["artifacts", "download", run, "--output", "got"] + place
            let got = try program.run(words)
            #expect(got.status == 0, "\(got.said)")
            for name in ["FailureDiffs.zip", "junit.xml", "timeline.json"] {
                let here = try Data(
                    contentsOf: URL(fileURLWithPath: fleet.project.folder.file("got/\(name)"))
                )
                let there = try Data(
                    contentsOf: URL(
                        fileURLWithPath: fleet.project.folder.file("snapfarm-out/\(name)")
                    )
                )
                #expect(here == there, "\(name)")
            }
            #expect(!fleet.project.exists(part))
            let unknown = try program.run(["artifacts", "download", run, "nothing.zip"] + place)
            #expect(unknown.status == 64, "\(unknown.said)")
        }
    }
}
