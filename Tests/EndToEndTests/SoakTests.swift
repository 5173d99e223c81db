// Kills at random moments, followed by checks of the end: every planned test has one verdict, the
// same as in an undisturbed run, and the killed processes have left nothing. `make soak` kills as
// often as `Kills.many` says; the tests of every change kill a few times. SNAPFARM_TEST_SEED
// repeats the choices, but not the exact timing.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Kills at random moments", .serialized)
    struct SoakTests {
        private struct Kills {
            var runs: Int
            var localWorkers: Int
            var fleetWorkers: Int
            var coordinators: Int
            /// The number of unit tests in the project, on each of two devices.
            var units: Int

            static let many = Kills(
                runs: 20,
                localWorkers: 10,
                fleetWorkers: 8,
                coordinators: 5,
                units: 40
            )
            /// Kills one fleet worker; then the run waits until that worker's lease expires.
            static let few = Kills(
                runs: 3,
                localWorkers: 1,
                fleetWorkers: 1,
                coordinators: 1,
                units: 12
            )

            static let chosen = variable("SNAPFARM_SOAK") == "1" ? many : few
        }

        private enum Victim: String {
            case run = "the run"
            case runAndWorkers = "the run and its workers"
            case worker = "a worker"
            case coordinator = "the coordinator"
        }

        private static func variable(_ name: String) -> String? {
            ProcessInfo.processInfo.environment[name]
        }

        /// Returns a project with slow unit tests, pictures, and pages in a real browser.
        private func slowProject(units: Int) throws -> Project {
            let project = try Project(scenes: (0..<6).map { "s\($0)" }, units: units)
            try LocalScenes.add(to: project, pages: 4)
            try project.folder.write("act-unit", Self.slow)
            try project.folder.write("temporary/stranger", "stays")
            return project
        }

        private static let slow = "sleep 0.1"

        /// Returns one line for each test and each picture of the last run.
        private func findings(_ project: Project) throws -> [String] {
            let summary = try project.summary()
            #expect(summary.counts.withoutVerdict == 0)
            #expect(summary.counts.planned == summary.tests.count)
            let tests = summary.tests.map { test in
                // A test that ran when its worker died passed in another attempt.
                let verdict = test.verdict == .flaky ? .passed : test.verdict
                return "\(test.job) \(test.cell) \(test.test) \(verdict?.rawValue ?? "none")"
            }
            return (tests + summary.snapshots.map { "\($0.id) \($0.verdict)" }).sorted()
        }

        private func expectSound(_ folder: String) throws {
            let words = ["check", "--deep", "--data", folder]
            let check = try Program(folder: "/").run(words)
            #expect(check.status == 0, "\(check.said)")
        }

        /// Checks that the killed processes left nothing, and that foreign files are untouched.
        private func expectNothingLeft(_ temporary: String) throws {
            let none = try TestProcess(["true"])
            #expect(none.wait(seconds: 5) { processes(with: temporary).isEmpty })
            let left = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(left == ["stranger"])
        }

        // MARK: one machine

        @Test("a run that is killed and resumed again and again ends as if nobody had disturbed it")
        func local() throws {
            var random = SeededGenerator.announced()
            let kills = Kills.chosen
            let project = try slowProject(units: min(16, kills.units))
            let temporary = project.folder.file("temporary")
            let program = project.program(["TMPDIR": temporary])
            let words = ["run", "app.yaml", "--workers", "3"]
            let recorded = try program.run(words + ["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            let began = ContinuousClock.now
            #expect(try program.run(words).status == 0)
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            let expected = try findings(project)
            try leavePoison(project, program)

            var victims = (0..<kills.runs).map {
                $0.isMultiple(of: 2) ? Victim.run : .runAndWorkers
            }
            victims += Array(repeating: .worker, count: kills.localWorkers)
            victims.shuffle(using: &random)
            // The run may have ended just before its kill: then there is nothing to resume.
            var isOpen = false
            var ended = 0
            for victim in victims {
                let running = try program.start(words + (isOpen ? ["--resume"] : []))
                let moment = Double.random(in: 0...seconds, using: &random)
                Thread.sleep(forTimeInterval: moment)
                switch victim {
                case .worker:
                    let workers = processes(with: temporary, named: "snapfarm")
                        .filter { $0 != running.pid }
                    if let worker = workers.randomElement(using: &random) { kill(worker, SIGKILL) }
                case .runAndWorkers:
                    let all = processes(with: temporary, named: "snapfarm")
                    for process in all { kill(process, SIGSTOP) }
                    for process in all { kill(process, SIGKILL) }
                case .run, .coordinator: kill(running.pid, SIGKILL)
                }
                let ending = running.ending(within: 60)
                print("\(victim.rawValue) after \(moment) s of \(seconds) s: \(ending.status)")
                if ending.status == 128 + 9 {
                    isOpen = true
                } else if ending.status == ExitCode.invalidInput.rawValue, isOpen {
                    isOpen = false
                } else {
                    #expect(ending.status == 0, "\(ending.said)")
                    #expect(try findings(project) == expected)
                    isOpen = false
                    ended += 1
                }
            }
            var last = try program.run(words + (isOpen ? ["--resume"] : []))
            if last.status == ExitCode.invalidInput.rawValue { last = try program.run(words) }
            #expect(last.status == 0, "\(last.said)")
            #expect(try findings(project) == expected)
            print("\(victims.count) kills, \(ended + 1) runs ended")
            try expectSound(project.folder.file(".snapfarm"))
            let runs = try program.run(["runs", "--data", ".snapfarm"])
            #expect(runs.output.contains("unjudgeable"), "\(runs.said)")
            try expectNothingLeft(temporary)
        }

        /// Leaves an open run in the data folder that cannot be judged because its references are
        /// gone.
        private func leavePoison(_ project: Project, _ program: Program) throws {
            let folder = project.folder
            let pipeline = Project.pipeline(devices: ["A", "B"])
                .replacing("name: app", with: "name: bad")
                .replacing("store: store.git, pin: snapfarm", with: "store: bad.git, pin: bad")
            try folder.write("bad.yaml", pipeline)
            // A different picture, so that no other store has the set.
            let picture = folder.file("pictures/s0.png")
            let usual = try Data(contentsOf: URL(fileURLWithPath: picture))
            try folder.write("pictures/s0.png", Project.png(shade: 222))
            let words = ["run", "bad.yaml", "--output", "bad", "--workers", "3"]
            let record = ["--mode", "record", "--select", "job=snapshot_test"]
            let recorded = try program.run(words + record)
            #expect(recorded.status == 0, "\(recorded.said)")
            try folder.write("act-unit", "sleep 5")
            let running = try program.start(words)
            #expect(running.wait(seconds: 30) { running.errors.contains("workers") })
            kill(running.pid, SIGKILL)
            #expect(running.ending(within: 10).status == 128 + 9)
            try FileManager.default.removeItem(atPath: folder.file("bad.git"))
            try folder.write("pictures/s0.png", usual)
            try folder.write("act-unit", Self.slow)
        }

        // MARK: a fleet

        @Test("runs on a fleet end as if nobody had killed its workers and its coordinator")
        func fleet() throws {
            var random = SeededGenerator.announced()
            let kills = Kills.chosen
            let project = try slowProject(units: kills.units)
            let temporary = project.folder.file("temporary")
            let fleet = try Fleet(project)
            fleet.environment["TMPDIR"] = temporary
            #expect(try project.run(["--mode", "record"]).status == 0)
            let poison = try PoisonedRun(fleet)
            try fleet.serve()
            var workers: [TestProcess] = []
            for slot in 0..<3 { workers.append(try fleet.startWorker("w\(slot)")) }
            let first = try fleet.run()
            #expect(first.status == 0, "\(first.said)\n\(fleet.log.suffix(4_000))")
            let expected = try findings(project)
            try poison.submit()

            var victims = Array(repeating: Victim.worker, count: kills.fleetWorkers)
            victims += Array(repeating: .coordinator, count: kills.coordinators)
            victims.shuffle(using: &random)
            var run = try startRun(fleet)
            var ended = 0
            for (number, victim) in victims.enumerated() {
                Thread.sleep(forTimeInterval: .random(in: 0...1.5, using: &random))
                if victim == .worker {
                    let slot = Int.random(in: 0..<workers.count, using: &random)
                    // Only the worker: its guard must end its browser and tests.
                    kill(workers[slot].pid, SIGKILL)
                    #expect(workers[slot].ending(within: 10).status == 128 + 9)
                    workers[slot] = try fleet.startWorker("again\(number)", after: "w\(slot)")
                } else {
                    fleet.killServer()
                    Thread.sleep(forTimeInterval: .random(in: 0...1, using: &random))
                    try fleet.serve()
                }
                print("killed \(victim.rawValue)")
                guard !run.isRunning else { continue }
                try expectEnded(run, expected, fleet)
                ended += 1
                run = try startRun(fleet)
            }
            try expectEnded(run, expected, fleet)
            print("\(victims.count) kills, \(ended + 1) runs ended")
            poison.running?.kill()
            #expect(try fleet.run().status == 0)
            #expect(try findings(project) == expected)
            for (slot, worker) in workers.enumerated() {
                kill(worker.pid, SIGTERM)
                #expect(worker.ending(within: 20).status == 0, "\(worker.errors.suffix(2_000))")
                let scratch = fleet.place.file("worker-w\(slot)/scratch")
                #expect(!FileManager.default.fileExists(atPath: scratch))
            }
            #expect(try fleet.stop().status == 0)
            try expectSound(fleet.place.file("state"))
            try expectNothingLeft(temporary)
        }

        private func startRun(_ fleet: Fleet) throws -> TestProcess {
            try fleet.submitting().start(["run", "app.yaml", "--coordinator", fleet.url])
        }

        private func expectEnded(_ run: TestProcess, _ expected: [String], _ fleet: Fleet) throws {
            let ending = run.ending(within: 150)
            #expect(ending.status == 0, "\(ending.said)\n\(fleet.log.suffix(4_000))")
            #expect(try findings(fleet.project) == expected)
        }

        /// A run of another pipeline whose store is gone.
        ///
        /// It must not hold up other runs.
        private final class PoisonedRun {
            private let fleet: Fleet
            private(set) var running: TestProcess?

            init(_ fleet: Fleet) throws {
                self.fleet = fleet
                let folder = fleet.project.folder
                try FileManager.default.copyItem(
                    atPath: folder.file("store.git"),
                    toPath: folder.file("bad.git")
                )
                let pipeline = fleet.project.text("app.yaml")
                    .replacing("name: app", with: "name: bad")
                    .replacing("store: store.git", with: "store: bad.git")
                try folder.write("bad.yaml", pipeline)
                fleet.configuration.replace(
                    "stores: {app:",
                    with: "stores: {bad: \(folder.file("bad.git")), app:"
                )
            }

            func submit() throws {
                let words = ["run", "bad.yaml", "--output", "bad", "--data", "bad.data"]
                let running = try fleet.submitting().start(
                    words + ["--coordinator", fleet.url]
                )
                self.running = running
                _ = running.wait(seconds: 20) { running.errors.contains("run ") }
                try FileManager.default.removeItem(atPath: fleet.project.folder.file("bad.git"))
            }
        }
    }
}
