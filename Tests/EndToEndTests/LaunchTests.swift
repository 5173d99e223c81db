import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Workers on demand", .serialized)
    struct LaunchTests {
        /// Returns a fleet whose test cases wait for the file `gate`.
        private func fleet(_ launcher: String, units: Int = 4) throws -> Fleet {
            let fleet = try Fleet(
                try Project(units: units),
                limits:
                    "launchers: [{max: 2, tests: 2, idle: 1s, token: WORKER_TOKEN, \(launcher)}]"
            )
            let project = fleet.project
            try project.folder.write(
                "act-unit",
                """
                echo $1 >>\(project.folder.file("begun"))
                while [ ! -e \(project.folder.file("gate")) ]; do sleep 0.05; done
                """
            )
            fleet.environment["WORKER_TOKEN"] = try fleet.token("work")
            return fleet
        }

        private func begin(_ fleet: Fleet) throws -> TestProcess {
            try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url, "--select", "job=unit_test"]
            )
        }

        private func metric(_ fleet: Fleet, _ series: String) throws -> Int? {
            let answer = try fleet.call("GET", "/metrics", token: try fleet.token("read"))
            let text = String(decoding: answer?.body ?? Data(), as: UTF8.self)
            return text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
                .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
        }

        private func launches(_ fleet: Fleet, _ outcome: String) throws -> Int? {
            try metric(fleet, "snapfarm_launches_total{launcher=\"l\",outcome=\"\(outcome)\"}")
        }

        /// Returns only the workers: a guard that a worker has forked shows the same command line.
        private static func workers(in scratch: String) -> [Int32] {
            let all = processes(naming: scratch)
            return all.filter { pid in parent(of: pid).map { !all.contains($0) } ?? false }
        }

        private static func parent(of pid: Int32) -> Int32? {
            let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") ?? Data()
            let text = String(decoding: bytes, as: UTF8.self)
            // The name before these fields may contain any character.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            return fields.count > 2 ? Int32(fields[2]) : nil
        }

        @Test("children come when work waits, a killed one is replaced, and all leave afterwards")
        func local() throws {
            let fleet = try fleet("name: l, kind: local")
            try fleet.serve()
            let children = { Self.workers(in: fleet.place.file("state/scratch/l-")) }
            #expect(children().isEmpty)
            let run = try begin(fleet)
            #expect(run.wait(seconds: 90) { children().count == 2 }, "\(fleet.log)")
            #expect(run.wait(seconds: 90) { fleet.project.exists("begun") }, "\(fleet.log)")
            let first = try #require(children().first)
            kill(first, SIGKILL)
            #expect(
                run.wait(seconds: 90) { children().count == 2 && !children().contains(first) },
                "\(fleet.log)"
            )
            try fleet.project.folder.write("gate", "")
            let ending = run.ending(within: 120)
            #expect(ending.status == 0, "\(ending.said)\n\(fleet.log)")
            #expect(run.wait(seconds: 90) { children().isEmpty }, "\(fleet.log)")
            #expect(try launches(fleet, "started") == 3)
            #expect(try fleet.stop().status == 0)
        }

        @Test("a start that fails and one that never comes are given up, and why says so")
        func never() throws {
            let fleet = try fleet(
                """
                name: l, kind: command, start-within: 2s, coordinator: "http://127.0.0.1:9",
                start: [sh, -c, 'echo "{name}" >>names'], list: [cat, names],
                stop: [sh, -c, ': >names']}, {max: 1, token: WORKER_TOKEN, name: m, kind: command,
                start: [sh, -c, "echo no quota >&2; exit 3"], list: ["true"], stop: ["true"],
                coordinator: "http://127.0.0.1:9"
                """
            )
            _ = try fleet.place.write("names", "")
            try fleet.serve()
            let run = try begin(fleet)
            let reader = try fleet.submitting()
            #expect(run.wait(seconds: 90) { run.errors.contains("run 2") }, "\(run.said)")
            let runs = try reader.run(["runs", "--coordinator", fleet.url])
            let id = try #require(runs.column("RUN").first)
            var why = ""
            let isSaid = run.wait(seconds: 90) {
                why = (try? reader.run(["why", id, "--coordinator", fleet.url]).output) ?? ""
                return why.contains("not called 2 s after its start") && why.contains("no quota")
            }
            #expect(isSaid, "\(why)\n\(fleet.log)")
            #expect(why.contains("the launcher m gave up"), "\(why)")
            #expect(why.contains("its command sh ended with status 3, and said: no quota"))
            #expect(!why.contains("Start one"), "\(why)")
            #expect(try launches(fleet, "never_called") ?? 0 >= 1)
            #expect(try reader.run(["cancel", id, "--coordinator", fleet.url]).status == 0)
            #expect(run.ending(within: 120).status == 2)
        }
    }
}
