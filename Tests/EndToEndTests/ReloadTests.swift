// Tests of a coordinator that reloads its settings while it serves, by `snapfarm reload` or SIGHUP,
// and of the errors for a certificate outside of its validity.
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A coordinator that reloads", .serialized)
    struct ReloadTests {
        private func runs(
            _ fleet: Fleet,
            trusting authority: String,
            words: [String] = ["runs"]
        ) throws -> ProcessEnding {
            try fleet.project.program([
                "SNAPFARM_TOKEN": try fleet.token("submit"),
                "SNAPFARM_CA": fleet.place.file(authority),
            ]).run(words + ["--coordinator", "https://localhost:\(fleet.port)"])
        }

        private func reload(_ fleet: Fleet) throws -> ProcessEnding {
            try fleet.place.write("farm.yaml", fleet.configuration)
            return try fleet.program.run(["reload", "--data", "state"])
        }

        @Test("takes a new certificate and a new store without a restart, and names the difference")
        func taken() throws {
            let fleet = try Fleet()
            try fleet.serveTLS()
            let files = FileManager.default
            try files.copyItem(
                atPath: fleet.place.file("cert.pem"),
                toPath: fleet.place.file("old.pem")
            )
            #expect(try runs(fleet, trusting: "old.pem").status == 0)
            try fleet.certify()
            #expect(try runs(fleet, trusting: "old.pem").status == 0, "nothing was read yet")
            fleet.configuration.replace("stores: {", with: "stores: {other: other.git, ")
            let ended = try reload(fleet)
            #expect(ended.status == 0, "\(ended.said)\n\(fleet.log)")
            #expect(ended.output.contains("stores: other is new"), "\(ended.output)")
            #expect(ended.output.contains("certificate: valid until"), "\(ended.output)")
            #expect(fleet.log.contains("stores: other is new"), "\(fleet.log)")
            #expect(try runs(fleet, trusting: "cert.pem").status == 0)
            #expect(try runs(fleet, trusting: "old.pem").status == 78)
            fleet.configuration += "\nteams:\n  pay: {pipelines: [\"pay-*\"], weight: 2}"
            fleet.configuration += "\n  web: {pipelines: [web]}"
            let teams = try reload(fleet)
            #expect(teams.output.contains("teams: pay is new"), "\(teams.output)")
            fleet.configuration.replace("weight: 2", with: "weight: 3")
            let heavier = try reload(fleet)
            #expect(heavier.output.contains("teams: pay has changed"), "\(heavier.output)")
            kill(fleet.pid, SIGHUP)
            let deadline = ContinuousClock.now + .seconds(30)
            while !fleet.log.contains("nothing has changed"), ContinuousClock.now < deadline {
                usleep(20_000)
            }
            #expect(fleet.log.contains("nothing has changed"), "\(fleet.log)")
            #expect(fleet.isServing)
            #expect(try fleet.stop().status == 0)
            let none = try fleet.program.run(["reload", "--data", "state"])
            #expect(none.status == 69 && none.errors.contains("no coordinator uses"), "\(none)")
        }

        @Test("refuses what it cannot take as a whole, with the reason, and goes on as it was")
        func refused() throws {
            let fleet = try Fleet()
            try fleet.serveTLS()
            let (certificate, right) = (fleet.place.file("cert.pem"), fleet.configuration)
            let bytes = try #require(FileManager.default.contents(atPath: certificate))
            try fleet.place.write("ca.pem", bytes)
            let store = "stores: {other: other.git, "
            let mistakes: [(String, String, Int32, String)] = [
                ("log: json", "retention: {days: 3}\nlog: json", 78, "`retention:` is another"),
                (":\(fleet.port)", ":1", 78, "`listen:` is another"),
                ("data: state", "data: elsewhere", 78, "`data:` is another"),
                ("tls:", "log: text\n#", 65, "farm.yaml"),
                ("log: json", "bogus: 1", 65, "unknown key \"bogus\""),
                (
                    "log: json", "repositories: {app: {url: x.git, token: NOT_SET}}", 78,
                    "the variable NOT_SET"
                ),
                (
                    "log: json",
                    """
                    launchers: [{name: l, kind: command, max: 1, coordinator: "http://c", token: none,
                    check: [sh, -c, 'echo "$FARM_A is bad" >&2; exit 1'], variables: [FARM_A=this],
                    start: ["true"], list: ["true"], stop: ["true"]}]
                    """, 78, "launcher l: its command sh ended with status 1, and said: this is bad"
                ),
            ]
            for (old, new, exit, words) in mistakes {
                fleet.configuration = right.replacing(old, with: new)
                    .replacing("stores: {", with: store)
                let ended = try reload(fleet)
                #expect(ended.status == exit, "\(new): \(ended.said)")
                #expect(ended.errors.contains(words), "\(ended.said)")
            }
            fleet.configuration = right
            try fleet.place.write("cert.pem", "none")
            let ended = try reload(fleet)
            #expect(ended.status == 78, "\(ended.said)")
            #expect(ended.errors.contains("is no certificate in PEM"), "\(ended.said)")
            #expect(try runs(fleet, trusting: "ca.pem").status == 0)
            try fleet.place.write("cert.pem", bytes)
            let again = try reload(fleet)
            #expect(again.status == 0 && again.output.contains("nothing has changed"), "\(again)")
        }

        @Test("starts and ends the workers of launchers that come and go")
        func launchers() throws {
            let fleet = try Fleet()
            fleet.environment["WORKER_TOKEN"] = try fleet.token("work")
            try fleet.serve()
            let before = fleet.configuration
            func hasWorker(_ wanted: Bool) throws -> Bool {
                let deadline = ContinuousClock.now + .seconds(60)
                while ContinuousClock.now < deadline {
                    let list = try fleet.submitting().run(["workers", "--coordinator", fleet.url])
                    let isLive = list.output.split(separator: "\n")
                        .contains { $0.hasPrefix("late-") && $0.contains("live") }
                    if isLive == wanted { return true }
                    usleep(200_000)
                }
                return false
            }
            fleet.configuration += "\nlaunchers: [{name: late, kind: local, min: 1, max: 1, "
            fleet.configuration += "token: WORKER_TOKEN}]"
            let ended = try reload(fleet)
            #expect(ended.output.contains("launchers: late is new"), "\(ended.output)")
            #expect(try hasWorker(true), "\(fleet.log)")
            fleet.configuration = before
            let gone = try reload(fleet)
            #expect(gone.output.contains("launchers: late is gone"), "\(gone.output)")
            #expect(try hasWorker(false), "\(fleet.log)")
        }

        @Test(
            "a certificate whose time is over, has not come or ends soon is named with both times",
            arguments: [
                ("20200101000000Z", "20210101000000Z", "expired on 2021-01-01 00:00 UTC"),
                (
                    "20400101000000Z", "20410101000000Z",
                    "is valid only from 2040-01-01 00:00 UTC on"
                ),
            ]
        )
        func time(from start: String, until end: String, words: String) throws {
            let fleet = try Fleet()
            try fleet.serveTLS()
            #expect(fleet.log.contains("in 1 day"), "\(fleet.log)")
            let doctor = try runs(fleet, trusting: "cert.pem", words: ["doctor"])
            #expect(doctor.said.contains("in 1 day"), "\(doctor)")
            try fleet.certify(from: start, until: end)
            let ended = try reload(fleet)
            #expect(ended.status == 0 && ended.output.contains(words), "\(ended.output)")
            #expect(fleet.log.contains(words), "\(fleet.log)")
            for command in [["runs"], ["doctor"]] {
                let refused = try runs(fleet, trusting: "cert.pem", words: command)
                let text = refused.said
                #expect(refused.status == 78, "\(text)")
                #expect(text.contains(words), "\(text)")
                #expect(text.contains("this machine's clock says"), "\(text)")
                #expect(!text.contains("SNAPFARM_CA"), "\(text)")
            }
        }
    }
}
