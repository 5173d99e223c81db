// Tests of deleted and renamed scenes: the commands that a developer types, and the program's
// answers.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Scenes that go, and scenes with new names", .serialized)
    struct DeletedSceneTests {
        /// Returns a recorded project, committed to the branch `main`.
        private func project() throws -> Project {
            let project = try Project(scenes: ["one", "two", "three"], units: 1)
            try project.folder.write(".gitignore", ".snapfarm/\nsnapfarm-out/\nstore.git/\n")
            #expect(try project.run(["--mode", "record"]).status == 0)
            try git(["init", "-q", "-b", "main", "."], project)
            try commit(project)
            return project
        }

        private func git(_ words: [String], _ project: Project) throws {
            try SharedProject.git(words, in: project.folder.path)
        }

        private func commit(_ project: Project) throws {
            try git(["add", "-A"], project)
            try git(["commit", "-qm", "step"], project)
        }

        private func call(_ words: String, _ project: Project) throws -> ProcessEnding {
            try project.program().run(words.split(separator: " ").map(String.init))
        }

        @Test("a deleted scene leaves the references by the command that the run names")
        func deleted() throws {
            let project = try project()
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            #expect(try call("approve --run latest", project).status == 0)
            try commit(project)

            try project.folder.write("scenes", "one\nthree\n")
            let red = try project.run()
            let run = try project.summary().run.id
            #expect(red.status == 1)
            #expect(red.output.contains("its test two is not in the list of tests any more."))
            #expect(red.output.contains("snapfarm review app.yaml --run \(run)"), "\(red.output)")
            let accept = "snapfarm approve app.yaml --run \(run) --remove-missing --reason \"…\""
            #expect(red.output.contains(accept), "\(red.output)")

            let unsaid = try call("approve --run latest", project)
            #expect(unsaid.status == 1, "\(unsaid.said)")
            #expect(
                unsaid.errors.contains(
                    "no test makes 2 pictures any more: A/Suite/two, B/Suite/two."
                )
                    && unsaid.errors.contains("say so with --remove-missing"),
                "\(unsaid.said)"
            )
            let removing = "approve --run latest --remove-missing"
            let one = try call(removing + " --dry-run --select cell=A", project)
            #expect(one.output.contains("1 picture will leave the references."), "\(one.output)")
            let gone = try call(removing, project)
            #expect(gone.status == 0, "\(gone.said)")
            #expect(gone.output.contains("Approved 2 removed of run \(run)"), "\(gone.output)")
            #expect(gone.output.contains("2 pictures will leave the references."))
            try commit(project)

            // Both runs are decided already.
            for words in [removing, "review --no-open", "reject --run latest"] {
                let decided = try call(words, project)
                #expect(decided.status == 65, "\(words): \(decided.said)")
                #expect(decided.errors.contains("has a picture left to approve or reject"))
            }
            #expect(try project.run().status == 0)
        }

        @Test("a run of another branch is not the latest of this one, and a revert opens it again")
        func branches() throws {
            let project = try project()
            try git(["checkout", "-q", "-b", "feature"], project)
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            try commit(project)
            #expect(try project.run().status == 1)
            let run = try project.summary().run.id
            try git(["checkout", "-q", "main"], project)
            let elsewhere = try call("approve --run latest --dry-run", project)
            #expect(elsewhere.status == 65, "\(elsewhere.said)")
            #expect(elsewhere.errors.contains("of this branch"), "\(elsewhere.said)")
            try git(["checkout", "-q", "feature"], project)
            for _ in 1...2 {
                let approved = try call("approve --run latest", project)
                #expect(approved.output.contains("Approved 2 changed of run \(run)"))
                try git(["checkout", "-q", "--", "snapfarm.refs"], project)
            }
            #expect(try call("reject --run latest", project).status == 0)
            // The newest run can be reopened; an older rejected one cannot.
            let taken = try call("approve --run latest --even-rejected --dry-run", project)
            #expect(taken.output.contains("Would approve 2 changed"), "\(taken.output)")
            try project.folder.write("pictures/one.png", Project.png(shade: 10))
            #expect(try project.run().status == 0)
            #expect(try call("approve --run latest --even-rejected", project).status == 65)
        }

        @Test("what a green run misses is taken where the job lets tests go")
        func accepted() throws {
            let project = try project()
            let pipeline = project.text("app.yaml")
                .replacing(
                    "discover: cat scenes",
                    with: "discover: cat scenes\n    vanished: accept"
                )
            try project.folder.write("app.yaml", pipeline)
            try project.folder.write("scenes", "one\nthree\n")
            #expect(try project.run().status == 0)
            let gone = try call("approve --run latest --remove-missing", project)
            #expect(gone.output.contains("2 pictures will leave the references."), "\(gone.output)")
        }

        @Test("a comment that names a picture no test makes takes it out of the references")
        func comment() throws {
            let project = try project()
            try project.folder.write("scenes", "one\nthree\n")
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            let change = try #require(summary.changes?.first?.id)
            try project.folder.write(
                "comment",
                "/snapfarm accept \(summary.run.id)\n\(change) two\n"
            )
            let gone = try call("approve --from snapfarm-out --comment comment", project)
            #expect(gone.status == 0, "\(gone.said)")
            #expect(gone.output.contains("2 pictures will leave the references."), "\(gone.output)")
            #expect(try project.run().status == 0)
        }

        @Test("renamed scenes take their references along by one pattern, and are green")
        func renamed() throws {
            let project = try project()
            try project.folder.write("scenes", "one\nshop-two\nshop-three\n")
            for name in ["two", "three"] {
                let picture = project.folder.file("pictures/\(name).png")
                try FileManager.default.moveItem(
                    atPath: picture,
                    toPath: project.folder.file("pictures/shop-\(name).png")
                )
            }
            let red = try project.run()
            #expect(red.status == 1)
            let missing = try project.summary().snapshots.count { $0.verdict == .missing }
            #expect(missing == 4, "\(red.said)")
            let nothing = try call("refs move */Suite/x* */Suite/y*", project)
            #expect(nothing.status == 65, "\(nothing.said)")
            #expect(nothing.errors.contains("no picture matches \"*/Suite/x*\""))
            let pin = project.text("snapfarm.refs")
            let plan = try call("refs move */Suite/t* */Suite/shop-t* --dry-run", project)
            #expect(
                plan.output.contains("A/Suite/two → A/Suite/shop-two (1 picture)"),
                "\(plan.output)"
            )
            #expect(project.text("snapfarm.refs") == pin)
            let moved = try call("refs move */Suite/t* */Suite/shop-t*", project)
            #expect(moved.status == 0 && moved.output.contains("4 moved"), "\(moved.said)")
            let green = try project.run()
            #expect(green.status == 0, "\(green.said)")
            let taken = try call("refs move */Suite/one */Suite/shop-two.png", project)
            #expect(taken.errors.contains("2 of the new names are taken"), "\(taken.said)")
        }
    }
}
