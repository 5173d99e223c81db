// Tests of a team's store on a Git host, from the first push to the merge of two recordings.
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A store on a Git host, from its first push", .serialized)
    struct RefsTeamTests {
        /// A project's store on a host: empty, and named by a URL.
        private struct Host {
            let project: ReferencesProject
            let server: TestProcess
            var store: String { project.folder.file("far.git") }

            init() throws {
                project = try ReferencesProject()
                let folder = project.folder
                let port = try TestPort.reserved()
                let far = folder.file("far.git")
                try project.git("init", "-q", "--bare", "far.git", in: folder.path)
                // Large hosts allow this filter: folders are fetched without their pictures.
                try project.git("config", "uploadpack.allowFilter", "true", in: far)
                server = try TestProcess([
                    "git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
                    "--listen=127.0.0.1", "--port=\(port)", "--base-path=\(folder.path)",
                ])
                try TestPort.awaitListener(on: port)
                let url = "\"git://127.0.0.1:\(port)/far.git\""
                try folder.write(
                    "main/app.yaml",
                    ReferencesProject.pipeline.replacing("../store.git", with: url)
                )
                try folder.write("main/.gitignore", "/Tests/\n.snapfarm*\n")
            }

            func isClean() throws -> Bool { try project.storeIsClean(store) }
        }

        @Test("every command says what comes next, from an empty repository to the pushed set")
        func emptyRepository() throws {
            let host = try Host()
            let project = host.project
            #expect(try project.refs("push").errors.contains("snapfarm refs import"))
            try project.draw("one", shade: 10)
            let fetched = try project.refs("fetch")
            #expect(fetched.status == 78 && fetched.errors.contains("snapfarm refs init --remote"))
            try project.refsSucceed("import", "--cell", "A", "--no-weight")
            let early = try project.refs("push")
            #expect(early.status == 78, "\(early.said)")
            let advice = try #require(early.errors.split(separator: "`").dropFirst().first)
            #expect(advice.hasPrefix("snapfarm refs init --remote git://"), "\(early.said)")
            let words = advice.split(separator: " ").dropFirst().map(String.init)
            #expect(try project.program(in: "main").run(words).status == 0)
            #expect(try project.refs("push").output.contains("pushed"))
            #expect(try project.refs("check").status == 0)
            #expect(try host.isClean())
        }

        @Test("a folder that is an empty bare repository becomes the store")
        func emptyFolder() throws {
            let project = try ReferencesProject()
            try project.git("init", "-q", "--bare", project.store)
            try project.draw("one", shade: 10)
            #expect(try project.refs("init").output.contains("made the store"))
            #expect(try project.refs("init").output.contains("is a store already"))
            try project.refsSucceed("import", "--cell", "A", "--no-weight")
            let shown = try project.git("show", "HEAD:A/Checkout/one.png", in: project.store)
            #expect(shown.status == 0)
            let taken = try project.refs("init", project.main)
            #expect(taken.status == 78 && taken.errors.contains("git init --bare"))
        }

        @Test("a fresh mirror knows how old an imported history is, so that a prune takes it")
        func importedAges() throws {
            let host = try Host()
            let project = host.project
            try project.folder.write("main/.gitignore", ".snapfarm*\n")
            for shade in 1...3 {
                try project.draw("one", shade: UInt8(shade))
                try project.git("add", "-A")
                let when = "2025-0\(shade)-01T00:00:00Z"
                let dated = try TestProcess.run(
                    ["git", "-C", project.main, "commit", "-qm", "shade \(shade)"],
                    environment: ProcessInfo.processInfo.environment.merging(
                        ["GIT_COMMITTER_DATE": when]
                    ) { _, new in new }
                )
                #expect(dated.status == 0, "\(dated.said)")
            }
            try project.refsSucceed("init")
            try project.refsSucceed("import", "--history", "--cell", "A", "--no-weight")
            try project.git("rm", "-rq", "--cached", "Tests")
            try project.folder.write("main/.gitignore", "/Tests/\n.snapfarm*\n")
            try project.commit("a pin instead")
            let pushed = try project.refs("push")
            #expect(pushed.output.contains("with 2 earlier sets"), "\(pushed)")
            let sets = try project.sets(host.store)
            #expect(sets.count == 3)

            // A CI machine has only a clone of the main repository.
            try project.git("clone", "-q", project.main, "fresh", in: project.folder.path)
            let fresh = project.folder.file("fresh")
            let old = try project.refs("prune", "--dry-run", in: fresh)
            let pinned = try project.refs("pin", in: fresh).output
            #expect(old.status == 0, "\(old.said)")
            for set in sets where !pinned.contains(set) {
                #expect(old.output.contains("  tombstone \(set)\n"), "\(old.output)")
            }
            let young = try project.refs("prune", "--dry-run", "--young-days", "9999", in: fresh)
            #expect(young.output.contains("3 sets kept"), "\(young.output)")
            #expect(try host.isClean())
        }

        @Test(
            "a merge of what is not here yet leads to refs merge, which fetches it",
            // After a push the store has the folders of the other sets, but not their pictures.
            arguments: [false, true]
        )
        func mergeFetches(pushesFirst: Bool) throws {
            let host = try Host()
            let project = host.project
            for name in ["one", "two"] { try project.draw(name, shade: 10) }
            try project.refsSucceed("init")
            try project.refsSucceed("import", "--cell", "A", "--no-weight")
            try project.refsSucceed("push")
            try project.commit("references")

            try project.git("clone", "-q", project.main, "other", in: project.folder.path)
            let other = project.folder.file("other")
            for words in [
                ["config", "user.name", "Bob"], ["config", "user.email", "b@example.org"],
                ["switch", "-qc", "blue"],
            ] {
                #expect(try TestProcess.run(["git", "-C", other] + words).status == 0)
            }
            _ = try project.refs("init", in: other)
            _ = try project.refs("checkout", "--folder", "refs", in: other)
            let theirs = URL(fileURLWithPath: other + "/refs/A/Checkout/two.png")
            try Project.png(shade: 120).write(to: theirs)
            #expect(try project.refs("commit", in: other).status == 0)
            try project.git("commit", "-qam", "blue", in: other)
            #expect(try project.refs("push", in: other).status == 0)

            try project.draw("one", shade: 110)
            try project.refsSucceed("commit")
            if pushesFirst { try project.refsSucceed("push") }
            try project.git("commit", "-qam", "red")
            try project.git("fetch", "-q", other, "blue:blue")
            let merged = try project.git("merge", "--no-edit", "blue")
            #expect(merged.status == 1)
            #expect(merged.errors.contains("Next: snapfarm refs merge"), "\(merged.said)")
            #expect(merged.errors.contains("\"A/Checkout\" of theirs is"), "\(merged.said)")
            // An error about this pin names the same command.
            let read = try project.refs("check")
            #expect(read.status == 78 && read.errors.contains("`snapfarm refs merge`"))
            let done = try project.refs("merge")
            #expect(done.status == 0, "\(done.said)")
            let next = "merged; next: git add snapfarm.refs && snapfarm refs push"
            #expect(done.output.contains(next), "\(done.output)")
            #expect(done.output.contains("snapfarm refs checkout"), "\(done.output)")
            try project.git("add", "snapfarm.refs")
            #expect(try project.git("commit", "-qm", "merged").status == 0)
            #expect(try project.refs("check").status == 78)
            try project.refsSucceed("push")
            #expect(try project.refs("check").status == 0)
            #expect(try project.refs("diff", "HEAD~1").output == "M A/Checkout/two\n1 changed\n")
            #expect(try host.isClean())
        }
    }
}
