import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Commits that change nothing that a test reads.
    @Suite("A commit that changes only the pin", .serialized)
    struct UnchangedTests {
        /// A project in Git, as a CI job checks it out, with a red run whose two changed pictures
        /// are accepted.
        private struct Repository {
            let project: Project
            var history: [String] = ["--history", "farm/history.json"]

            init() throws {
                project = try Project(units: 2)
                try project.folder.write(
                    ".gitignore",
                    ".snapfarm/\nsnapfarm-out/\nstore.git/\nfarm/\nignored\n"
                )
                try project.folder.write("docs/guide.md", "one")
                try project.folder.write("ignored", "local")
                let text = project.text("app.yaml") + "\npathsIgnore: [\"docs/**\"]\n"
                try project.folder.write("app.yaml", text)
                try git("init", "-q", "-b", "main")
                #expect(try project.run(["--mode", "record"]).status == 0)
                try commit("record")
                try project.folder.write("pictures/one.png", Project.png(shade: 10, corner: 200))
                try commit("change")
                #expect(try run() == 1)
            }

            func git(_ words: String...) throws {
                let ended = try shell(
                    ["/usr/bin/git", "-c", "user.name=t", "-c", "user.email=t@t"] + words
                )
                #expect(ended.status == 0, "git \(words): \(ended.said)")
            }

            func shell(_ words: [String]) throws -> ProcessEnding {
                try TestProcess(
                    words,
                    environment: ProcessInfo.processInfo.environment,
                    in: project.folder.path
                ).ending(within: 30)
            }

            func commit(_ message: String) throws {
                try git("add", "-A")
                try git("commit", "-q", "--allow-empty", "-m", message)
            }

            func accept() throws {
                let ended = try project.program().run(["approve", "--run", "latest"])
                #expect(ended.status == 0, "\(ended.said)")
            }

            /// Runs the pipeline, and returns the exit code.
            @discardableResult
            func run(_ words: [String]? = nil) throws -> Int32 {
                try project.run(words ?? history).status
            }

            /// The number of tests that the last run ran.
            var ran: Int {
                get throws {
                    let summary = try project.summary()
                    return summary.tests.count { $0.attempts > 0 }
                }
            }
        }

        @Test("runs no test, is green, and says which run proves it; the next one runs as usual")
        func pin() throws {
            let repository = try Repository()
            try repository.accept()
            try repository.commit("accept")
            let ended = try repository.project.run(repository.history)
            #expect(ended.status == 0, "\(ended.said)")
            #expect(ended.said.contains("0 tests ran"), "\(ended.said)")
            #expect(try repository.ran == 0)
            let summary = try repository.project.summary()
            #expect(summary.counts.passed == 6 && summary.counts.planned == 6, "\(summary.counts)")
            #expect(summary.comparisons.identicalByDigest == 4)
            let junit = repository.project.text("snapfarm-out/junit.xml")
            #expect(junit.contains("tests=\"6\""), "\(junit)")
            // A job that is run again runs its tests only if it is of the commit of the proof.
            #expect(try repository.run(repository.history + ["--no-reuse"]) == 0)
            #expect(try repository.ran == 6)
            #expect(try repository.run() == 0)
            #expect(try repository.ran == 6, "the same commit again")
            try repository.project.folder.write("docs/guide.md", "two")
            try repository.commit("docs")
            #expect(try repository.run() == 0)
            #expect(try repository.ran == 0, "only docs changed since a green run")
        }

        @Test("is proven by a kept zip or output folder, too, and by nothing else")
        func kept() throws {
            let repository = try Repository()
            let folder = repository.project.folder
            let outside = try TemporaryFolder("kept")
            for name in ["FailureDiffs.zip", "FailureDiffs"] {
                try FileManager.default.copyItem(
                    atPath: folder.file("snapfarm-out/\(name)"),
                    toPath: outside.file(name)
                )
            }
            try outside.write("broken.zip", "no zip")
            try repository.accept()
            try repository.commit("accept")
            for (name, count) in [("FailureDiffs.zip", 0), ("FailureDiffs", 0), ("broken.zip", 6)] {
                try FileManager.default.removeItem(atPath: folder.file("farm/history.json"))
                let ended = try repository.project.run(
                    repository.history + ["--reuse", outside.file(name)]
                )
                #expect(ended.status == 0, "\(ended.said)")
                #expect(try repository.ran == count, "\(name)")
                try folder.write("farm/history.json", "")
            }
        }

        @Test("with one more change runs everything")
        func nearMisses() throws {
            let repository = try Repository()
            try repository.accept()
            try repository.commit("accept")
            let source = repository.project.folder.path
            for change in [
                "chmod +x pictures/two.png", "echo >> test.sh", "mv units unit && cp unit units",
                "echo two > ignored", "echo > untracked", "ln -s test.sh link",
                "git init -q lib && echo a > lib/a", "rm .gitignore",
                "printf '# a comment\\n' >> app.yaml", "touch 'pictures/new line'",
                "cp docs/guide.md guide.md",
            ] {
                let copy = try TemporaryFolder("copy")
                let made = try repository.shell([
                    "/bin/sh", "-c",
                    "cp -a '\(source)/.' '\(copy.path)' && cd '\(copy.path)' && \(change)",
                ])
                #expect(made.status == 0, "\(change): \(made.said)")
                let ended = try Program(folder: copy.path).run(
                    ["run", "app.yaml"] + repository.history
                )
                #expect(ended.status == 0, "\(change): \(ended.said)")
                #expect(!ended.said.contains("0 tests ran"), "\(change): \(ended.said)")
            }
            let ended = try repository.project.run(repository.history)
            #expect(ended.said.contains("0 tests ran"), "\(ended.said)")
        }

        @Test("that accepts only a part runs everything")
        func partly() throws {
            let repository = try Repository()
            let some = ["approve", "--run", "latest", "--select", "device=A"]
            #expect(try repository.project.program().run(some).status == 0)
            try repository.commit("accept one")
            #expect(try repository.run() == 1)
            #expect(try repository.ran == 6)
        }
    }
}
