import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A worker with hostile tests", .serialized, .enabled(if: Fleet.canSupervise))
    struct HostileWorkerTests {
        // MARK: a test that kills its worker

        @Test(
            "is lost with a test that kills all processes of its user: that test is named, and the run goes on",
            .timeLimit(.minutes(3))
        )
        func killed() throws {
            let fleet = try Fleet(try Project(units: 2))
            try fleet.project.folder.write(
                "act-unit",
                """
                [ -e "$HOME/again" ] || { : >"$HOME/again"; kill -9 -1; }
                while [ ! -e "$HOME/../gate" ]; do sleep 0.1; done

                """
            )
            try fleet.serve()
            let worker = try fleet.startSupervised("far")
            let run = try fleet.submitting().start([
                "run", "app.yaml", "--coordinator", fleet.url, "--select", "job=unit_test",
            ])
            let words = "worker far was lost while it had unit/0 of unit_test on host to run"
            #expect(
                run.wait(seconds: 90) { run.errors.contains(words) },
                "\(run.said)\n\(worker.errors)"
            )
            let list = try fleet.submitting().run(["runs", "--coordinator", fleet.url])
            let id = try #require(list.output.firstMatch(of: /\d{8}-\d{6}-\w+/)?.output)
            let why = try fleet.submitting().run(["why", String(id), "--coordinator", fleet.url])
            #expect(why.output.contains(words), "\(why.said)")
            try fleet.place.write("worker-far/gate", "")
            let ending = run.ending(within: 60)
            #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)")
            let problems = try fleet.project.summary().problems
            #expect(problems.map(\.code) == [Problem.workerLostCode])
        }

        // MARK: many attacks

        /// Returns a fleet with a run that has verdicts of every kind, each caused by a file of its
        /// bundle.
        private func innocent() throws -> Fleet {
            let extra = """
                  results_test:
                    kind: unit
                    driver: command
                    discover: cat act-list
                    run: sh act-results.sh
                    results: results.xml
                    timeout: {test: 30s, shard: 1m}
                """
            let fleet = try Fleet(try Project(units: 3, extra: extra))
            let folder = fleet.project.folder
            try folder.write("act-unit", "[ $1 != unit/2 ] || exit 1\n")
            try folder.write("act-list", "suite.good\nsuite.bad\n")
            try folder.write(
                "act-results.sh",
                """
                cat >"$SNAPFARM_LEASE_DIR/results.xml" <<'X'
                <testsuite><testcase classname="suite" name="good"/>
                <testcase classname="suite" name="bad"><failure message="bad"/></testcase></testsuite>
                X
                exit 1

                """
            )
            let recorded = try fleet.project.run(["--mode", "record"])
            #expect(recorded.status == 1, "\(recorded.said)")
            try folder.write("pictures/two.png", Project.png(shade: 200))
            return fleet
        }

        private func hostile() throws -> TemporaryFolder {
            let folder = try TemporaryFolder("hostile")
            try folder.write(
                "other.yaml",
                """
                version: 1
                name: other
                jobs:
                  attack:
                    kind: unit
                    driver: command
                    discover: echo attack
                    run: sh attack.sh
                    bundle: [attack.sh]
                    timeout: {test: 4s, shard: 20s}

                """
            )
            return folder
        }

        /// Returns the verdicts of a run's tests and pictures.
        private func verdicts(_ summary: RunSummary) -> [String] {
            summary.tests.map { test in
                "\(test.job) \(test.cell) \(test.test) \(String(describing: test.verdict))"
            }.sorted()
                + summary.snapshots.map { "\($0.id) \($0.verdict)" }.sorted()
        }

        /// Returns the attacks of all rounds in a seeded order; `SNAPFARM_HOSTILE_TRY` selects by
        /// name.
        private func tries() -> [HostileTry] {
            let variables = ProcessInfo.processInfo.environment
            if let name = variables["SNAPFARM_HOSTILE_TRY"] {
                return HostileTry.all.filter { $0.name.contains(name) }
            }
            let rounds = variables["SNAPFARM_HOSTILE_ROUNDS"].flatMap { Int($0) } ?? 4
            var generator = SeededGenerator.announced("hostile")
            var tries: [HostileTry] = []
            while tries.count < rounds { tries += HostileTry.all.shuffled(using: &generator) }
            return Array(tries.prefix(rounds))
        }

        @Test(
            "gives the run beside it the verdicts of a quiet day, and no test finds the token",
            .timeLimit(.minutes(30))
        )
        func verdicts() throws {
            let fleet = try innocent()
            let other = try hostile()
            try fleet.serve()
            let worker = try fleet.startSupervised("shared")
            #expect(try fleet.run(["--output", "quiet"]).status == 1)
            let quiet = verdicts(try fleet.project.summary("quiet"))
            #expect(Set(quiet.compactMap { $0.split(separator: " ").last }).count > 2, "\(quiet)")
            for (round, attempt) in tries().enumerated() {
                try other.write(
                    "attack.sh",
                    "FARM_PORT=\(fleet.port); export FARM_PORT\n" + HostileTry.preamble
                        + attempt.script + "\n"
                )
                let program = Program(
                    folder: other.path,
                    environment: ["SNAPFARM_TOKEN": try fleet.token("submit")]
                )
                let said = worker.errors.utf8.count
                let attack = try program.start(["run", "other.yaml", "--coordinator", fleet.url])
                let output = "round\(round)"
                let ending = try fleet.run(["--output", output])
                let end = attack.ending(within: 120)
                let log = String(worker.errors.utf8.dropFirst(said)) ?? ""
                let found = (try? fleet.project.summary(output)).map(verdicts) ?? []
                print(
                    "hostile round \(round): \(attempt.name): \(found == quiet ? "as quiet" : "OTHER"), attack \(end.status)"
                )
                #expect(
                    ending.status == 1 && found == quiet && end.status != 137,
                    "round \(round), \(attempt.name):\n\(ending.said)\n\(end.said)\n\(log)"
                )
            }
            let token = try fleet.place.write("token", try fleet.token("work"))
            let loot = try TestProcess.run([
                "grep", "-rlaFf", token, fleet.place.file("worker-shared"),
            ])
            #expect(loot.status == 1 && loot.output.isEmpty, "the token is in \(loot.output)")
        }
    }
}
