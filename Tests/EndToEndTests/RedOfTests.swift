import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// `run --red-of`, on a project in Git whose commit does not change.
    @Suite("A run of what is red", .serialized)
    struct RedOfTests {
        /// A project in Git; Git ignores `act/`, which stands for the world around the code.
        struct Repository {
            let project: Project

            init(_ project: Project) throws {
                self.project = project
                try project.folder.write(
                    ".gitignore",
                    ".snapfarm/\nsnapfarm-out/\nstore.git/\nact*\n"
                )
                try git("init", "-q", "-b", "main")
                #expect(try project.run(["--mode", "record"]).status == 0)
                try commit("record")
            }

            func git(_ words: String...) throws {
                let ended = try TestProcess(
                    ["/usr/bin/git", "-c", "user.name=t", "-c", "user.email=t@t"] + words,
                    environment: ProcessInfo.processInfo.environment,
                    in: project.folder.path
                ).ending(within: 30)
                #expect(ended.status == 0, "git \(words): \(ended.said)")
            }

            func commit(_ message: String) throws {
                try git("add", "-A")
                try git("commit", "-q", "--allow-empty", "-m", message)
            }

            /// Makes a scene fail for a reason outside of the code, or no longer.
            func fails(_ scene: String, _ fails: Bool = true) throws {
                guard !fails else {
                    try project.folder.write("act/\(scene)", "exit 1\n")
                    return
                }
                try FileManager.default.removeItem(atPath: project.folder.file("act/\(scene)"))
            }

            /// The tests that the last run ran, as `job cell test`.
            var ran: [String] {
                get throws {
                    try project.summary().tests.filter { $0.attempts > 0 }
                        .map { "\($0.job) \($0.cell) \($0.test)" }
                }
            }
        }

        @Test("runs only that, names the run of each other verdict, and is green as a whole")
        func green() throws {
            let repository = try Repository(Project(units: 2))
            let project = repository.project
            try repository.fails("two")
            #expect(try project.run().status == 1)
            let first = try project.summary().run.id
            // The test still fails in a second run, which hands the first one's verdicts on.
            let second = try project.run(["--red-of", "latest"])
            #expect(second.status == 1, "\(second.said)")
            #expect(try repository.ran == ["snapshot_test A two", "snapshot_test B two"])
            try repository.fails("two", false)
            let third = try project.run(["--red-of", "latest"])
            #expect(third.status == 0, "\(third.said)")
            #expect(third.output.contains("2 tests as expected, 4 inherited"), "\(third.said)")
            #expect(try repository.ran == ["snapshot_test A two", "snapshot_test B two"])
            let summary = try project.summary()
            #expect(summary.counts.planned == 6 && summary.counts.passed == 2)
            #expect(summary.counts.inherited == 4)
            let others = summary.tests.filter { $0.verdict == .inherited }
            #expect(others.count == 4 && others.allSatisfy { $0.inheritedFrom == first })
            #expect(
                summary.snapshots.map { "\($0.id) \($0.verdict)" } == [
                    "A/Suite/one inherited", "A/Suite/two passed", "B/Suite/one inherited",
                    "B/Suite/two passed",
                ]
            )
            #expect(summary.proof == nil)
            #expect(project.text("snapfarm-out/report.md").contains("4 inherited"))
            #expect(project.text("snapfarm-out/junit.xml").contains("it passed in run \(first)"))
            let check = try project.program().run(["check", "--deep"])
            #expect(check.status == 0, "\(check.said)")
            let judge = try project.program().run(["judge", "--run", "latest"])
            #expect(judge.status == 65 && judge.errors.contains("inherited verdicts"))
            // Nothing is red any more.
            let fourth = try project.run(["--red-of", summary.run.id])
            #expect(fourth.status == 0, "\(fourth.said)")
            #expect(fourth.output.contains("0 tests ran, 6 inherited"), "\(fourth.said)")
        }

        @Test("is approved with the pictures that ran, and no other")
        func approved() throws {
            let repository = try Repository(Project(units: 1))
            let project = repository.project
            try project.folder.write("pictures/one.png", Project.png(shade: 10, corner: 200))
            try repository.commit("change")
            #expect(try project.run().status == 1)
            let place = "snapfarm-out/FailureDiffs.zip"
            let again = try project.run(["--red-of", place, "--output", "again"])
            #expect(again.status == 1, "\(again.said)")
            #expect(try repository.ran.count == 5, "of the first run")
            let summary = try project.summary("again")
            #expect(summary.counts.changed == 2 && summary.counts.inherited == 3)
            let approved = try project.program().run(["approve", "--run", "latest"])
            #expect(approved.output.contains("Approved 2 changed"), "\(approved.said)")
            // An older pin is another plan; a commit of the new one is other code.
            let refused = try project.run(["--red-of", place])
            #expect(refused.status == 65, "\(refused.said)")
            #expect(refused.errors.contains("the pin names another set"), "\(refused.said)")
            #expect(try project.run().status == 0)
        }

        @Test("is refused, with cause and remedy, where it would lie")
        func refused() throws {
            let repository = try Repository(Project(devices: ["A"], units: 1))
            let project = repository.project
            func refusal(_ words: [String] = ["--red-of", "latest"]) throws -> String {
                let ended = try project.run(words)
                #expect(ended.status == 65, "\(ended.said)")
                return ended.errors
            }
            #expect(try refusal().contains("no run of this pipeline and branch has ended"))
            try repository.fails("two")
            #expect(try project.run().status == 1)
            #expect(try project.run(["--red-of", "nothing"]).errors.contains("no run nothing"))
            let part = ["--red-of", "latest", "--select", "job=unit_test"]
            #expect(try refusal(part).contains("is a part of one"))
            #expect(
                try refusal(["--red-of", "latest", "--shard", "0/2"]).contains("a part of one")
            )
            let record = ["--red-of", "latest", "--mode", "record"]
            #expect(try refusal(record).contains("a record run takes every picture anew"))
            try project.folder.write("new.txt", "not in Git")
            #expect(try refusal().contains("files of the work tree differ"))
            let other = try project.run(["--red-of", "latest", "--other-code"])
            #expect(other.status == 1, "\(other.said)")
            try repository.fails("two", false)
            let green = try project.run(["--red-of", "latest", "--other-code"])
            #expect(green.status == 2, "\(green.said)")
            #expect(green.said.contains("inherited-other-code"), "\(green.said)")
            #expect(try repository.ran == ["snapshot_test A two"])
            try repository.commit("new")
            #expect(try refusal().contains(", and this is "))
            try project.folder.write("units", "unit/0\nunit/1\n")
            #expect(try refusal().contains("job unit_test has other tests"))
        }

        @Test("killed by SIGKILL and resumed has the verdicts of an uninterrupted one")
        func killed() throws {
            let scenes = (0..<4).map { "s\($0)" }
            let repository = try Repository(Project(scenes: scenes, units: 4))
            let project = repository.project
            func verdicts() throws -> [String] {
                try project.summary().tests.map {
                    "\($0.job) \($0.cell) \($0.test) \($0.verdict?.rawValue ?? "none") "
                        + ($0.inheritedFrom ?? "")
                }
            }
            for scene in scenes { try repository.fails(scene) }
            #expect(try project.run().status == 1)
            let first = try project.summary().run.id
            for scene in scenes { try repository.fails(scene, false) }
            let act =
                "mkdir -p $SNAPFARM_CAPTURE_DIR/Suite && sleep 0.3 "
                + "&& cp pictures/$1.png $SNAPFARM_CAPTURE_DIR/Suite/\n"
            for scene in scenes { try project.folder.write("act/\(scene)", act) }
            #expect(try project.run(["--red-of", first]).status == 0)
            let expected = try verdicts()
            #expect(expected.filter { $0.contains(" inherited \(first)") }.count == 4)
            let words = ["run", "app.yaml", "--red-of", first]
            let running = try project.program().start(words)
            #expect(running.wait(seconds: 20) { running.errors.contains("inherited from run") })
            Thread.sleep(forTimeInterval: 0.5)
            kill(running.pid, SIGKILL)
            #expect(running.ending(within: 10).status == 128 + 9)
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            #expect(running.wait(seconds: 10) { processes(naming: scratch).isEmpty })
            let resumed = try project.program().run(words + ["--resume"])
            #expect(resumed.status == 0, "\(resumed.said)")
            #expect(try verdicts() == expected)
            let check = try project.program().run(["check", "--deep"])
            #expect(check.status == 0, "\(check.said)")
        }
    }
}

extension ManyMachines {
    @Suite("A run of what is red at a coordinator", .serialized)
    struct RedOfFleetTests {
        @Test("runs only that, and inherits the rest from the coordinator's run")
        func fleet() throws {
            let fleet = try Fleet()
            let repository = try EndToEnd.RedOfTests.Repository(fleet.project)
            try fleet.serve()
            _ = try fleet.startWorker("w")
            try repository.fails("two")
            let first = try fleet.run()
            #expect(first.status == 1, "\(first.said)")
            let id = try fleet.project.summary().run.id
            try repository.fails("two", false)
            let again = try fleet.run(["--red-of", "latest"])
            #expect(again.status == 0, "\(again.said)")
            #expect(try repository.ran == ["snapshot_test A two", "snapshot_test B two"])
            let summary = try fleet.project.summary()
            #expect(summary.counts.inherited == 5 && summary.counts.passed == 2)
            #expect(
                summary.tests.allSatisfy { $0.verdict != .inherited || $0.inheritedFrom == id }
            )
            try fleet.project.folder.write("new.txt", "not in Git")
            let refused = try fleet.run(["--red-of", id])
            #expect(refused.status == 65, "\(refused.said)")
            #expect(refused.errors.contains("files of the work tree differ"), "\(refused.said)")
            fleet.stopWorkers()
        }
    }
}
