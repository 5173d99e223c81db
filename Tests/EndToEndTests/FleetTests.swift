import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A fleet", .serialized)
    struct FleetTests {
        /// Returns a fleet with references.
        ///
        /// Its unit tests wait for the file `gate`, so no run ends before.
        private func gated(units: Int) throws -> Fleet {
            let fleet = try Fleet(try Project(units: units))
            let gate = fleet.project.folder.file("gate")
            try fleet.project.folder.write(
                "act-unit",
                "while [ ! -e \(gate) ]; do sleep 0.05; done\n"
            )
            #expect(
                try fleet.project.program().run([
                    "run", "app.yaml", "--mode", "record", "--select", "job=snapshot_test",
                ]).status == 0
            )
            return fleet
        }

        /// Returns the findings of a run, without the parts that differ from run to run.
        private static func findings(_ summary: RunSummary) -> [String] {
            summary.tests.map {
                "\($0.job) \($0.cell) \($0.test) \(String(describing: $0.verdict))"
            }.sorted()
                + summary.snapshots.map { "\($0.id) \($0.verdict) \($0.files.keys.sorted())" }
                .sorted()
                + ["\(summary.state) \(summary.exitCode) \(summary.counts.planned)"]
        }

        @Test("a run on a fleet finds what the same run finds on one machine")
        func sameAsLocal() throws {
            let fleet = try Fleet()
            let project = fleet.project
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run(["--output", "local"]).status == 1)
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            let ending = try fleet.run(["--output", "remote"])
            #expect(ending.status == 1, "\(ending.said)\n\(worker.errors)\n\(fleet.log)")
            let local = try project.summary("local")
            let remote = try project.summary("remote")
            #expect(Self.findings(remote) == Self.findings(local))
            #expect(remote.run.planDigest == local.run.planDigest)
            #expect(remote.run.set == local.run.set)
            for snapshot in remote.snapshots {
                for (role, path) in snapshot.files {
                    let here = try Data(
                        contentsOf: URL(fileURLWithPath: project.folder.file("remote/\(path)"))
                    )
                    let there = try Data(
                        contentsOf: URL(fileURLWithPath: project.folder.file("local/\(path)"))
                    )
                    #expect(here == there, "\(role) of \(snapshot.id)")
                }
            }
            #expect(project.exists("remote/FailureDiffs.zip") && project.exists("remote/junit.xml"))
            #expect(remote.counts.planned > 0)
            // The worker had no work tree: all its files came in the bundle.
            #expect(!FileManager.default.fileExists(atPath: fleet.place.file("worker-far/test.sh")))
            // The worker may not read references any longer: the run has ended.
            let one = URL(fileURLWithPath: project.folder.file("pictures/one.png"))
            let object = ObjectID(ofBlob: try Data(contentsOf: one))
            let path = "/api/v1/pictures/\(remote.run.id)/\(object)"
            let (submit, work) = (try fleet.token("submit"), try fleet.token("work"))
            #expect(try fleet.call("GET", path, token: submit)?.status == 200)
            #expect(try fleet.call("GET", path, token: work)?.status == 403)
        }

        @Test("jobs with the same key share one run, and --join lends their machines")
        func joined() throws {
            let fleet = try Fleet()
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            let program = try fleet.submitting("submit", "work")
            let words = [
                "run", "app.yaml", "--coordinator", fleet.url, "--key", "build 7", "--join",
                "--workers", "1",
            ]
            let first = try program.start(words + ["--output", "first", "--data", "d1"])
            let second = try program.start(words + ["--output", "second", "--data", "d2"])
            let endings = [first.ending(within: 120), second.ending(within: 120)]
            #expect(endings.map(\.status) == [0, 0], "\(endings.map(\.errors)) \(fleet.log)")
            let runs = try ["first", "second"].map { try fleet.project.summary($0).run.id }
            #expect(runs[0] == runs[1])
            // The same key after the run: the same result, and nothing runs.
            let third = try program.run(words + ["--output", "third", "--data", "d1"])
            #expect(third.status == 0, "\(third.said)")
            #expect(try fleet.project.summary("third").run.id == runs[0])
            // The key belongs to that plan only.
            try fleet.project.folder.write("units", "unit/other\n")
            let other = try program.run(words + ["--output", "other", "--data", "d1"])
            #expect(other.status == 65, "\(other.said)")
            #expect(other.errors.contains("has another plan"))
        }

        @Test("a run is recorded into the coordinator's store, and the pin comes back")
        func record() throws {
            let fleet = try Fleet()
            try fleet.serve()
            _ = try fleet.startWorker("far")
            let recorded = try fleet.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)\n\(fleet.log)")
            #expect(fleet.project.exists("snapfarm.refs"))
            let verified = try fleet.run()
            #expect(verified.status == 0, "\(verified.said)")
            #expect(try fleet.project.summary().comparisons.identicalByDigest > 0)
        }

        @Test("a coordinator that is stopped or killed mid-run goes on where it was")
        func restarts() throws {
            let fleet = try gated(units: 12)
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            let words = ["run", "app.yaml", "--coordinator", fleet.url]
            let run = try fleet.submitting().start(words)
            #expect(run.wait(seconds: 60) { worker.errors.contains("tests of unit_test") })
            let stopped = try fleet.stop()
            #expect(stopped.status == 0, "\(stopped.said)")
            try fleet.serve()
            // The worker keeps its lease and reports it to the new coordinator.
            let restarted = try fleet.lastCall("far")
            #expect(
                run.wait(seconds: 20) { (try? fleet.lastCall("far")) != restarted },
                "\(worker.errors)\n\(fleet.log)"
            )
            fleet.killServer()
            try fleet.serve()
            try fleet.project.folder.write("gate", "")
            let ending = run.ending(within: 110)
            #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)\n\(fleet.log)")
            let summary = try fleet.project.summary()
            #expect(summary.counts.withoutVerdict == 0)
            #expect(summary.tests.allSatisfy { $0.attempts == 1 }, "\(summary.tests)")
        }

        @Test("a worker that is killed loses no test; one that is stopped gives its lease back")
        func workersGone() throws {
            let fleet = try gated(units: 4)
            try fleet.serve()
            let first = try fleet.startWorker("first")
            let run = try fleet.submitting().start(["run", "app.yaml", "--coordinator", fleet.url])
            #expect(run.wait(seconds: 60) { first.errors.contains("tests of unit_test") })
            kill(first.pid, SIGTERM)
            #expect(first.ending(within: 20).status == 0)
            let second = try fleet.startWorker("second")
            #expect(
                run.wait(seconds: 20) { second.errors.contains("tests of unit_test") },
                "\(second.said)"
            )
            try fleet.project.folder.write("gate", "")
            let ending = run.ending(within: 100)
            #expect(ending.status == 0, "\(ending.said)\n\(fleet.log)")
            #expect(try fleet.project.summary().counts.withoutVerdict == 0)
        }

        @Test("TLS: a coordinator beyond this machine, trusted by its own authority only")
        func tls() throws {
            let fleet = try Fleet()
            fleet.configuration.replace("127.0.0.1:", with: "0.0.0.0:")
            try fleet.serveTLS()
            let url = "https://localhost:\(fleet.port)"
            let token = try fleet.token("submit", "work")
            let words = ["run", "app.yaml", "--coordinator", url, "--join", "--workers", "1"]
            let select = ["--select", "job=unit_test"]
            let trusted = try fleet.project.program(
                ["SNAPFARM_TOKEN": token, "SNAPFARM_CA": fleet.place.file("cert.pem")]
            ).run(words + select)
            #expect(trusted.status == 0, "\(trusted.said)\n\(fleet.log)")
            let doubted = try fleet.project.program(["SNAPFARM_TOKEN": token]).run(words + select)
            #expect(doubted.status == 78, "\(doubted.said)")
        }
    }
}
