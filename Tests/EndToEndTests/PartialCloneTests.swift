// Tests of clones that CI makes of large repositories: with only some files and some history, and
// missing objects fetched when they are needed.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A clone of a part of a repository", .serialized)
    struct PartialCloneTests {
        /// Clones as GitHub's `actions/checkout` does with `sparse-checkout:`.
        private func checkedOut(_ team: SharedProject, in name: String) throws
            -> SharedProject.Clone
        {
            for setting in ["allowFilter", "allowAnySHA1InWant"] {
                try SharedProject.git(
                    ["-C", "main.git", "config", "uploadpack.\(setting)", "true"],
                    in: team.folder.path
                )
            }
            try SharedProject.git(["init", "-q", name], in: team.folder.path)
            let clone = SharedProject.Clone(path: team.folder.file(name))
            for words in [
                ["remote", "add", "origin", "file://\(team.folder.file("main.git"))"],
                ["config", "extensions.worktreeConfig", "true"],
                ["sparse-checkout", "set", "pictures"],
                [
                    "fetch", "-q", "--no-tags", "--depth=1", "--filter=blob:none", "origin",
                    "+refs/heads/main:refs/remotes/origin/main",
                ],
                ["checkout", "-q", "--force", "-B", "main", "refs/remotes/origin/main"],
            ] {
                try SharedProject.git(words, in: clone.path)
            }
            return clone
        }

        @Test("is a work tree for every command, or the command says what it lacks")
        func commands() throws {
            let red = try RedRun()
            let clone = try checkedOut(red.team, in: "sparse")
            let run = try clone.snapfarm(["run", "app.yaml", "--quiet"])
            #expect(run.status == 1, "\(run.said)")
            let bytes = try Data(
                contentsOf: URL(fileURLWithPath: clone.path + "/snapfarm-out/summary.json")
            )
            let facts = try JSONDecoder().decode(RunSummary.self, from: bytes).run
            #expect(try facts.branch == "main" && facts.commit == red.main("rev-parse", "main"))
            for (words, status, said) in [
                ("doctor", 0, "the store has set"), ("refs init", 0, "installed the merge driver"),
                ("refs checkout --layout plain --folder shown", 0, "written"),
                ("refs status", 0, "as checked out"), ("refs hook install", 0, "installed"),
                ("refs prune --dry-run", 78, "--unshallow"),
                (
                    "refs import --pattern {suite}/{name}.png --cell A --dry-run", 0,
                    "this clone is partial"
                ),
            ] {
                let ending = try clone.snapfarm(words.split(separator: " ").map(String.init))
                #expect(ending.status == status, "\(words): \(ending.said)")
                #expect(ending.said.contains(said), "\(words): \(ending)")
            }
            let before = try red.main("rev-parse", "main:snapfarm.refs")
            let words = ["approve", "--from", red.output, "--commit", "main", "--reason", "blue"]
            let approved = try clone.snapfarm(words)
            #expect(approved.status == 0, "\(approved.said)")
            #expect(try red.main("rev-parse", "main:snapfarm.refs") != before)
            try merges(red)
            try leavesOut(clone)
        }

        /// Checks that a pin outside of the sparse work tree does not count as an empty pin.
        private func leavesOut(_ clone: SharedProject.Clone) throws {
            try SharedProject.git(
                ["sparse-checkout", "set", "--no-cone", "/*", "!/snapfarm.refs"],
                in: clone.path
            )
            let run = try clone.snapfarm(["run", "app.yaml"])
            #expect(run.status == 78 && run.errors.contains("snapfarm.refs is not checked out"))
            #expect(run.errors.contains("git sparse-checkout add snapfarm.refs"), "\(run.said)")
        }

        /// Checks that a missing pin is fetched, and that a pin that a prune needs is never
        /// guessed.
        private func merges(_ red: RedRun) throws {
            try red.main("branch", "old", "main~1")
            let path = red.team.folder.file("partial")
            try SharedProject.git(
                [
                    "clone", "-q", "--filter=blob:none",
                    "file://\(red.team.folder.file("main.git"))", path,
                ],
                in: red.team.folder.path
            )
            let clone = SharedProject.Clone(path: path)
            let prune = try clone.snapfarm(["refs", "prune", "--dry-run"])
            #expect(prune.status == 78 && prune.errors.contains("--refetch"), "\(prune)")
            let merge = try clone.snapfarm(["refs", "merge", "origin/old", "--dry-run"])
            #expect(merge.status == 0, "\(merge.said)")
        }

        @Test("what libgit2 does not read is asked of git, or named with the reason")
        func sha256() throws {
            let project = try Project(devices: ["A"])
            let folder = project.folder.path
            for words in [
                ["init", "-q", "-b", "trunk", "--object-format=sha256", "."], ["add", "app.yaml"],
                ["commit", "-qm", "the app"],
            ] {
                try SharedProject.git(words, in: folder)
            }
            let commit = try SharedProject.git(["rev-parse", "HEAD"], in: folder).output.dropLast()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let facts = try project.summary().run
            #expect(facts.branch == "trunk" && facts.commit == String(commit))
            let program = project.program()
            let doctor = try program.run(["doctor"])
            #expect(doctor.output.contains("the extension objectformat"), "\(doctor.output)")
            for words in [["refs", "merge", "x"], ["refs", "checkout", "--layout", "plain"]] {
                let ending = try program.run(words)
                #expect(ending.errors.contains("the extension objectformat"), "\(ending.said)")
            }
            let made = try program.run(["refs", "init"])
            #expect(made.output.contains("merge driver"), "\(made.said)")
        }
    }
}
