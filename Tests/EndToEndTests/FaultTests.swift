import FarmCore
import FarmLedger
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Faults of tests and workers", .serialized)
    struct FaultTests {
        /// A script that kills the worker above the test program.
        private static let killsWorker = """
            p=$PPID
            while [ "$p" -gt 1 ]; do
              if tr '\\000' ' ' < /proc/$p/cmdline | grep -q ' worker '; then kill -9 $p; fi
              p=$(awk '/^PPid/ { print $2 }' /proc/$p/status)
            done
            sleep 5
            """

        private func units(_ count: Int, _ act: String, extra: String = "") throws -> Project {
            let project = try Project(units: count, extra: extra)
            try project.folder.write("act-unit", act)
            return project
        }

        private let only = ["--select", "job=unit_test", "--workers", "2"]

        @Test("a test that kills its worker is named after three attempts, and all others pass")
        func poison() throws {
            let project = try units(
                12,
                "case $1 in unit/5) \(Self.killsWorker) ;; esac\n"
            )
            let result = try project.run(only)
            #expect(result.status == 1, "\(result.said)")
            let summary = try project.summary()
            #expect(summary.counts.passed == 11 && summary.counts.errored == 1)
            let killer = try #require(summary.tests.first { $0.verdict == .errored })
            #expect(killer.test == "unit/5" && killer.attempts == FarmLimits.attemptsMax)
            #expect(killer.message.contains("3 workers died while this test ran"))
            #expect(summary.tests.allSatisfy { $0.attempts <= FarmLimits.attemptsMax })
        }

        @Test("a worker process that fails everything is suspended, with the reason")
        func sickWorker() throws {
            let project = try units(
                60,
                "case $SNAPFARM_LEASE_DIR in */w1-*) exit 1 ;; esac; sleep 0.02\n"
            )
            let result = try project.run(only)
            #expect(result.status == 0, "\(result.said)")
            let summary = try project.summary()
            #expect(summary.counts.passed + summary.counts.flaky == 60)
            #expect(summary.counts.flaky <= 2 * FarmLimits.unprovenTestsMax)
            #expect(summary.problems.map(\.code) == ["worker-suspended"])
            #expect(result.errors.contains("is suspended"), "\(result.said)")
        }

        @Test("the only worker goes on, though it fails everything")
        func onlyWorker() throws {
            let project = try units(15, "exit 1\n")
            let result = try project.run(["--select", "job=unit_test", "--workers", "1"])
            #expect(result.status == 1)
            #expect(try project.summary().counts.failed == 15)
        }

        @Test("--repeat runs each test so often, and calls what differs flaky")
        func repeats() throws {
            let project = try units(
                3,
                """
                echo x >> "runs-$(basename $1)"
                [ "$1" != unit/1 ] || [ "$(wc -l < runs-1)" -ne 2 ]

                """
            )
            let result = try project.run(only + ["--repeat", "4"])
            #expect(result.status == 0, "\(result.said)")
            let tests = try project.summary().tests
            #expect(tests.map(\.verdict) == [.passed, .flaky, .passed])
            #expect(tests.allSatisfy { $0.attempts == 4 })
            #expect(tests[1].message.contains("passed 3 of 4 times"))
            #expect(try project.run(["--repeat", "0"]).status == 64)
            #expect(try project.run(["--repeat", "2", "--mode", "record"]).status == 64)
        }

        @Test("repeat-new takes a new picture so often, and one that flickers is not accepted")
        func newPictures() throws {
            let project = try Project(
                scenes: ["one"],
                devices: ["A"],
                units: 1,
                extra: "    repeat-new: 3"
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\nsteady\nflickers\n")
            try project.folder.write("pictures/steady.png", Project.png(shade: 70))
            try project.folder.write("pictures/take-1.png", Project.png(shade: 80))
            try project.folder.write("pictures/take-2.png", Project.png(shade: 90))
            try project.folder.write("pictures/take-3.png", Project.png(shade: 90))
            try project.folder.write(
                "act/flickers",
                """
                echo x >> takes; mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                cp pictures/take-$(wc -l < takes).png "$SNAPFARM_CAPTURE_DIR/Suite/flickers.png"
                """
            )
            #expect(try project.run(["--workers", "2"]).status == 1)
            let summary = try project.summary()
            let repeated = summary.tests.filter { $0.attempts == 3 }
            #expect(Set(repeated.map(\.test)) == ["flickers", "steady"])
            let pictures = summary.openPictures.sorted { $0.name < $1.name }
            #expect(pictures.map(\.verdict) == [.flaky, .new])
            #expect(pictures.first?.words.hasPrefix("unstable: two takes of it differ") == true)
            let approval = try project.program().run([
                "approve", "app.yaml", "--run", "latest", "--reason", "new",
            ])
            #expect(approval.status == 0 && approval.said.contains("Approved 1 new"))
            #expect(approval.said.contains("A/Suite/flickers — flaky: cannot be approved"))
        }

        @Test("--fail-fast stops at the first red verdict, and says so")
        func failFast() throws {
            let project = try units(40, "sleep 0.05; [ $1 != unit/2 ] || exit 1\n")
            let result = try project.run(only + ["--fail-fast"])
            #expect(result.status == 2, "\(result.said)")
            let summary = try project.summary()
            #expect(summary.counts.failed == 1 && summary.counts.withoutVerdict > 0)
            #expect(summary.problems.map(\.code) == ["stopped-early"])
            #expect(processes(naming: project.folder.path).isEmpty)
        }

        @Test("a quarantined failure is green and listed until its day, then red")
        func quarantine() throws {
            func project(until: String) throws -> Project {
                try units(
                    3,
                    "[ $1 != unit/1 ] || exit 1\n",
                    extra: """
                        quarantine:
                          - {test: "unit/1", until: \(until), reason: "known bad"}
                        """
                )
            }
            let active = try project(until: "2999-12-31")
            let green = try active.run(only)
            #expect(green.status == 0, "\(green.said)")
            #expect(green.output.contains("quarantined until 2999-12-31: known bad"))
            #expect(
                active.text("snapfarm-out/junit.xml").contains("<skipped message=\"quarantined")
            )
            #expect(active.text("snapfarm-out/report.md").contains("## Quarantined (1)"))
            let expired = try project(until: "2020-01-01")
            #expect(try expired.run(only).status == 1)
            #expect(try expired.summary().problems.map(\.code) == ["quarantine-expired"])
        }

        @Test("workers and runs that are killed at random lose no verdict, and make up none")
        func chaos() throws {
            var generator = SeededGenerator.announced()
            let project = try units(60, "sleep 0.04; [ $1 != unit/7 ] || exit 1\n")
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            var running = try project.program().start(["run", "app.yaml"] + only)
            for victim in ["worker", "run", "worker", "worker", "run"] {
                #expect(running.wait(seconds: 20) { processes(naming: scratch).count >= 2 })
                Thread.sleep(forTimeInterval: .random(in: 0.1...0.4, using: &generator))
                let workers = processes(naming: scratch)
                if victim == "worker", let worker = workers.randomElement(using: &generator) {
                    kill(worker, SIGKILL)
                } else {
                    kill(running.pid, SIGKILL)
                    _ = running.ending(within: 10)
                    running = try project.program().start(["run", "app.yaml", "--resume"] + only)
                }
            }
            let result = running.ending(within: 60)
            #expect(result.status == 1, "\(result.said)")
            let tests = try project.summary().tests
            #expect(Set(tests.map(\.test)).count == 60 && tests.count == 60)
            for test in tests {
                let expected: [Verdict?] =
                    test.test == "unit/7" ? [.failed] : [.passed, .flaky]
                #expect(expected.contains(test.verdict), "\(test)")
            }
        }
    }
}
