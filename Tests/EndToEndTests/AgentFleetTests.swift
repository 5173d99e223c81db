// Tests of `snapfarm mcp` as an agent uses it that knows only a coordinator's address and has a token.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Agents at a coordinator", .serialized)
    struct AgentFleetTests {
        /// Returns a program with a token, in a folder without a project.
        private func stranger(_ fleet: Fleet, _ scopes: String...) throws -> Program {
            let folder = fleet.place.file("agent")
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            let token =
                scopes.count == 2 ? try fleet.token("read", "review") : try fleet.token(scopes[0])
            return Program(folder: folder, environment: ["SNAPFARM_TOKEN": token])
        }

        @Test(
            "an agent far from the project looks and rejects, and its token bounds what it may do"
        )
        func deciding() throws {
            let fleet = try Fleet(try Project(scenes: ["one", "two"], devices: ["A"]))
            let project = fleet.project
            #expect(try project.run(["--mode", "record"]).status == 0)
            for scene in ["one", "two"] {
                try project.folder.write("pictures/\(scene).png", Project.png(shade: 200))
            }
            try fleet.serve()
            _ = try fleet.startWorker("far")
            #expect(try fleet.run().status == 1, "\(fleet.log)")
            let summary = try project.summary()
            let run = summary.run.id
            let pin = project.text("snapfarm.refs")
            let place = ["--coordinator", fleet.url]
            let picture = "A/Suite/two"
            func about(_ more: [String: String] = [:]) -> [String: String] {
                ["run": run, "change": picture].merging(more) { own, _ in own }
            }

            let (results, ending) = try AgentTalk.results(
                of: [
                    ("list_runs", [:]), ("show_run", ["run": run]), ("show_change", about()),
                    ("why", ["run": run]), ("reject", about(["reason": "too pale"])),
                    ("approve", about(["reason": "looks right"])), ("show_run", ["run": run]),
                    ("comment", about(["text": "meant?"])), ("show_change", about()),
                    ("show_run", [:]), ("show_run", ["run": "none"]),
                ],
                by: try stranger(fleet, "read", "review"),
                place
            )
            let said = ending.said
            #expect(
                AgentTalk.text(results[0]).contains("snapfarm show \(run) --coordinator"),
                "\(said)"
            )
            let records = AgentTalk.document(results[1])["records"] as? [[String: Any]]
            #expect(records?.isEmpty == false, "\(results[1])")
            #expect(AgentTalk.pictures(results[2]) == 3, "\(results[2])")
            let why = AgentTalk.document(results[3])
            #expect(why["run"] as? String == run && why["state"] as? String == "failed")
            #expect(why["reasons"] as? [String] == ["Run \(run) has ended: failed."], "\(why)")
            let who = "read-review, tester 1.2 (agent)"
            #expect(AgentTalk.document(results[4])["pictures"] as? Int == 1, "\(results[4])")
            #expect(AgentTalk.isError(results[5]))
            let words = AgentTalk.text(results[5])
            #expect(words.contains("accepting pictures is for people"), "\(words)")
            #expect(words.contains("snapfarm approve --run \(run)"), "\(words)")
            #expect(words.contains("--coordinator \(fleet.url)"), "\(words)")
            #expect(
                AgentTalk.text(results[6]).contains("rejected by \(who): too pale"),
                "\(results[6])"
            )
            #expect(AgentTalk.document(results[7])["pictures"] as? Int == 1, "\(results[7])")
            #expect(AgentTalk.text(results[8]).contains("\(who): meant?"), "\(results[8])")
            #expect(AgentTalk.isError(results[9]))
            #expect(AgentTalk.text(results[9]).contains("no work tree is here"), "\(results[9])")
            #expect(AgentTalk.text(results[10]).contains("no run none"), "\(results[10])")

            let (refused, _) = try AgentTalk.results(
                of: [
                    ("list_runs", [:]), ("show_change", about()),
                    ("reject", about(["reason": "x"])),
                    ("comment", about(["text": "x"])), ("show_run", ["run": run]),
                ],
                by: try stranger(fleet, "read"),
                place
            )
            #expect(!AgentTalk.isError(refused[0]) && AgentTalk.pictures(refused[1]) == 3)
            for answer in refused[2...3] {
                #expect(AgentTalk.isError(answer))
                #expect(AgentTalk.text(answer).contains("this call needs review"), "\(answer)")
            }
            #expect(AgentTalk.text(refused[4]).contains("too pale"), "\(refused[4])")
            #expect(project.text("snapfarm.refs") == pin)
        }

        @Test("an agent asks why a run waits, and only where a coordinator is named")
        func waiting() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let following = try fleet.submitting().start([
                "run", "app.yaml", "--select", "job=unit_test", "--coordinator", fleet.url,
            ])
            #expect(following.wait(seconds: 60) { following.errors.contains("run 2") })
            let id = String(try #require(following.errors.firstMatch(of: #/run (2\S+) at /#)).1)
            let program = try stranger(fleet, "read")
            let (results, _) = try AgentTalk.results(
                of: [
                    ("list_runs", [:]), ("why", ["run": id]), ("why", ["run": id, "cursor": "x"]),
                ],
                by: program,
                ["--coordinator", fleet.url]
            )
            #expect(AgentTalk.text(results[0]).contains("snapfarm why \(id)"), "\(results[0])")
            let why = AgentTalk.document(results[1])
            let reasons = why["reasons"] as? [String] ?? []
            #expect(reasons.contains { $0.contains("No worker calls. Start one") }, "\(why)")
            let printed = try program.run(["why", id, "--json", "--coordinator", fleet.url])
            let same = try JSONSerialization.jsonObject(with: Data(printed.output.utf8))
            #expect((same as? [String: Any])?["reasons"] as? [String] == reasons)
            #expect(AgentTalk.isError(results[2]), "\(results[2])")
            let (alone, _) = try AgentTalk.answers(
                to: [
                    ("tools/list", [:]),
                    ("tools/call", ["name": "why", "arguments": ["run": id]]),
                    ("resources/read", ["uri": "snapfarm://docs/agents.md"]),
                ],
                by: program,
                []
            )
            #expect(!"\(alone[0])".contains("\"why\"") && !"\(alone[0])".contains("= why;"))
            let refusal = alone[1]["result"] as? [String: Any] ?? [:]
            #expect(AgentTalk.text(refusal).contains("--coordinator"), "\(refusal)")
            #expect("\(alone[2])".contains("# Programs and agents"), "\(alone[2])")
            following.kill()
        }
    }

    @Suite("The documentation at a coordinator", .serialized)
    struct ServedDocsTests {
        @Test("every page that the list names is there without a login, byte for byte")
        func pages() throws {
            let fleet = try Fleet()
            try fleet.serve()
            func get(_ path: String) throws -> RawConnection.Response {
                try #require(try fleet.call("GET", path, version: nil))
            }
            let list = try get("/llms.txt")
            #expect(list.status == 200 && list.text.hasPrefix("# snapfarm\n"), "\(list.text)")
            #expect(list.text.contains("(docs/agents.md)"))
            #expect(!list.text.contains("ARCHITECTURE"))
            let root = #filePath.replacing("/Tests/EndToEndTests/AgentFleetTests.swift", with: "")
            let links = list.text.matches(of: /\]\(([^)]*)\)/).map { String($0.1) }
            #expect(Set(links).count > 35)
            for link in Set(links) {
                let page = try get("/" + link)
                #expect(page.status == 200, "\(link)")
                let file = try Data(contentsOf: URL(fileURLWithPath: root + "/" + link))
                #expect(page.body == file, "\(link)")
            }
            // Nothing that docs/llms.txt lists of docs/ is missing, and nothing else is served.
            let own = try String(contentsOfFile: root + "/docs/llms.txt", encoding: .utf8)
            for match in own.matches(of: /\]\(((?:schema\/)?[a-z0-9-]+\.[a-z.]+)\)/) {
                #expect(links.contains("docs/\(match.1)"), "\(match.1)")
            }
            for path in ["/docs/none.md", "/docs/..%2fPackage.swift", "/docs/", "/docs/schema"] {
                let page = try get(path)
                #expect(page.status == 404, "\(path) \(page.status)")
            }
        }
    }
}
