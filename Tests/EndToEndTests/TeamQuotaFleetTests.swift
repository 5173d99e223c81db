import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

extension ManyMachines {
    @Suite("A team at its quota, and its operator", .serialized)
    struct TeamQuotaFleetTests {
        @Test("waits and says for what, then ends in 75; with room the run goes on, and is green")
        func quota() throws {
            let fleet = try Fleet(limits: "teams: {ours: {pipelines: [app], runs: 1}}")
            try fleet.serve()
            let words = [
                "run", "app.yaml", "--coordinator", fleet.url, "--select", "job=unit_test",
            ]
            let first = try fleet.submitting().start(words)
            #expect(first.wait(seconds: 60) { first.errors.contains("tests on") }, "\(first.said)")
            let full = try fleet.submitting().run(words + ["--quota-wait", "0", "--data", "b"])
            #expect(full.status == 75, "\(full.said)")
            #expect(full.errors.contains("the team ours has 1 of at most 1 open runs"))
            let waiting = try fleet.submitting().start(words + ["--data", "c"])
            let says = waiting.wait(seconds: 60) {
                waiting.errors.contains(
                    "Waiting to hand the run in: the team ours has 1 of at most 1 open runs"
                )
            }
            #expect(says, "\(waiting.said)")
            let farm = try overview(fleet)
            #expect(farm.teams.first?.team == "ours" && farm.teams.first?.openRuns == 1)
            #expect(farm.needs.contains { $0.code == "no-worker" }, "\(farm.needs)")
            let atQuota = try #require(farm.needs.first { $0.code == "team-at-quota" })
            #expect(atQuota.message.hasPrefix("the team ours has 1 of at most 1 open runs"))
            _ = try fleet.startWorker("far")
            let done = first.ending(within: 60)
            #expect(done.status == 0, "\(done.said)")
            let next = waiting.ending(within: 60)
            #expect(next.status == 0, "\(next.said)")
            // A reload is enough to change it.
            fleet.configuration.replace("runs: 1", with: "runs: 2")
            try fleet.place.write("farm.yaml", fleet.configuration)
            let reloaded = try fleet.program.run(["reload", "--config", "farm.yaml"])
            #expect(reloaded.status == 0, "\(reloaded.said)")
            #expect(try overview(fleet).teams.first?.quota?.runs == 2)
        }

        @Test("sees what needs a person on the page and by command, and no other team may")
        func page() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            let ran = try fleet.run(["--select", "job=unit_test"])
            #expect(ran.status == 0, "\(ran.said)")
            let reader = try fleet.project.program(["SNAPFARM_TOKEN": fleet.token("read")])
            let said = try reader.run(["farm", "--coordinator", fleet.url])
            #expect(said.status == 0, "\(said.said)")
            let first = said.output.split(separator: "\n").first ?? ""
            #expect(first.hasPrefix("! there is no backup of the data folder. Make one: "))
            #expect(said.output.contains("worker far"), "\(said.output)")
            var visitor = Visitor(fleet)
            try visitor.logIn(try fleet.token("read"))
            let page = try visitor.get("/farm").text
            #expect(page.contains("there is no backup of the data folder."), "\(page)")
            #expect(page.contains("<bdi>far</bdi>"), "\(page)")
            #expect(try visitor.get("/farm?lang=ja").text.contains("対応が必要"))
            var reviewer = Visitor(fleet)
            try reviewer.logIn(try fleet.token("review"))
            #expect(try reviewer.get("/farm").status == 403)
            let made = try fleet.program.run(
                ["tokens", "create", "theirs", "--data", "state", "--scope", "read"]
                    + ["--pipeline", "web-*"]
            )
            var stranger = Visitor(fleet)
            try stranger.logIn(made.output.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(try stranger.get("/runs").status == 200)
            #expect(try stranger.get("/farm").status == 403)
            #expect(try stranger.get("/farm/events").status == 403)
            worker.kill()
        }

        @Test("of bytes lets its oldest run go with its artifacts, and shows what it keeps")
        func bytes() throws {
            let fleet = try Fleet(
                limits: "teams: {ours: {pipelines: [app], bytes: 1 kB}}\nretention: {days: 30}"
            )
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            #expect(try fleet.run(["--select", "job=unit_test"]).status == 0)
            let old = try fleet.project.summary().run.id
            #expect(try fleet.run(["--select", "job=unit_test"]).status == 0)
            worker.kill()
            fleet.killServer()
            try fleet.serve()
            let server = try #require(fleet.server)
            let done = server.wait(seconds: 60) { fleet.log.contains("removed 1 runs") }
            #expect(done, "\(fleet.log)")
            let shown = try fleet.submitting().run(["runs", "--coordinator", fleet.url])
            #expect(!shown.output.contains(old), "\(shown.output)")
            let ours = try #require(try overview(fleet).teams.first)
            #expect(ours.keptText?.hasSuffix("kB of 1 kB") == true, "\(ours)")
        }

        private func overview(_ fleet: Fleet) throws -> FarmOverview {
            let answer = try fleet.call(
                "GET",
                Routes.prefix + Routes.farm,
                token: try fleet.token("read")
            )
            return try JSONDecoder().decode(FarmReply.self, from: try #require(answer).body).farm
        }
    }
}
