// Tests of two real workers, one with another browser than the references: a script of another name
// that starts the same browser, since the program's name is one of the facts.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite(
        "Workers with different renderers",
        .enabled(if: TestBrowser.isInstalled, "no browser is installed"),
        .serialized
    )
    struct RendererFleetTests {
        private func fleet(scenes: Int) throws -> Fleet {
            let names = (0..<scenes).map { "  - {suite: Home, name: s\($0), file: web/p.html}\n" }
            let fleet = try Fleet.showing("scenes:\n" + names.joined())
            let page = "<!doctype html><body style='background: teal'>"
            try fleet.project.folder.write("web/p.html", page)
            return fleet
        }

        /// Returns the environment of a worker with a browser of another name.
        private func otherBrowser(_ fleet: Fleet) throws -> [String: String] {
            let script = try fleet.place.write(
                "other-shell",
                "#!/bin/sh\nexec /usr/lib/chromium/chromium-headless-shell \"$@\"\n"
            )
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: script
            )
            return ["SNAPFARM_CHROMIUM": script]
        }

        /// Waits until `why` says a text about the newest run, and returns what it says.
        private func why(_ fleet: Fleet, says text: String) throws -> String {
            let program = try fleet.submitting()
            let place = ["--coordinator", fleet.url]
            let deadline = ContinuousClock.now + .seconds(90)
            var said = ""
            while ContinuousClock.now < deadline, !said.contains(text) {
                let runs = try program.run(["runs"] + place).output
                let newest = runs.split(separator: "\n").dropFirst().first?.split(separator: " ")
                if let run = newest?.first {
                    said = try program.run(["why", String(run)] + place).output
                }
                Thread.sleep(forTimeInterval: 0.3)
            }
            return said
        }

        /// Waits until the coordinator knows these workers.
        private func arrive(_ workers: [String], _ fleet: Fleet) throws -> Bool {
            let program = try fleet.submitting()
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                let known = try program.run(["workers", "--coordinator", fleet.url]).output
                if workers.allSatisfy(known.contains) { return true }
                Thread.sleep(forTimeInterval: 0.3)
            }
            return false
        }

        @Test("all goes to the one that draws as the references do, until it is gone")
        func twoWorkers() throws {
            let fleet = try fleet(scenes: 12)
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            let other = try fleet.startWorker("other", on: try otherBrowser(fleet))
            #expect(other.wait(seconds: 60) { other.errors.contains("offers") })
            let alike = try fleet.startWorker("alike")
            #expect(alike.wait(seconds: 60) { alike.errors.contains("offers") })
            #expect(try arrive(["other", "alike"], fleet))

            let green = try fleet.run()
            #expect(green.status == 0, "\(green.said)\n\(fleet.workerLog)\n\(fleet.log)")
            #expect(alike.errors.contains("tests of shots"), "\(alike.errors)")
            #expect(!other.errors.contains("tests of shots"), "\(other.errors)")
            #expect(try fleet.project.summary().problems.isEmpty)

            // A stopped process is as silent as a dead machine, and holds the cell for the time of
            // a lease.
            kill(alike.pid, SIGSTOP)
            let following = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url]
            )
            let held = try why(fleet, says: "worker other gets none of shots on A")
            #expect(held.contains("it draws otherwise than the references (browser "), "\(held)")
            #expect(held.contains(" other-shell is not "), "\(held)")
            #expect(held.contains("; worker alike draws as they do."), "\(held)")
            let ending = following.ending(within: 120)
            #expect(ending.status == 0, "\(ending.said)\n\(other.errors)")
            #expect(other.errors.contains("tests of shots"), "\(other.errors)")
            let summary = try fleet.project.summary()
            #expect(summary.counts.passed == 12)
            // The stopped worker may have been given a lease, which ends as that of a lost one.
            let codes = Set(summary.problems.map(\.code)).subtracting([Problem.workerLostCode])
            #expect(codes == ["renderer-mismatch"])
            kill(alike.pid, SIGCONT)
            fleet.stopWorkers()
            #expect(try fleet.stop().status == 0)
        }
    }
}
