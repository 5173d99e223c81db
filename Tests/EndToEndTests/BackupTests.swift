// Tests of backups and retention: a coordinator is backed up while it serves, its machine is lost
// and another one takes over; old runs are removed while it serves. `snapfarm check` judges every
// folder.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Backup, restore and retention of a coordinator", .serialized)
    struct BackupTests {
        private let files = FileManager.default

        /// Returns a coordinator with references, a worker, a run that changed a picture, and a
        /// decision.
        private func farm(units: Int = 1) throws -> (fleet: Fleet, red: String) {
            let project = try Project(scenes: ["one", "two"], devices: ["A"], units: units)
            if units > 1 { try project.folder.write("act-unit", "sleep 0.3") }
            let fleet = try Fleet(project)
            try fleet.serve()
            _ = try fleet.startWorker("w1")
            let recorded = try fleet.run(["--mode", "record"])
            try #require(recorded.status == 0, "\(recorded.said)\(fleet.log)")
            try project.folder.write("pictures/one.png", Project.png(shade: 3))
            #expect(try fleet.run().status == 1)
            let red = try project.summary().run.id
            let token = try fleet.token("review")
            let rejected = try project.program(["SNAPFARM_TOKEN": token]).run(
                ["reject", "--coordinator", fleet.url, "--run", red, "--reason", "too dark"]
            )
            #expect(rejected.status == 0, "\(rejected.said)")
            return (fleet, red)
        }

        private func check(_ fleet: Fleet, _ folder: String) throws -> ProcessEnding {
            try fleet.program.run(["check", "--deep", "--data", folder])
        }

        private func backup(_ fleet: Fleet) throws -> String {
            let words = ["backup", "--config", "farm.yaml", "--to", "backups"]
            let made = try fleet.program.run(words)
            #expect(made.status == 0, "\(made.said)")
            #expect(made.output.contains("What came later is not in it."))
            return made.output
        }

        private var backups: (Fleet) throws -> [String] {
            { try files.contentsOfDirectory(atPath: $0.place.file("backups")).sorted() }
        }

        @Test("a machine is lost in the middle of a run, and a restored one ends it")
        func restored() throws {
            let (fleet, red) = try farm(units: 20)
            let project = fleet.project
            _ = try backup(fleet)
            let running = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url, "--output", "going"]
            )
            #expect(running.wait(seconds: 40) { running.errors.contains("tests on") })
            Thread.sleep(forTimeInterval: 1)
            let second = try backup(fleet)
            #expect(!second.contains("0 were in the backup before"), "\(second)")
            let names = try backups(fleet)
            #expect(names.count == 2)
            for name in names {
                let sound = try check(fleet, "backups/\(name)")
                #expect(sound.status == 0, "\(sound.output)")
            }
            // The machine is lost, with everything written after the backup.
            fleet.killServer()
            try files.removeItem(atPath: fleet.place.file("state"))
            try files.removeItem(atPath: project.folder.file("store.git"))

            let restore = ["restore", "backups", "--data", "state"]
            let restored = try fleet.program.run(restore)
            #expect(restored.status == 0, "\(restored.said)")
            #expect(restored.output.contains("Restored 3 runs"), "\(restored.output)")
            let again = try fleet.program.run(restore)
            #expect(again.status == 65 && again.errors.contains("is not empty"), "\(again.said)")
            try expectOwnFiles(fleet.place.file("state"))
            try files.moveItem(
                atPath: fleet.place.file("state/stores/app.git"),
                toPath: project.folder.file("store.git")
            )
            try fleet.serve()
            let ended = running.ending(within: 90)
            // Red for the changed picture, and nothing else was lost.
            #expect(ended.status == 1, "\(ended.said)\(fleet.log)\(fleet.workerLog)")
            let summary = try project.summary("going")
            #expect(summary.state == .failed && summary.tests.count == 22)
            #expect(summary.tests.allSatisfy { $0.verdict != nil })
            #expect(ended.output.contains("rejected by review: too dark"), "\(ended.output)")
            #expect(try fleet.run(["--mode", "record", "--output", "recorded"]).status == 0)
            #expect(try fleet.run(["--output", "green"]).status == 0)
            let shown = try fleet.submitting().run(["runs", "--coordinator", fleet.url])
            #expect(shown.output.contains(red), "\(shown.said)")
            #expect(try check(fleet, "state").status == 0)
            #expect(try project.storeIsSound())
        }

        @Test("the key of leases is lost in the middle of a run, and the same worker ends it")
        func lostKey() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 12)
            try project.folder.write("act-unit", "sleep 0.3")
            let fleet = try Fleet(project)
            try fleet.serve()
            _ = try fleet.startWorker("w1")
            let words = ["run", "app.yaml", "--coordinator", fleet.url, "--mode", "record"]
            let running = try fleet.submitting().start(words)
            #expect(running.wait(seconds: 60) { fleet.workerLog.contains("unit_test on") })
            fleet.killServer()
            try files.removeItem(atPath: fleet.place.file("state/lease.key"))
            try fleet.serve()
            let ended = running.ending(within: 90)
            #expect(ended.status == 0, "\(ended.said)\(fleet.log)\(fleet.workerLog)")
            #expect(!fleet.workerLog.contains("unknown-lease"), "\(fleet.workerLog)")
            #expect(try check(fleet, "state").status == 0)
        }

        /// Checks that no file is a hard link: a damaged file of the farm must not damage the
        /// backup.
        private func expectOwnFiles(_ folder: String) throws {
            for name in try files.subpathsOfDirectory(atPath: folder) {
                let facts = try files.attributesOfItem(atPath: folder + "/" + name)
                guard facts[.type] as? FileAttributeType == .typeRegular else { continue }
                #expect(facts[.referenceCount] as? Int == 1, "\(name)")
            }
        }

        @Test("a damaged backup is refused, and what a killed backup left is no backup")
        func damaged() throws {
            let (fleet, _) = try farm()
            _ = try backup(fleet)
            let name = try #require(try backups(fleet).first)
            let part = fleet.place.file("backups/20990101-000000.part")
            try files.createDirectory(atPath: part, withIntermediateDirectories: true)
            try files.copyItem(
                atPath: fleet.place.file("backups/\(name)/ledger.sqlite"),
                toPath: part + "/ledger.sqlite"
            )
            let blobs = fleet.place.file("backups/\(name)/blobs")
            let blob = try #require(
                try files.subpathsOfDirectory(atPath: blobs).first { $0.utf8.count > 60 }
            )
            try files.removeItem(atPath: blobs + "/" + blob)
            let refused = try fleet.program.run(["restore", "backups", "--data", "new"])
            #expect(refused.status == 65, "\(refused.said)")
            #expect(refused.errors.contains("\(name) is damaged in 1 place;"), "\(refused.said)")
            #expect(!files.fileExists(atPath: fleet.place.file("new")))
            let none = try fleet.program.run(["restore", "worker-w1", "--data", "new"])
            #expect(none.status == 65 && none.errors.contains("no backup"), "\(none.said)")

            // A file in place of a folder cannot be listed, not even by root.
            let stores = fleet.place.file("backups/\(name)/stores")
            try files.removeItem(atPath: stores)
            try fleet.place.write("backups/\(name)/stores", "")
            try fleet.place.write("taken", "")
            for (from, to, what) in [
                ("backups", "new", stores), ("backups", "taken", fleet.place.file("taken")),
                ("taken", "new", fleet.place.file("taken")),
            ] {
                let words = ["restore", from, "--data", to, "--anyway"]
                let unreadable = try fleet.program.run(words)
                #expect(unreadable.status == 74, "\(unreadable.said)")
                #expect(unreadable.errors.contains("\(what) could not be read"))
                #expect(!files.fileExists(atPath: fleet.place.file("new")))
            }
        }

        @Test("links in a backup are refused, and files that it lacks are named with their price")
        func linksAndMissing() throws {
            let (fleet, _) = try farm()
            _ = try backup(fleet)
            let name = try #require(try backups(fleet).first)
            let folder = fleet.place.file("backups/\(name)")
            let secret = try fleet.place.write("secret", "secret")
            for place in ["logs.txt", "tokens.json", "blobs/aa", "stores/app.git/hooks"] {
                let path = "\(folder)/\(place)"
                let aside = fleet.place.file("aside")
                let isThere = files.fileExists(atPath: path)
                if isThere { try files.moveItem(atPath: path, toPath: aside) }
                try files.createSymbolicLink(atPath: path, withDestinationPath: secret)
                let words = ["restore", "backups", "--data", "new", "--anyway"]
                let refused = try fleet.program.run(words)
                #expect(refused.status == 65, "\(place): \(refused.said)")
                #expect(refused.errors.contains("\(path) is a link"), "\(refused.said)")
                #expect(!files.fileExists(atPath: fleet.place.file("new")))
                try files.removeItem(atPath: path)
                if isThere { try files.moveItem(atPath: aside, toPath: path) }
            }
            try files.removeItem(atPath: folder + "/tokens.json")
            try files.removeItem(atPath: folder + "/lease.key")
            let restored = try fleet.program.run(["restore", "backups", "--data", "new"])
            #expect(restored.status == 0, "\(restored.said)")
            for words in ["tokens.json is not", "snapfarm tokens create", "lease.key is not"] {
                #expect(restored.output.contains(words), "\(restored.output)")
            }
        }

        @Test("nothing leaves a data folder while it is backed up, and no backup begins meanwhile")
        func turns() throws {
            let (fleet, _) = try farm()
            fleet.killServer()
            let lock = open(fleet.place.file("state/retention.lock"), O_RDWR | O_CREAT, 0o600)
            defer { close(lock) }
            #expect(flock(lock, LOCK_SH) == 0)
            let prune = try fleet.program.run(["artifacts", "prune", "--data", "state"])
            #expect(prune.status == 75 && prune.errors.contains("a backup"), "\(prune.said)")
            _ = try backup(fleet)
            #expect(flock(lock, LOCK_EX) == 0)
            let words = ["backup", "--data", "state", "--to", "backups"]
            let refused = try fleet.program.run(words)
            #expect(refused.status == 75, "\(refused.said)")
            #expect(refused.errors.contains("in use by retention"), "\(refused.said)")
        }

        @Test("old runs leave a coordinator that serves, with what only they had")
        func retention() throws {
            let (fleet, red) = try farm(units: 20)
            #expect(try fleet.run().status == 1)
            fleet.killServer()
            try age(fleet, days: 3)
            fleet.configuration += "\nretention: {days: 2, runs: 1}"
            let running = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url, "--output", "going"]
            )
            try fleet.serve()
            // Two of three runs, or all: whether the newest one still runs is a race.
            let done = running.wait(seconds: 60) {
                fleet.log.contains("removed 2 runs") || fleet.log.contains("removed 3 runs")
            }
            #expect(done, "\(fleet.log)")
            #expect(running.ending(within: 90).status == 1, "\(running.said)\(fleet.log)")
            let shown = try fleet.submitting().run(["runs", "--coordinator", fleet.url])
            #expect(!shown.output.contains(red), "\(shown.output)")
            let sound = try check(fleet, "state")
            #expect(sound.status == 0, "\(sound.output)")
            #expect(try fleet.run(["--mode", "record"]).status == 0)
            #expect(try fleet.run().status == 0)
        }

        /// Makes all runs of the coordinator look `days` days older.
        private func age(_ fleet: Fleet, days: Int) throws {
            let state = fleet.place.file("state")
            let sql =
                "UPDATE run SET started = started - \(days) * 86400000, "
                + "ended = ended - \(days) * 86400000"
            let script =
                "import sqlite3; d = sqlite3.connect('\(state)/ledger.sqlite'); "
                + "d.execute('\(sql)'); d.commit(); d.close()"
            let ending = try TestProcess.run(["python3", "-c", script], in: state)
            #expect(ending.status == 0, "\(ending.said)")
            for name in try files.subpathsOfDirectory(atPath: state + "/blobs") {
                try files.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -Double(days) * 86_400)],
                    ofItemAtPath: state + "/blobs/" + name
                )
            }
        }
    }
}
