import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Killed while references change", .serialized)
    struct RefsKillTests {
        @Test(
            "killed by SIGKILL at any time it loses nothing, and run again it ends undisturbed",
            arguments: Interruption.all
        )
        func killed(command: Interruption) throws {
            var random = SeededGenerator.announced(command.name)
            let template = try command.template()
            let before = try template.sets()
            let whole = try ReferencesProject(copying: template)
            let times = try Times(of: command, in: whole)
            let expected = try command.outcome(whole)
            let kept = Set(before).intersection(try whole.sets())
            var landed = 0
            var midway = 0
            // If no planned kill hit a write, more kills follow directly after the first write.
            for number in 0..<command.kills * 3 where number < command.kills || midway == 0 {
                let project = try ReferencesProject(copying: template)
                let traces = command.traces(project)
                let share = (Double(number / 2) + .random(in: 0..<1, using: &random)) * 2
                let moment = number < command.kills ? share / Double(command.kills) : 0
                let running = try command.start(project)
                if number.isMultiple(of: 2), number < command.kills {
                    usleep(UInt32(times.whole * moment * 1e6))
                } else {
                    _ = running.waitBusily { command.traces(project) != traces }
                    usleep(UInt32((times.whole - times.quiet) * moment * 1e6))
                }
                kill(running.pid, SIGKILL)
                let isKilled = running.ending(within: 10).status == 128 + SIGKILL
                // Every other time its child processes die as well, as when the machine goes down.
                Self.endChildren(of: running.pid, in: project, byForce: number % 4 < 2)
                if isKilled { landed += 1 }
                if isKilled, command.traces(project) != traces { midway += 1 }
                let what = "\(command.name), kill \(number) at \(moment)"
                try Self.expectSound(project, keeping: kept, byProgram: number < 2, what)
                let again = try command.start(project).ending(within: 30)
                #expect(again.status == 0, "\(what): \(again.said)")
                #expect(try command.outcome(project) == expected, "\(what)")
                try Self.expectWhole(project, what)
            }
            print("\(command.name): \(landed) kills landed, \(midway) after its first write")
            #expect(landed > 0 && midway > 0, "no kill landed in the middle of \(command.name)")
        }

        @Test(
            "Git's locks that a killed process left are in nobody's way",
            arguments: Interruption.all.filter { ["commit", "push", "fetch"].contains($0.name) }
        )
        func locks(command: Interruption) throws {
            let whole = try ReferencesProject(copying: try command.template())
            #expect(try command.start(whole).ending(within: 30).status == 0)
            let project = try ReferencesProject(copying: try command.template())
            var names = ["config", "packed-refs", "HEAD", "refs/heads/main"]
            names += try whole.sets().map { "refs/snapfarm/sets/\($0)" }
            for store in Set(["store.git", command.store]) {
                for name in names { try project.folder.write("\(store)/\(name).lock", "") }
            }
            let ending = try command.start(project).ending(within: 30)
            #expect(ending.status == 0, "\(ending.said)")
            #expect(try command.outcome(project) == command.outcome(whole))
            try Self.expectWhole(project, command.name)
        }

        /// The durations of an undisturbed run, in seconds.
        private struct Times {
            let whole: Double
            /// The time until the first write.
            let quiet: Double

            init(of command: Interruption, in project: ReferencesProject) throws {
                let traces = command.traces(project)
                let clock = ContinuousClock()
                let start = clock.now
                let running = try command.start(project)
                _ = running.waitBusily { command.traces(project) != traces }
                quiet = (clock.now - start) / .seconds(1)
                let ending = running.ending(within: 60)
                whole = (clock.now - start) / .seconds(1)
                #expect(ending.status == 0, "\(command.name): \(ending.said)")
            }
        }

        /// Waits until no process works in the project.
        ///
        /// Git ends when its pipes close.
        private static func endChildren(
            of parent: pid_t,
            in project: ReferencesProject,
            byForce: Bool
        ) {
            let limit = ContinuousClock.now + .seconds(10)
            while true {
                let left = processes(after: parent, workingIn: project.folder.path)
                if left.isEmpty { return }
                if byForce { for pid in left { kill(pid, SIGKILL) } }
                guard ContinuousClock.now < limit else {
                    Issue.record("processes stay: \(left)")
                    return
                }
                usleep(5_000)
            }
        }

        /// Checks the store like `refs verify` and git, but in this process, to save a hundred
        /// starts of the program.
        private static func expectWhole(
            _ project: ReferencesProject,
            pin file: String? = nil,
            _ what: String
        ) throws {
            let bytes = FileManager.default.contents(atPath: file ?? "") ?? Data(project.pin.utf8)
            let pin = try ReferencePin(parsing: bytes)
            let found = try ReferenceStore(opening: project.store)
                .verify(pins: [NamedPin(name: "pin", pin: pin)])
            #expect(found.isSound, "\(what): \(found.lines)")
            #expect(try project.storeIsClean(), "\(what)")
        }

        private static func expectSound(
            _ project: ReferencesProject,
            keeping kept: Set<String>,
            byProgram: Bool,
            _ what: String
        ) throws {
            // Judges by the earlier pin: the pin of a fetch names objects that are still missing.
            let before = project.folder.file("before.refs")
            let isBehind = FileManager.default.fileExists(atPath: before)
            let pin = isBehind ? before : project.main + "/snapfarm.refs"
            if byProgram {
                let verify = ["refs", "verify", "--pin", pin]
                let verified = try project.program(in: "main").run(verify)
                #expect(verified.status == 0, "\(what): \(verified.output) \(verified.said)")
            }
            try expectWhole(project, pin: pin, what)
            let far = project.folder.file("far.git")
            if FileManager.default.fileExists(atPath: far) {
                #expect(try project.storeIsClean(far), "\(what)")
            }
            #expect(kept.isSubset(of: try project.sets()), "\(what)")
        }
    }
}

extension TestProcess {
    /// Waits with short, constant pauses, unlike `wait`, to hit moments of a millisecond.
    fileprivate func waitBusily(until condition: () -> Bool) -> Bool {
        while !condition() {
            guard isRunning else { return false }
            usleep(200)
        }
        return true
    }
}

/// Returns the processes that started after `first` and have a folder on their command line or as
/// their working folder.
func processes(after first: pid_t, workingIn folder: String) -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter { pid in
        guard pid > first else { return false }
        let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
        if String(decoding: line, as: UTF8.self).contains(folder) { return true }
        let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
        return place?.hasPrefix(folder) ?? false
    }
}
