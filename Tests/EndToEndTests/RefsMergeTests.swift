import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Merging pins with the real git", .serialized)
    struct RefsMergeTests {
        /// Returns a project with two branches of one base, each with its own new pictures.
        private func branches(
            _ ours: [String: UInt8],
            _ theirs: [String: UInt8]
        ) throws -> ReferencesProject {
            let project = try ReferencesProject.imported()
            try project.git("switch", "-qc", "theirs")
            for (name, shade) in theirs { try project.draw(name, shade: shade) }
            _ = try project.refs("commit")
            try project.commit("theirs")
            try project.git("switch", "-q", "main")
            #expect(try project.refs("checkout").status == 0)
            for (name, shade) in ours { try project.draw(name, shade: shade) }
            _ = try project.refs("commit")
            try project.commit("ours")
            return project
        }

        @Test("git merge joins different pictures of one suite by the driver, without a question")
        func driver() throws {
            let project = try branches(["one": 101], ["two": 102, "four": 104])
            let merged = try project.git("merge", "-q", "--no-edit", "theirs")
            #expect(merged.status == 0, "\(merged.said)")
            #expect(try project.git("status", "--short").output == "")
            let changes = try project.refs("diff", "HEAD~1").output
            #expect(changes.contains("M A/Checkout/two") && changes.contains("+ A/Checkout/four"))
            // The merged set is unpublished; CI publishes it.
            #expect(try project.document("check")["isPublished"] as? Bool == false)
            #expect(try project.refs("publish").output.contains("is visible now"))
            #expect(try project.document("check")["isPublished"] as? Bool == true)
            #expect(try project.refs("checkout").status == 0)
            #expect(try project.storeIsClean())
        }

        @Test(
            "a clone without the driver: every command that reads the pin leads on, and doctor warns"
        )
        func withoutDriver() throws {
            let project = try branches(["one": 101], ["two": 102])
            let program = Program(folder: project.main)
            #expect(try program.run(["doctor"]).output.contains("Git merges pins with snapfarm"))
            try project.git("config", "--remove-section", "merge.snapfarm")
            let doctor = try program.run(["doctor"])
            let warning = doctor.output.split(separator: "\n").first { $0.contains("merge driver") }
            #expect(warning?.hasPrefix("warn") == true, "\(doctor.output)")
            #expect(try project.git("merge", "--no-edit", "theirs").status == 1)
            #expect(project.pin.contains("<<<<<<<"))
            for words in [
                ["run"], ["doctor"], ["refs", "check"], ["refs", "checkout"],
                ["refs", "status"], ["refs", "commit"], ["refs", "verify"],
            ] {
                let ending = try program.run(words)
                let said = ending.said
                #expect(
                    ending.status != 0 && said.contains("snapfarm refs merge"),
                    "\(words): \(said)"
                )
            }
            let merged = try project.refs("merge")
            #expect(merged.status == 0 && merged.output.contains("snapfarm refs init"))
            try project.git("add", "snapfarm.refs")
            #expect(try project.git("commit", "-qm", "merged").status == 0)
            #expect(try project.refs("init").status == 0)
            #expect(try program.run(["doctor"]).output.contains("Git merges pins with snapfarm"))
        }

        @Test("a picture that both sides changed is listed, decided by hand, and then committed")
        func conflict() throws {
            let project = try branches(["one": 101, "two": 110], ["one": 102, "two": 120])
            let merged = try project.git("merge", "--no-edit", "theirs")
            #expect(merged.status == 1)
            #expect(merged.errors.contains("snapfarm refs merge --take-ours 'A/Checkout/one'"))
            let listed = try project.refs("merge", "--pictures", "look")
            #expect(listed.status == 1 && listed.output.contains("2 pictures changed on both"))
            let theirs = project.main + "/look/A/Checkout/one/theirs.png"
            #expect(FileManager.default.contents(atPath: theirs) == Project.png(shade: 102))
            // Decisions may come one by one: the first is remembered.
            let half = try project.refs("merge", "--take-theirs", "A/Checkout/one")
            #expect(half.status == 1 && half.output.contains("1 picture changed on both"))
            let done = try project.refs("merge", "--take-ours", "A/Checkout/two")
            #expect(done.status == 0, "\(done.said)")
            try project.git("add", "snapfarm.refs")
            #expect(try project.git("commit", "-qm", "merged").status == 0)
            let changes = try project.refs("diff", "HEAD~1").output
            #expect(changes == "M A/Checkout/one\n1 changed\n")
            #expect(try project.refs("merge").status == 65)
            #expect(try project.storeIsClean())
        }

        @Test("a branch is merged without git merge, over the commit both come from")
        func branch() throws {
            let project = try branches(["one": 101], ["two": 102])
            let dry = try project.refs("merge", "theirs", "--dry-run")
            #expect(dry.status == 0 && dry.output.contains("merged 1 suite"))
            #expect(try project.git("status", "--short").output == "")
            #expect(try project.refs("merge", "theirs").status == 0)
            #expect(try project.refs("diff", "HEAD").output == "M A/Checkout/two\n1 changed\n")
            #expect(try project.refs("merge", "nowhere").status == 65)
            #expect(try project.storeIsClean())
        }
    }
}
