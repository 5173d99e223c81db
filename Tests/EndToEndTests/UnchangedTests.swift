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
        struct Repository {
            let project: Project
            let history = ["--history", "farm/history.json"]

            /// Makes the repository; `prepare` changes the project before its first commit.
            init(runs: Bool = true, prepare: (Project) throws -> Void = { _ in }) throws {
                project = try Project(units: 2)
                try prepare(project)
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
                if runs { #expect(try run() == 1) }
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
            #expect(summary.comparisons == ComparisonCounts(), "nothing was compared")
            let runs = try repository.project.program().run(["runs", "--limit", "1"]).output
            #expect(runs.contains("\(summary.run.id)  passed  0/6"), "\(runs)")
            #expect(runs.contains("\(summary.run.id): 0 tests ran: no file"), "\(runs)")
            let junit = repository.project.text("snapfarm-out/junit.xml")
            #expect(junit.contains("tests=\"6\""), "\(junit)")
            #expect(junit.contains("<property name=\"unchanged\" value=\"0 tests ran"), "\(junit)")
            // A job that is run again runs its tests only if it is of the commit of the proof.
            #expect(try repository.run(repository.history + ["--no-reuse"]) == 0)
            #expect(try repository.ran == 6)
            let same = try repository.project.run(repository.history)
            #expect(same.said.contains("is of this very commit"), "\(same.said)")
            #expect(try repository.ran == 6, "the same commit again")
            let quiet = try repository.project.run(repository.history + ["--quiet"])
            #expect(!quiet.said.contains("the tests run"), "\(quiet.said)")
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
            let untracked = "a file that Git does not track, or a program,"
            for (change, first) in [
                ("chmod +x pictures/two.png", "pictures/two.png"), ("echo >> test.sh", "test.sh"),
                ("mv units unit && cp unit units", untracked), ("echo two > ignored", untracked),
                ("echo > untracked", untracked), ("ln -s test.sh link", untracked),
                ("git init -q lib && echo a > lib/a", untracked), ("rm .gitignore", ".gitignore"),
                ("printf '# a comment\\n' >> app.yaml", "app.yaml"),
                ("touch 'pictures/new line'", untracked), ("cp docs/guide.md guide.md", untracked),
                ("echo > docs/guide.md; echo >> units", "units"),
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
                let reason = "the tests run: \(first) has changed since run"
                #expect(ended.said.contains(reason), "\(change): \(ended.said)")
            }
            let ended = try repository.project.run(repository.history)
            #expect(ended.said.contains("0 tests ran"), "\(ended.said)")
        }

        @Test("runs no test in any part or shard, and their merge is green and proves the next one")
        func parts() throws {
            for parts in [
                [
                    ["--select", "device=A"], ["--select", "device=B"],
                    ["--select", "job=unit_test"],
                ],
                [["--shard", "0/2"], ["--shard", "1/2"]],
            ] {
                let repository = try Repository()
                let project = repository.project
                // Without the history, the runs before prove nothing.
                try FileManager.default.removeItem(atPath: project.folder.file("farm/history.json"))
                try project.folder.write("pictures/two.png", Project.png(shade: 51))
                try repository.commit("two")
                func all(_ words: [String] = []) throws -> (merge: ProcessEnding, ran: [Int]) {
                    var ran: [Int] = []
                    for (index, part) in parts.enumerated() {
                        let part =
                            part.first == "--select" && part[1].hasPrefix("device")
                            ? part + ["--select", "job=snapshot_test"] : part
                        let own = ["--output", "farm-\(index)"] + part + words
                        let ended = try project.run(repository.history + own)
                        #expect([0, 1].contains(ended.status), "\(ended.said)")
                        ran.append(
                            try project.summary("farm-\(index)").tests.count { $0.attempts > 0 }
                        )
                    }
                    let merged = try project.program().run(
                        ["merge"] + parts.indices.map { "farm-\($0)" }
                            + ["--output", "snapfarm-out"] + repository.history
                    )
                    return (merged, ran)
                }
                try project.folder.write(
                    ".gitignore",
                    project.text(".gitignore") + "farm-*\n"
                )
                let ignored = project.text("app.yaml").replacing(
                    "[\"docs/**\"]",
                    with: "[\"docs/**\", \"farm-*/**\"]"
                )
                try project.folder.write("app.yaml", ignored)
                try repository.commit("parts")
                let red = try all()
                #expect(red.merge.status == 1, "\(red.merge.said)")
                #expect(red.ran.reduce(0, +) == 6, "\(red.ran)")
                let approved = try project.program().run([
                    "approve", "app.yaml", "--from", "snapfarm-out",
                ])
                #expect(approved.status == 0, "\(approved.said)")
                try repository.commit("accept")
                let green = try all()
                #expect(green.ran.reduce(0, +) == 0, "\(green.ran)")
                #expect(green.merge.status == 0, "\(green.merge.said)")
                #expect(green.merge.said.contains("0 tests ran"), "\(green.merge.said)")
                #expect(try project.summary().counts.passed == 6)
                try repository.commit("nothing")
                #expect(try all().ran.reduce(0, +) == 0, "the proof is still there")
            }
        }

        @Test("is refused where one machine finds a change and the others do not")
        func mixed() throws {
            // A proof lists the tests in another order than the program.
            let repository = try Repository {
                try $0.folder.write("scenes", "two\none\n")
            }
            let project = repository.project
            let text = project.text("app.yaml").replacing(
                "[\"docs/**\"]",
                with: "[\"docs/**\", \"part-*/**\"]"
            )
            try project.folder.write("app.yaml", text)
            try project.folder.write(".gitignore", project.text(".gitignore") + "part-*\n")
            try repository.commit("parts")
            func part(_ index: Int, _ words: String...) throws {
                let own = ["--shard", "\(index)/2", "--output", "part-\(index)"]
                _ = try project.run(repository.history + own + words)
            }
            func merge() throws -> ProcessEnding {
                try project.program().run(
                    ["merge", "part-0", "part-1", "--output", "snapfarm-out"] + repository.history
                )
            }
            try part(0)
            try part(1)
            #expect(try merge().status == 1)
            let approve = ["approve", "app.yaml", "--from", "snapfarm-out"]
            #expect(try project.program().run(approve).status == 0)
            try repository.commit("accept")
            try part(0)
            try part(1, "--no-reuse")
            let merged = try merge()
            #expect(merged.status == 2, "\(merged.said)")
            #expect(merged.said.contains("part-0 ran nothing"), "\(merged.said)")
        }

        @Test("does not leave out a folder of the repository, whatever option names it")
        func tracked() throws {
            for option in ["--output", "--data"] {
                let repository = try Repository(runs: false)
                let words = repository.history + [option, "pictures"]
                let output = option == "--output" ? "pictures" : "snapfarm-out"
                #expect(try repository.run(words) == 1)
                let approve = ["approve", "app.yaml", "--from", output]
                #expect(try repository.project.program().run(approve).status == 0)
                try repository.project.folder.write(
                    "pictures/two.png",
                    Project.png(shade: 51, corner: 3)
                )
                try repository.commit("accept, and another change")
                let ended = try repository.project.run(words)
                #expect(ended.status == 1, "\(option): \(ended.said)")
            }
        }

        @Test("does not leave out the pipeline file, whatever pattern names it")
        func pipelineFile() throws {
            let repository = try Repository(runs: false)
            let all = repository.project.text("app.yaml").replacing("docs/**", with: "**")
            try repository.project.folder.write("app.yaml", all)
            try repository.commit("all")
            #expect(try repository.run() == 1)
            try repository.accept()
            try repository.project.folder.write("app.yaml", all + "# one more rule\n")
            try repository.commit("accept, and another rule")
            let ended = try repository.project.run(repository.history)
            #expect(ended.status == 0, "\(ended.said)")
            #expect(!ended.said.contains("none of"), "\(ended.said)")
        }

        @Test("runs a job that needs no store where the store cannot be read")
        func withoutStore() throws {
            let repository = try Repository()
            let project = repository.project
            try repository.accept()
            try repository.commit("accept")
            // The proof is of the part that runs.
            let words = repository.history + ["--select", "job=unit_test"]
            let text = project.text("farm/history.json")
            try project.folder.write(
                "farm/history.json",
                text.replacing("\"inputs\":{\"\":", with: "\"inputs\":{\"job=unit_test\":")
            )
            #expect(try project.run(words).said.contains("0 tests ran"))
            let elsewhere = try TemporaryFolder("gone")
            try FileManager.default.moveItem(
                atPath: project.folder.file("store.git"),
                toPath: elsewhere.file("store.git")
            )
            let ended = try project.run(words + ["--quiet"])
            #expect(ended.status == 0, "\(ended.said)")
            #expect(try repository.ran == 2)
        }

        @Test("that accepts only a part runs everything")
        func partly() throws {
            let repository = try Repository()
            let some = ["approve", "--run", "latest", "--select", "device=A"]
            #expect(try repository.project.program().run(some).status == 0)
            try repository.commit("accept one")
            let ended = try repository.project.run(repository.history)
            #expect(ended.status == 1, "\(ended.said)")
            #expect(try repository.ran == 6)
            let reason = "the tests run: the pin names 4 pictures, and not exactly those of run"
            #expect(ended.said.contains(reason), "\(ended.said)")
        }
    }
}

extension ManyMachines {
    @Suite("A commit that changes only the pin, at a coordinator", .serialized)
    struct UnchangedFleetTests {
        @Test("runs no test while the workers offer the same programs")
        func fleet() throws {
            var fleet: Fleet?
            let repository = try EndToEnd.UnchangedTests.Repository(runs: false) {
                fleet = try Fleet($0)
            }
            let farm = try #require(fleet)
            try farm.serve()
            _ = try farm.startWorker("far")
            // The worker may call only after the first run has asked for the workers' programs.
            for _ in 0..<2 {
                let red = try farm.run()
                #expect(red.status == 1, "\(red.said)")
            }
            let approve = ["approve", "app.yaml", "--from", "snapfarm-out"]
            #expect(try repository.project.program().run(approve).status == 0)
            try repository.commit("accept")
            let green = try farm.run()
            #expect(green.status == 0 && green.said.contains("0 tests ran"), "\(green.said)")
            farm.stopWorkers()
            _ = try farm.startWorker("other", offering: ["gpu=other"])
            let again = try farm.run()
            #expect(again.status == 0, "\(again.said)")
            #expect(try repository.ran == 6, "another machine may draw otherwise")
        }
    }
}
