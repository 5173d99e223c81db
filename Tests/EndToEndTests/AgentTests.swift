// Tests of `snapfarm show` and of `snapfarm mcp` as a program and an agent use them: a real process
// that gets lines.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Agents and short answers", .serialized)
    struct AgentTests {
        /// A project whose run has one cause on two screens, and a failing unit test.
        private struct RedProject {
            let project: Project
            let summary: RunSummary
            var run: String { summary.run.id }

            init() throws {
                let project = try Project(devices: ["A"], units: 1)
                func draw(_ shade: UInt8) throws {
                    for (name, width) in [("one", 16), ("two", 24)] {
                        let picture = Project.png(shade: shade, width: width, height: 12)
                        try project.folder.write("pictures/\(name).png", picture)
                    }
                }
                try draw(10)
                #expect(try project.run(["--mode", "record"]).status == 0)
                try draw(200)
                try project.folder.write("act-unit", "echo the total is wrong; exit 1")
                #expect(try project.run().status == 1)
                self.project = project
                summary = try project.summary()
            }

            func show(_ words: String...) throws -> [String: Any] {
                let ending = try project.program().run(["show"] + words + ["--json"])
                #expect(ending.status == 0, "\(ending.said)")
                let json = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
                return try #require(json as? [String: Any])
            }

            /// Sends calls to the server, and returns their results in order.
            func agent(
                options: [String] = [],
                name: String = "tester",
                _ calls: [AgentTalk.Call]
            ) throws -> (results: [[String: Any]], ending: ProcessEnding) {
                try AgentTalk.results(
                    of: calls,
                    by: project.program(),
                    ["app.yaml"] + options,
                    name: name
                )
            }
        }

        private static func text(_ result: [String: Any]) -> String { AgentTalk.text(result) }

        private static func document(_ result: [String: Any]) -> [String: Any] {
            AgentTalk.document(result)
        }

        @Test("show says the cause first, and shows a change with its pictures as files")
        func show() throws {
            let red = try RedProject()
            let cause = try #require(red.summary.causes?.first)
            let brief = try red.show("latest")
            let records = try #require(brief["records"] as? [[String: Any]])
            #expect((brief["run"] as? [String: Any])?["id"] as? String == red.run)
            #expect(records.first?["kind"] as? String == "cause", "\(records)")
            #expect(records.first?["id"] as? String == cause.id)
            #expect(!records.contains { $0["kind"] as? String == "change" }, "\(records)")
            let test = try #require(records.first { $0["kind"] as? String == "test" })
            let told = try red.show(red.run, try #require(test["id"] as? String))
            #expect("\(told)".contains("the total is wrong"), "\(told)")

            let change = try red.show(red.run, cause.id, "--pictures", "seen")
            let pictures = try #require(change["records"] as? [[String: Any]])
            let files = try #require(pictures.first?["files"] as? [String: String])
            #expect(Set(files.keys).isSuperset(of: ["reference", "failed", "diff"]))
            for file in files.values {
                #expect(file.hasPrefix("/") && FileManager.default.fileExists(atPath: file))
            }
            #expect((change["baseline"] as? [String])?.first?.hasPrefix("reference ") == true)
            let words = try red.project.program().run([
                "show", "latest", String(cause.id.prefix(5)),
            ])
            #expect(words.output.hasPrefix(cause.words), "\(words.said)")

            // The same from the output folder, also where nothing of the project is.
            let elsewhere = try TemporaryFolder("elsewhere")
            let zip = red.project.folder.file("snapfarm-out/FailureDiffs.zip")
            for place in ["snapfarm-out", zip] {
                let own = try red.show(place)
                #expect((own["records"] as? [[String: Any]])?.first?["id"] as? String == cause.id)
            }
            let far = try Program(folder: elsewhere.path).run(["show", zip, cause.id])
            #expect(far.status == 0 && far.output.contains(cause.words), "\(far.said)")
            let unknown = try red.project.program().run(["show", "latest", "nothing"])
            #expect(unknown.status == 64 && unknown.errors.contains("nothing"), "\(unknown.said)")
        }

        @Test("runs --json has ten runs and a cursor, and names the command for the red one")
        func runs() throws {
            let red = try RedProject()
            let program = red.project.program()
            func list(_ words: String...) throws -> [String: Any] {
                let ending = try program.run(["runs", "--json"] + words)
                #expect(ending.status == 0, "\(ending.said)")
                let json = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
                return try #require(json as? [String: Any])
            }
            let first = try list("--limit", "1")
            #expect(first["cursor"] as? String == red.run)
            #expect("\(first["next"] ?? "")".contains("snapfarm show \(red.run)"))
            let rest = try list("--cursor", red.run)
            #expect((rest["runs"] as? [Any])?.count == 1 && rest["cursor"] == nil)
            #expect(try program.run(["runs", "--json", "--cursor", "x"]).status == 64)
            #expect(try program.run(["runs", "--cursor", red.run]).status == 64)
        }

        @Test("an agent looks, comments and rejects in its own name, and cannot accept")
        func rejecting() throws {
            let red = try RedProject()
            let cause = try #require(red.summary.causes?.first)
            let about = ["run": red.run, "change": cause.id]
            func with(_ name: String, _ text: String) -> [String: String] {
                about.merging([name: text]) { own, _ in own }
            }
            let pin = red.project.text("snapfarm.refs")
            let (results, _) = try red.agent([
                ("list_runs", [:]), ("show_run", [:]), ("show_change", about),
                ("show_change", with("pictures", "none")), ("show_baseline", about),
                ("comment", with("text", "is this\nmeant?")),
                ("reject", with("reason", "too pale")),
                ("approve", with("reason", "looks right")), ("run", [:]), ("reject", about),
                ("show_run", [:]), ("show_change", ["run": red.run, "change": "nothing"]),
            ])
            #expect(Self.text(results[1]).contains(cause.id))
            #expect(AgentTalk.pictures(results[2]) == 3)
            #expect((results[3]["content"] as? [Any])?.count == 1)
            #expect(Self.text(results[4]).contains("snapfarm run --mode record"))
            #expect(Self.document(results[5])["pictures"] as? Int == 1, "\(results[5])")
            #expect(Self.document(results[6])["who"] as? String == "tester 1.2 (agent)")
            #expect(Self.document(results[6])["pictures"] as? Int == 2, "\(results[6])")
            #expect(results[7]["isError"] as? Bool == true)
            #expect(Self.text(results[7]).contains("snapfarm approve --run \(red.run)"))
            #expect(
                results[8]["isError"] as? Bool == true && results[9]["isError"] as? Bool == true
            )
            #expect(Self.text(results[10]).contains("rejected by tester 1.2 (agent): too pale"))
            #expect(results[11]["isError"] as? Bool == true)
            #expect(red.project.text("snapfarm.refs") == pin)
            let approved = try red.project.program().run(["approve", "--run", red.run])
            #expect(approved.errors.contains("rejected") || approved.output.contains("rejected"))
            let change = try red.show(red.run, cause.id)
            #expect((change["comments"] as? [String]) == ["tester 1.2 (agent): is this meant?"])
        }

        @Test("with --allow-approve an agent accepts, the pin moves, and all pages say who did")
        func accepting() throws {
            let red = try RedProject()
            let cause = try #require(red.summary.causes?.first)
            let pin = red.project.text("snapfarm.refs")
            let call = ["run": red.run, "change": cause.id, "reason": "the new\ntheme"]
            let (results, ending) = try red.agent(
                options: ["--allow-approve"],
                name: "<b>evil\u{1B}[2J\u{202E}\n",
                [("approve", call), ("reject", call), ("show_run", [:])]
            )
            let who = "b evil [2J 1.2 (agent)"
            #expect(Self.document(results[0])["pictures"] as? Int == 2, "\(ending.said)")
            #expect(Self.document(results[0])["who"] as? String == who, "\(results[0])")
            #expect(red.project.text("snapfarm.refs") != pin)
            // An agent undoes no acceptance.
            #expect(results[1]["isError"] as? Bool == true, "\(results[1])")
            let decided = "accepted and published by \(who): the new theme"
            #expect(Self.text(results[2]).contains(decided), "\(results[2])")
            let log = try red.project.program().run(["refs", "log", "--pipeline", "app.yaml"])
            #expect(log.output.contains(who), "\(log.said)")
        }

        @Test("with --allow-run an agent runs, and other messages are answered meanwhile")
        func running() throws {
            let red = try RedProject()
            let (results, _) = try red.agent(
                options: ["--allow-run"],
                [("run", [:]), ("list_runs", [:]), ("run", [:])]
            )
            // The end of the input ends the first run; the second was refused at once.
            #expect(results[1]["isError"] as? Bool == false)
            #expect(Self.text(results[2]).contains("has not ended"), "\(results[2])")
        }

        /// A terminal that answers the question with its argument, and prints all that it is sent.
        private static let terminal = """
            import os, pty, select, sys
            reply, words = sys.argv[1].encode().decode("unicode_escape").encode(), sys.argv[2:]
            pid, terminal = pty.fork()
            if pid == 0:
                os.environ.update(TERM="xterm"); os.environ.pop("CI", None)
                os.execv(words[0], words)
            said, asked = b"", False
            while True:
                try: part = os.read(terminal, 65536)
                except OSError: break
                if not part: break
                said += part
                if not asked and b"\\x1b[c" in said:
                    asked = True
                    if reply: os.write(terminal, reply)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), asked)
            sys.stdout.buffer.write(said)
            """

        @Test(
            "show draws pictures in a terminal that says it can, and only there",
            arguments: [
                (#"\x1b_Gi=31;OK\x1b\\\x1b[?62c"#, "\u{1B}_Ga=T,f=100"),
                (#"\x1bP>|iTerm2 3.5\x1b\\\x1b[?62c"#, "\u{1B}]1337;File=inline=1"),
                (#"\x1b[?62c"#, ""), ("", ""),
            ]
        )
        func terminals(reply: String, sign: String) throws {
            let red = try RedProject()
            let cause = try #require(red.summary.causes?.first)
            let words = [
                "python3", "-c", Self.terminal, reply, Program.path, "show", "latest", cause.id,
            ]
            let ending = try TestProcess.run(words, in: red.project.folder.path)
            #expect(ending.output.hasPrefix("0 True"), "\(ending.said)")
            let drawings =
                ending.output.components(separatedBy: "\u{1B}_Ga=T").count
                + ending.output.components(separatedBy: "\u{1B}]1337;File").count - 2
            #expect(drawings == (sign.isEmpty ? 0 : 3), "\(ending.said)")
            #expect(sign.isEmpty || ending.output.contains(sign))
            #expect(ending.output.contains(cause.words))
        }
    }
}
