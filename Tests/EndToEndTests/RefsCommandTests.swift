import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("References from the command line", .serialized)
    struct RefsCommandTests {
        @Test("from pictures in the repository to a set, an edit, a new set and its history")
        func life() throws {
            let project = try ReferencesProject()
            for (index, name) in ["one", "two"].enumerated() {
                try project.draw(name, shade: UInt8(10 * index))
            }
            try project.commit("pictures in Git")
            let made = try project.refs("init")
            #expect(made.status == 0, "\(made.said)")
            #expect(try project.refs("init").output.contains("is a store already"))
            let imported = try project.refs("import", "--cell", "A")
            #expect(imported.status == 0, "\(imported.said)")
            #expect(imported.output.contains("2 pictures") && imported.output.contains("without"))
            #expect(project.pin.hasPrefix("A/Checkout\n "))
            #expect(try project.refs("pin").output.contains("A/Checkout"))
            try project.git("rm", "-rq", "--cached", "Tests")
            try project.commit("a pin instead")
            #expect(try project.git("status", "--short").output == "")
            #expect(try project.refs("status", "--exit-code").status == 0)

            try project.draw("one", shade: 200)
            try project.draw("new", shade: 201)
            let status = try project.refs("status", "--exit-code")
            #expect(status.status == 1)
            #expect(status.output.contains("1 changed, 1 new, 1 as checked out"))
            let pinBefore = project.pin
            let committed = try project.refs("commit", "--reason", "blue")
            #expect(committed.status == 0, "\(committed.said)")
            #expect(project.pin != pinBefore)
            #expect(try project.refs("status", "--exit-code").status == 0)
            try project.commit("new references")

            let log = try project.refs("log").output
            #expect(log.contains("1 changed, 1 new — Checkout (Ada)"))
            let life = try project.refs("log", "A/Checkout/one.png").output
                .split(separator: "\n")
            #expect(life.first == "A/Checkout/one", "\(life)")
            #expect(life.contains("  reason: blue"), "\(life)")
            #expect(life.suffix(2).map { $0.prefix(5) } == ["chang", "added"], "\(life)")
            let before = try project.refs("log", "A/Checkout/one", "--set", "HEAD~1").output
            #expect(!before.contains("blue") && before.contains("\nadded"), "\(before)")
            let unknown = try project.refs("log", "A/Checkout/onne")
            #expect(unknown.status == 65, "\(unknown.said)")
            #expect(unknown.said.contains("Did you mean \"A/Checkout/one\"?"), "\(unknown.said)")
            let difference = try project.refs("diff", "HEAD~1").output
            #expect(difference == "+ A/Checkout/new\nM A/Checkout/one\n1 changed, 1 new\n")
            #expect(try project.refs("verify", "--all-pins").status == 0)
            #expect(try project.storeIsClean())
        }

        @Test("moved and retired references leave earlier sets as they are")
        func move() throws {
            let project = try ReferencesProject.imported()
            let dry = try project.refs("move", "A", "C", "--dry-run")
            #expect(dry.output.contains("A/Checkout → C/Checkout (3 pictures)"))
            #expect(try project.sets().count == 1)
            #expect(try project.refs("move", "A", "C").status == 0)
            #expect(project.pin.hasPrefix("C/Checkout\n"))
            #expect(try project.refs("retire", "C/Checkout/two.png").status == 0)
            #expect(try project.refs("diff", "HEAD").output.contains("1 removed, 2 renamed"))
            #expect(try project.sets().count == 3)
            #expect(try project.refs("retire", "D").status == 65)
            #expect(try project.storeIsClean())
        }

        @Test("a prune shows its plan, asks, and drops what nothing pins")
        func prune() throws {
            let project = try ReferencesProject.imported()
            let first = try project.sets()
            try project.draw("one", shade: 99)
            _ = try project.refs("commit")
            try project.commit("second")
            let now = ["--keep-days", "0", "--young-days", "0", "--grace-days", "0"]
            let program = Program(folder: project.main)
            let kept = try program.run(["refs", "prune", "--yes"])
            #expect(kept.status == 0 && kept.output.contains("2 sets kept"), "\(kept.said)")
            let dry = try program.run(["refs", "prune", "--dry-run"] + now)
            #expect(dry.status == 0 && dry.output.contains("drop \(first[0])"), "\(dry.said)")
            let unasked = try program.run(["refs", "prune"] + now)
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
            #expect(try project.sets().count == 2)
            let done = try program.run(["refs", "prune", "--yes"] + now)
            #expect(done.status == 0 && done.output.contains("1 dropped"), "\(done.said)")
            #expect(try project.sets().count == 1 && project.refs("check").status == 0)

            // The error for the pruned set tells when and why it was pruned, and names the nearest
            // kept one.
            try project.git("checkout", "-q", "HEAD~1")
            let gone = try project.refs("check")
            #expect(gone.status == 78)
            #expect(gone.output.contains("was pruned on") && gone.output.contains("nearest kept"))
            #expect(try project.storeIsClean())
        }

        @Test("a pin that names what the store does not have is refused in CI, with its line")
        func check() throws {
            let project = try ReferencesProject.imported()
            #expect(try project.refs("check").status == 0)
            let lost = String(repeating: "1", count: 40)
            try project.folder.write("main/snapfarm.refs", project.pin + "A/Gone\n \(lost)\n")
            let found = try project.refs("check")
            #expect(found.status == 78 && found.output.contains("line 3: \"A/Gone\""))
            let document = try project.document("check")
            #expect(document["complete"] as? Bool == false)
            let missing = document["missing"] as? [[String: Any]]
            #expect(missing?.count == 1 && missing?[0]["object"] as? String == lost)
            #expect(try project.refs("verify").status == 1)
            #expect(try project.storeIsClean())
        }

        @Test("a remote has a set after the push, and not before")
        func remote() throws {
            let project = try ReferencesProject.imported()
            let far = project.folder.file("far.git")
            let made = try project.refs("init", "--remote", far)
            #expect(made.status == 0 && made.output.contains("all that snapfarm needs"))
            #expect(try project.refs("check", "--remote", far).status == 78)
            let pushed = try project.refs("push", "--remote", far)
            #expect(pushed.status == 0, "\(pushed.said)")
            #expect(try project.refs("check", "--remote", far).status == 0)
            #expect(try project.refs("push").output.contains("was there already"))
            #expect(try project.sets(far) == project.sets())

            // Another machine fills a new store from the remote.
            try FileManager.default.removeItem(atPath: project.store)
            _ = try project.refs("init")
            #expect(try project.refs("check").status == 78)
            let fetched = try project.refs("fetch", "--remote", far)
            #expect(fetched.status == 0, "\(fetched.said)")
            #expect(try project.refs("check").status == 0)
            #expect(try project.refs("log").output.contains("3 new"))
            #expect(try project.storeIsClean() && project.storeIsClean(far))
        }

        @Test("a proposal shows a set on a branch of its pull request until it is withdrawn")
        func proposal() throws {
            let project = try ReferencesProject.imported()
            let far = project.folder.file("far.git")
            try project.refsSucceed("init", "--remote", far)
            func branches() throws -> [String] {
                try project.git("branch", "--format=%(refname:short) %(objectname)", in: far)
                    .output.split(separator: "\n").map(String.init)
            }
            let before = try branches()
            let shown = try project.refs("push", "--remote", far, "--proposal", "12")
            #expect(shown.status == 0, "\(shown.said)")
            #expect(shown.output.contains("proposals/12"))
            let set = try #require(try project.sets().first)
            // The branch of accepted sets is unchanged by a proposal.
            #expect(try branches() == before + ["proposals/12 \(set)"])
            let picture = try project.git("show", "proposals/12:A/Checkout/one.png", in: far)
            #expect(picture.status == 0)

            // The next push of the same pull request replaces the proposal, though sets have no
            // parents.
            try project.draw("one", shade: 200)
            try project.refsSucceed("commit")
            try project.refsSucceed("push", "--proposal", "12")
            #expect(try branches().count == 2 && !branches().contains("proposals/12 \(set)"))
            try project.refsSucceed("push", "--withdraw", "12")
            try project.refsSucceed("push", "--withdraw", "12")
            #expect(try branches() == before)
            #expect(try project.refs("push", "--proposal", "0").status == 64)
            #expect(try project.refs("push", "--proposal", "1", "--withdraw", "1").status == 64)
            #expect(try project.storeIsClean() && project.storeIsClean(far))
        }

        @Test("a fetch of one folder brings its pictures and no others")
        func fetchesFolder() throws {
            let project = try ReferencesProject.imported()
            let suites = "main/Tests/ReferenceImages_64"
            try project.folder.write("\(suites)/Cart/four.png", Project.png(shade: 40))
            _ = try project.refs("import", "--cell", "A", "--no-weight")
            let far = project.folder.file("far.git")
            try project.refsSucceed("init", "--remote", far)
            try project.refsSucceed("push", "--remote", far)

            try FileManager.default.removeItem(atPath: project.store)
            try project.refsSucceed("init")
            let fetch = ["fetch", "--remote", far, "--only"]
            let program = Program(folder: project.main)
            let none = try program.run(["refs"] + fetch + ["A/Basket"])
            #expect(none.status == 64 && none.errors.contains("no such cell or folder"))
            // Three objects: the folder, its record and one picture.
            let cart = try program.run(["refs"] + fetch + ["A/Cart"])
            #expect(cart.output.contains("3 objects"), "\(cart.said)")
            #expect(try project.refs("check").status == 78)
            #expect(try program.run(["refs"] + fetch + ["A"]).status == 0)
            #expect(try project.refs("check").status == 0)
            #expect(try project.storeIsClean() && project.storeIsClean(far))
        }

        @Test("references come and go with the branch, and what was edited stays")
        func checkout() throws {
            let project = try ReferencesProject.imported()
            let clone = project.folder.file("clone")
            try project.git("clone", "-q", project.main, clone, in: project.folder.path)
            #expect(try project.refs("checkout", in: clone).status == 64)
            let plain = ["checkout", "--layout", "fb", "--folder", "Tests/ReferenceImages_64"]
            let first = try Program(folder: clone).run(["refs"] + plain)
            #expect(first.output.contains("3 written, 0 kept, 0 removed"), "\(first.said)")
            let path = "\(clone)/\(ReferencesProject.suite)/one.png"
            #expect(FileManager.default.contents(atPath: path) == Project.png(shade: 0))
            #expect(try project.git("status", "--short", in: clone).output == "")

            _ = try project.refs("hook", "install", in: clone)
            try project.git("switch", "-qc", "blue", in: clone)
            try Project.png(shade: 77).write(to: URL(fileURLWithPath: path))
            #expect(try project.refs("commit", in: clone).status == 0)
            try project.git(
                "-c",
                "user.name=B",
                "-c",
                "user.email=b",
                "commit",
                "-qam",
                "b",
                in: clone
            )
            try project.git("switch", "-q", "main", in: clone)
            #expect(FileManager.default.contents(atPath: path) == Project.png(shade: 0))
            try project.git("switch", "-q", "blue", in: clone)
            #expect(FileManager.default.contents(atPath: path) == Project.png(shade: 77))

            try Project.png(shade: 78).write(to: URL(fileURLWithPath: path))
            try project.git("switch", "-q", "main", in: clone)
            #expect(FileManager.default.contents(atPath: path) == Project.png(shade: 78))
            #expect(try project.refs("checkout", in: clone).status == 1)
            #expect(try project.refs("checkout", "--force", in: clone).status == 0)
            #expect(FileManager.default.contents(atPath: path) == Project.png(shade: 0))
            #expect(try project.refs("hook", "remove", in: clone).output.contains("removed"))
            #expect(try project.storeIsClean())
        }

        @Test("what is exported is what was imported, byte for byte")
        func export() throws {
            let project = try ReferencesProject.imported()
            let out = project.folder.file("out")
            #expect(try project.refs("export", out).status == 0)
            let same = try project.git(
                "diff",
                "--no-index",
                "--quiet",
                "Tests",
                out + "/Tests"
            )
            #expect(same.status == 0)
            try project.folder.write("out/\(ReferencesProject.suite)/one.png", "mine")
            #expect(try project.refs("export", out).status == 65)
            #expect(try project.refs("export", out, "--force").status == 0)
            #expect(try project.storeIsClean())
        }

        @Test("a pin becomes a submodule that stock Git updates, and a text again")
        func gitlink() throws {
            let project = try ReferencesProject.imported()
            let text = project.pin
            let converted = try project.refs("pin", "convert", "--to", "gitlink")
            #expect(converted.status == 0, "\(converted.said)")
            try project.folder.write(
                "main/app.yaml",
                ReferencesProject.pipeline.replacing("snapfarm.refs", with: "references")
            )
            try project.commit("a submodule")
            let document = try project.document("pin")
            #expect(document["form"] as? String == "gitlink")
            try project.git("config", "protocol.file.allow", "always")
            let update = try project.git(
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "update",
                "--init"
            )
            #expect(update.status == 0, "\(update.said)")
            let picture = project.main + "/references/A/Checkout/one.png"
            #expect(FileManager.default.contents(atPath: picture) == Project.png(shade: 0))

            // A new set moves the submodule entry.
            #expect(try project.refs("retire", "A/Checkout/two.png").status == 0)
            #expect(try project.document("pin")["set"] as? String != document["set"] as? String)
            #expect(try project.refs("pin", "move", "HEAD").status == 0)
            let back = try project.refs("pin", "convert", "--to", "text")
            #expect(back.status == 0, "\(back.said)")
            #expect(project.pin == text)
            #expect(try project.storeIsClean())
        }

        @Test("references that no complete run makes leave the next set, and only with proof")
        func unused() throws {
            let project = try ReferencesProject.imported()
            func history(_ runs: Int) throws {
                let entries = (0..<runs).map { run in
                    #"{"runKey":"r\#(run)","finished":"2026-01-0\#(run + 1)T00:00:00Z","#
                        + #""complete":true,"unfiltered":true,"#
                        + #""names":{"A":["Checkout/one","Checkout/two"]}}"#
                }
                let list = entries.joined(separator: ",")
                try project.folder.write(
                    "names.json",
                    #"{"schemaVersion":1,"manifests":[\#(list)]}"#
                )
            }
            let names = project.folder.file("names.json")
            let prune = ["refs", "prune", "--unused", "--history", names, "--runs", "2", "--yes"]
            let program = Program(folder: project.main)
            try history(1)
            let before = project.pin
            #expect(try program.run(prune).output.contains("nothing goes"))
            #expect(project.pin == before)
            try history(2)
            let done = try program.run(prune)
            #expect(done.status == 0 && done.output.contains("unused A/Checkout/three"))
            #expect(try project.refs("diff", "HEAD").output.contains("- A/Checkout/three"))
            #expect(try project.refs("prune", "--unused").status == 64)
            #expect(try project.storeIsClean())
        }

        @Test("the kept sets in a new store have the same ids")
        func rotate() throws {
            let project = try ReferencesProject.imported()
            let new = project.folder.file("new.git")
            #expect(try project.refs("rotate", new).status == 0)
            #expect(try project.sets(new) == project.sets())
            let pin = ["--store", new, "--pin", "snapfarm.refs"]
            let checked = try Program(folder: project.main).run(["refs", "check"] + pin)
            #expect(checked.status == 0, "\(checked.said)")
            #expect(try project.storeIsClean() && project.storeIsClean(new))
        }

        @Test(
            "--json prints one document with a schema version and nothing else",
            arguments: [
                ["init"], ["check"], ["status"], ["checkout", "--dry-run"], ["commit"],
                ["import", "--cell", "A", "--dry-run"], ["export", "out", "--dry-run"], ["log"],
                ["log", "A/Checkout/one"], ["show"], ["diff", "HEAD"], ["verify"], ["size"],
                ["prune", "--dry-run"], ["rotate", "new.git", "--dry-run"], ["publish"],
                ["move", "A", "B", "--dry-run"], ["retire", "A", "--dry-run"], ["pin"],
                ["pin", "move", "HEAD"], ["pin", "convert", "--to", "gitlink", "--dry-run"],
                ["hook", "install"], ["hook", "remove"],
            ]
        )
        func json(arguments: [String]) throws {
            let project = try ReferencesProject.shared()
            let result = try Program(folder: project.main).run(["refs"] + arguments + ["--json"])
            #expect(result.status == 0, "\(result.said)")
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
            #expect((object as? [String: Any])?["schemaVersion"] as? Int == 1)
        }

        @Test("which project is meant is found, said, or remembered by init")
        func places() throws {
            let project = try ReferencesProject(pipeline: "pipelines/one.yaml")
            let both = ReferencesProject.pipeline.replacing("../store.git", with: "../../store.git")
            try project.folder.write("main/pipelines/one.yaml", both)
            #expect(try project.refs("init").status == 0)
            try project.folder.write("main/pipelines/two.yaml", both)
            let unsure = try project.refs("check")
            #expect(unsure.status == 64)
            #expect(unsure.errors.contains("pipelines/one.yaml, pipelines/two.yaml"))
            #expect(try project.refs("check", "--pipeline", "pipelines/two.yaml").status == 0)
            #expect(try project.refs("init", "--pipeline", "pipelines/one.yaml").status == 0)
            #expect(try project.refs("check").status == 0)
            let empty = try project.refs("check", in: project.folder.path)
            #expect(empty.status == 64 && empty.errors.contains("--pipeline"))
            #expect(try project.storeIsClean())
        }
    }
}
