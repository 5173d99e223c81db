// Tests of simulators after SIGKILL. No guard deletes them, because they are not processes. The
// next start does, and recognizes their owner by their names.
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    /// Tests on a stand-in for a Mac (Tests/XcodeStandIn).
    @Suite("Simulators of killed processes", .serialized)
    struct KilledSimulatorsTests {
        private let mac: StandInMac

        init() throws { mac = try StandInMac() }

        /// An app with one test.
        private struct App {
            let folder: TemporaryFolder
            let temporary: String
            let program: Program

            init(on mac: StandInMac, does: String) throws {
                folder = try TemporaryFolder("killed-app")
                temporary = folder.file("temporary")
                try FileManager.default.createDirectory(
                    atPath: temporary,
                    withIntermediateDirectories: true
                )
                program = Program(
                    folder: folder.path,
                    environment: [
                        "PATH": mac.path, "TMPDIR": temporary,
                        "SNAPFARM_XCODES": mac.folder.file("Applications"),
                    ]
                )
                try folder.write(
                    "snapfarm.yaml",
                    """
                    version: 1
                    name: app
                    devices: [iPhone 16 (18.5)]
                    jobs:
                      unit:
                        kind: unit
                        driver: xcodebuild
                        workspace: App.xcworkspace
                        scheme: App
                        timeout: {test: 1000s, shard: 1000s}

                    """
                )
                try write(does: does)
            }

            /// Sets the action of the app's test from the next build on.
            func write(does: String) throws {
                try folder.write(
                    "App.xcworkspace/standin.json",
                    """
                    {"app": "App", "schemes": {"App": {"targets": ["AppTests"]}},
                     "targets": {"AppTests": {"kind": "unit", "host": "App",
                       "tests": [{"test": "CartTests/testEmpty", "does": [\(does)]}]}}}
                    """
                )
            }

            /// The farm's processes of a run, guards last.
            var farm: [Int32] {
                processes(with: temporary, named: "snapfarm")
                    + processes(with: temporary, named: "farm-guard")
            }
        }

        /// Starts a run and waits until it is in its test, which never ends.
        private func hanging(_ app: App) throws -> TestProcess {
            let before = try launches()
            let running = try app.program.start(["run", "snapfarm.yaml", "--workers", "1"])
            let begun = running.wait(seconds: 60) { ((try? launches()) ?? 0) > before }
            #expect(begun, "\(running.said)")
            return running
        }

        private func launches() throws -> Int {
            try mac.trace(["--events"]).components(separatedBy: "    launch {").count - 1
        }

        /// Returns the UDIDs of all simulators.
        private func simulators() throws -> Set<String> {
            let list = try mac.run(["xcrun", "simctl", "list", "devices", "-j"])
            #expect(list.status == 0, "\(list.said)")
            let udid = #/[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/#
            return Set(list.output.matches(of: udid).map { String($0.output) })
        }

        private func killAtOnce(_ pids: [Int32], _ running: TestProcess) {
            // Stops all at once, so that no worker notices the end of its run.
            for pid in pids { kill(pid, SIGSTOP) }
            for pid in pids { kill(pid, SIGKILL) }
            _ = running.ending(within: 10)
        }

        @Test("the next run deletes them, and none of a run that lives")
        func nextRun() throws {
            let app = try App(on: mac, does: #"{"hang": true}"#)
            let dying = try hanging(app)
            let farm = app.farm
            let orphans = try simulators()
            #expect(farm.count >= 2 && orphans.count == 1)

            let other = try App(on: mac, does: #"{"hang": true}"#)
            let living = try hanging(other)
            let kept = try simulators().subtracting(orphans)
            #expect(try simulators().isSuperset(of: orphans), "their owner still lived")
            #expect(kept.count == 1)

            killAtOnce(farm, dying)
            #expect(try simulators() == orphans.union(kept))
            try app.write(does: "")
            let next = try app.program.run(["run", "snapfarm.yaml"])
            #expect(next.status == 0, "\(next.said)")
            #expect(try simulators() == kept)

            #expect(living.isRunning)
            kill(living.pid, SIGTERM)
            _ = living.ending(within: 60)
            #expect(try simulators() == [], "a run that is stopped deletes its own")
        }

        @Test("the worker that follows a killed one in its run deletes them")
        func nextWorkerOfRun() throws {
            let app = try App(on: mac, does: #"{"hang": true}"#)
            let running = try hanging(app)
            let orphans = try simulators()
            let workers = processes(with: app.temporary, named: "snapfarm")
                .filter { $0 != running.pid }
            #expect(workers.count == 1 && orphans.count == 1)
            for worker in workers { kill(worker, SIGKILL) }
            let replaced = running.wait(seconds: 60) {
                guard let now = try? simulators() else { return false }
                return now.count == 1 && now.isDisjoint(with: orphans)
            }
            #expect(replaced, "\(running.said)")
            kill(running.pid, SIGTERM)
            _ = running.ending(within: 60)
            #expect(try simulators() == [])
        }

        @Test("a worker deletes them when it starts, without a lease")
        func nextWorker() throws {
            let app = try App(on: mac, does: #"{"hang": true}"#)
            let dying = try hanging(app)
            killAtOnce(app.farm, dying)
            #expect(try simulators().count == 1)
            let fleet = try Fleet()
            fleet.environment = [
                "PATH": mac.path, "SNAPFARM_XCODES": mac.folder.file("Applications"),
            ]
            try fleet.serve()
            let worker = try fleet.startWorker("w1")
            let deleted = worker.wait(seconds: 60) { (try? simulators()) == [] }
            #expect(deleted, "\(worker.errors)")
        }
    }
}
