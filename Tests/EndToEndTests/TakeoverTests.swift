// Tests of two coordinators over one PostgreSQL, as a team has them: a farm moves there, its leader
// dies in the middle of a run, and the farm moves back to a folder.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Several coordinators", .serialized, .enabled(if: TestPostgres.isInstalled))
    struct TakeoverTests {
        private struct Status: Decodable {
            struct Member: Decodable { let url: String }
            let leader: String?
            let members: [Member]
        }

        private func verdicts(_ project: Project) throws -> [String] {
            try project.summary().tests.map {
                "\($0.job) \($0.cell) \($0.test) \($0.verdict?.rawValue ?? "none")"
            }
        }

        private func status(_ fleet: Fleet, _ ledger: [String]) throws -> Status {
            let ending = try fleet.program.run(["ledger", "status", "--json"] + ledger)
            #expect(ending.status == 0, "\(ending.said)")
            return try JSONDecoder().decode(Status.self, from: Data(ending.output.utf8))
        }

        @Test("a run goes on when the leader is killed; a farm moves to PostgreSQL and back, whole")
        func takeover() throws {
            let project = try Project(
                scenes: (0..<4).map { "s\($0)" },
                devices: ["A", "B"],
                units: 10
            )
            try project.folder.write("act-unit", "sleep 0.2")
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run().status == 0)
            let expected = try verdicts(project)

            let fleet = try Fleet(project)
            let postgres = try TestPostgres.shared()
            let ledger = ["--ledger", try postgres.database(), "--pool", "team"]
            try fleet.place.write("farm.yaml", fleet.configuration)
            let work = try fleet.token("work")
            _ = try fleet.token("submit")
            let missing = try fleet.program.run(["ledger", "status"] + ledger)
            #expect(missing.status == 64 && missing.errors.contains("no ledger of the pool team"))
            let moved = try fleet.program.run(
                ["ledger", "move", "--config", "farm.yaml"] + ledger
            )
            #expect(moved.output.contains("the same on both sides"), "\(moved.said)")

            // The first coordinator leads. The second follows and gets the tokens from the ledger.
            try fleet.serve(ledger)
            let state = fleet.place.file("state")
            let copy = try fleet.program.run(["tokens", "list", "--data", state])
            #expect(copy.status == 78 && copy.errors.contains("--config"), "\(copy.said)")
            let second = fleet.place.file("state2")
            try FileManager.default.createDirectory(
                atPath: second,
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(
                atPath: second + "/blobs",
                withDestinationPath: state + "/blobs"
            )
            let port = try TestPort.reserved()
            let follower = try fleet.program.start(
                ["serve", "--config", "farm.yaml", "--data", second, "--port", "\(port)"] + ledger
            )
            defer { follower.kill() }
            #expect(follower.wait(seconds: 60) { follower.errors.contains("listening") })
            let urls = "http://127.0.0.1:\(port),\(fleet.url)"
            #expect(try status(fleet, ledger).leader == fleet.url)

            let worker = try Program(
                folder: fleet.place.path,
                environment: ["SNAPFARM_TOKEN": work]
            ).start(["worker", "--coordinator", urls, "--id", "w", "--scratch", "scratch"])
            defer { worker.kill() }
            let running = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", urls]
            )
            #expect(running.wait(seconds: 60) { running.errors.contains("tests on") })
            Thread.sleep(forTimeInterval: 0.5)
            fleet.killServer()
            let result = running.ending(within: 120)
            #expect(result.status == 0, "\(result.said)\n\(follower.errors)")
            #expect(try verdicts(project) == expected)
            #expect(follower.errors.contains("this coordinator leads"), "\(follower.errors)")
            #expect(try status(fleet, ledger).leader == "http://127.0.0.1:\(port)")

            // A coordinator does not start if its blobs would lie elsewhere than the others'.
            let bucket = "INSERT INTO farm.document VALUES ('team', 'bucket', 's3 there')"
            try postgres.query(bucket, database: ledger[1])
            let alone = try fleet.program.run(
                ["serve", "--config", "farm.yaml", "--data", fleet.place.file("state3")] + ledger
            )
            #expect(alone.status == 78 && alone.errors.contains("s3 there"), "\(alone.said)")

            let back = ["ledger", "move", "--back", "--data", second] + ledger
            let refused = try fleet.program.run(back)
            #expect(refused.status == 75, "\(refused.said)")
            kill(follower.pid, SIGTERM)
            #expect(follower.ending(within: 60).status == 0)
            let returned = try fleet.program.run(back)
            #expect(returned.output.contains("the same on both sides"), "\(returned.said)")
            let check = try fleet.program.run(["check", "--deep", "--data", second])
            #expect(check.status == 0, "\(check.output)")
            // The old folder cannot be moved a second time.
            let late = try fleet.program.run(["ledger", "move", "--data", state] + ledger)
            #expect(late.status != 0)
        }
    }
}
