// Tests of decisions about a coordinator's runs from other machines, with a real `snapfarm serve`.
import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Decisions at a coordinator", .serialized)
    struct FleetDecisionsTests {
        /// Returns a fleet and a run in which the pictures `one` and `two` were changed.
        private func changed() throws -> (fleet: Fleet, run: String) {
            let fleet = try Fleet(try Project(scenes: ["one", "two"], devices: ["A"]))
            let project = fleet.project
            #expect(try project.run(["--mode", "record"]).status == 0)
            for scene in ["one", "two"] {
                try project.folder.write("pictures/\(scene).png", Project.png(shade: 200))
            }
            try fleet.serve()
            _ = try fleet.startWorker("far")
            let ending = try fleet.run()
            #expect(ending.status == 1, "\(ending.said)\n\(fleet.log)")
            return (fleet, try project.summary().run.id)
        }

        private func program(_ fleet: Fleet, _ scope: String) throws -> Program {
            fleet.project.program(["SNAPFARM_TOKEN": try fleet.token(scope)])
        }

        private func decide(
            _ fleet: Fleet,
            _ run: String,
            as scope: String = "review",
            _ body: String
        ) throws -> RawConnection.Response {
            let path = Routes.prefix + Routes.decisions(run)
            let token = try fleet.token(scope)
            let answer = try fleet.call("POST", path, token: token, body: Data(body.utf8))
            return try #require(answer)
        }

        private func decisions(_ fleet: Fleet, _ run: String) throws -> [Decision] {
            try reply(fleet, run, after: 0).decisions
        }

        private func reply(_ fleet: Fleet, _ run: String, after: Int64) throws -> DecisionsReply {
            let path = Routes.prefix + Routes.decisions(run) + "?after=\(after)"
            let answer = try #require(
                try fleet.call("GET", path, token: try fleet.token("read"))
            )
            #expect(answer.status == 200, "\(answer.text)")
            return try JSONDecoder().decode(DecisionsReply.self, from: answer.body)
        }

        @Test("an agent's decision has its name behind the person's, and `show` says both")
        func agents() throws {
            let (fleet, run) = try changed()
            let body = #"""
                {"kind": "rejected", "reason": "too pale", "snapshots": ["A/Suite/one"], "agent": "bot 1 (agent)"}
                """#
            #expect(try decide(fleet, run, body).status == 200)
            #expect(try decisions(fleet, run).map(\.who) == ["review, bot 1 (agent)"])
            let long = body.replacing("bot 1", with: String(repeating: "x", count: 400))
            #expect(try decide(fleet, run, long).status >= 400)
            let reviewer = try program(fleet, "review")
            let shown = try reviewer.run(["show", run, "--coordinator", fleet.url])
            #expect(shown.status == 0, "\(shown.said)")
            let words = "rejected by review, bot 1 (agent): too pale"
            #expect(shown.output.contains(words), "\(shown.said)")
            let next = "snapfarm review --run \(run) --coordinator \(fleet.url)"
            #expect(shown.output.contains(next), "\(shown.said)")
        }

        @Test("rejected on one machine, left out on another, and said by the next run")
        func approveAndReject() throws {
            let (fleet, run) = try changed()
            let project = fleet.project
            let there = ["--coordinator", fleet.url, "--run", run]
            let reviewer = try program(fleet, "review")
            let rejected = try reviewer.run(
                ["reject", "--select", "snapshot=A/Suite/two", "--reason", "too pale"] + there
            )
            #expect(rejected.status == 0, "\(rejected.said)")
            #expect(rejected.output.contains("Kept in \(fleet.url)"), "\(rejected.output)")
            let first = try decisions(fleet, run)
            #expect(first.map(\.kind) == [.rejected] && first.map(\.who) == ["review"])
            #expect(first.map(\.snapshot.text) == ["A/Suite/two"] && first[0].run == run)

            fleet.killServer()
            try fleet.serve()
            let again = try fleet.run()
            #expect(again.status == 1, "\(again.said)")
            #expect(again.output.contains("1 picture was rejected before"), "\(again.output)")
            #expect(again.output.contains("rejected by review: too pale"), "\(again.output)")
            let second = try project.summary().run.id
            #expect(second != run)
            #expect(try decisions(fleet, second) == first)

            let pin = project.text("snapfarm.refs")
            let words = ["approve", "--coordinator", fleet.url, "--run", "latest"]
            let refused = try program(fleet, "read").run(words)
            #expect(refused.status != 0, "\(refused.said)")
            #expect(refused.errors.contains("review"), "\(refused.said)")
            #expect(project.text("snapfarm.refs") == pin)
            let approved = try reviewer.run(words)
            #expect(approved.status == 0, "\(approved.said)")
            #expect(
                approved.output.contains("Approved 1 changed of run \(second)"),
                "\(approved.output)"
            )
            #expect(approved.output.contains("A/Suite/two — rejected"), "\(approved.output)")
            #expect(project.text("snapfarm.refs") != pin)
            let kinds = try decisions(fleet, second).map { "\($0.snapshot.name) \($0.kind)" }
            #expect(kinds == ["two rejected", "one published"])
            #expect(try project.run().status == 1)
            #expect(try project.summary().counts.changed == 1)
            #expect(try project.storeIsSound())
        }

        @Test("who decides is who the token belongs to, and what is no decision changes nothing")
        func border() throws {
            let (fleet, run) = try changed()
            let lie =
                #"{"kind": "rejected", "reason": "", "snapshots": ["A/Suite/one"], "#
                + #""who": "mallory", "when": 1, "pipeline": "other", "run": "other"}"#
            #expect(try decide(fleet, run, lie).status == 200)
            let first = try reply(fleet, run, after: 0)
            #expect(try reply(fleet, run, after: first.newest).decisions == [])
            let kept = first.decisions
            #expect(kept.map(\.who) == ["review"] && kept.map(\.pipeline) == ["app"])
            #expect(kept[0].run == run && kept[0].when > 1_700_000_000_000)
            let other = #"{"kind": "accepted", "reason": "", "snapshots": ["A/Suite/one"]}"#
            for scope in ["read", "submit", "work"] {
                #expect(try decide(fleet, run, as: scope, other).status == 403, "\(scope)")
            }
            let long = String(repeating: "x", count: FarmLimits.decisionReasonBytesMax + 1)
            let many = Array(
                repeating: "\"A/Suite/one\"",
                count: FarmLimits.decisionsPerMessageMax + 1
            ).joined(separator: ",")
            let old = try fleet.project.summary().run.set
            let bad = [
                (#"{"kind": "accepted", "reason": "", "snapshots": ["A/Suite/one", "A/no"]}"#, 404),
                (#"{"kind": "liked", "reason": "", "snapshots": ["A/Suite/one"]}"#, 400),
                (#"{"kind": "accepted", "reason": "\#(long)", "snapshots": ["A/Suite/one"]}"#, 400),
                (#"{"kind": "accepted", "reason": "\u0000", "snapshots": ["A/Suite/one"]}"#, 400),
                (#"{"kind": "accepted", "reason": "", "snapshots": [\#(many)]}"#, 400),
                // A decision alone cannot claim a publication: not without a set, not with a set
                // that lacks the picture.
                (#"{"kind": "published", "reason": "", "snapshots": ["A/Suite/one"]}"#, 409),
                (
                    #"{"kind": "published", "reason": "", "snapshots": ["A/Suite/one"], "#
                        + #""set": "\#(old)"}"#, 409
                ),
                (
                    #"{"kind": "published", "reason": "", "snapshots": ["A/Suite/one"], "#
                        + #""set": "\#(String(repeating: "0", count: 40))"}"#, 409
                ),
            ]
            for (body, status) in bad {
                let answer = try decide(fleet, run, body)
                #expect(answer.status == status, "\(answer.text)")
            }
            #expect(try decide(fleet, "none", other).status == 404)
            #expect(try decisions(fleet, run) == kept)

            // A client that knows the first decision learns that it was withdrawn.
            let back = #"{"kind": "withdrawn", "reason": "", "snapshots": ["A/Suite/one"]}"#
            #expect(try decide(fleet, run, back).status == 200)
            let later = try reply(fleet, run, after: first.newest)
            #expect(later.decisions.map(\.kind) == [.withdrawn] && later.newest > first.newest)
            #expect(try decisions(fleet, run) == [])
        }

        @Test("nothing is decided about a run that has not ended")
        func open() throws {
            let fleet = try Fleet(try Project(scenes: ["one"], devices: ["A"]))
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            let client = try fleet.submitting().start([
                "run", "app.yaml", "--coordinator", fleet.url,
            ])
            #expect(client.wait(seconds: 60) { client.errors.contains("run 2") })
            let id = try #require(client.errors.firstMatch(of: #/run (2\S+) at /#)).1
            let body = #"{"kind": "rejected", "reason": "", "snapshots": ["A/Suite/one"]}"#
            let answer = try decide(fleet, String(id), body)
            #expect(answer.status == 409 && answer.text.contains("run-open"), "\(answer.text)")
            client.kill()
        }
    }
}
