// A quarantine from its proposal to its end, on a small farm.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A quarantine that ends", .serialized)
    struct QuarantineTests {
        private static let entry = """
            quarantine:
              - {test: unit/0, until: 2999-12-31, cleanRuns: 2, reason: flickers}
            """

        /// Returns a project whose test `unit/0` fails while the file `bad` exists.
        private func project(_ extra: String = "") throws -> Project {
            let project = try Project(devices: ["A"], extra: extra)
            let act = "[ \"$1\" != unit/0 ] || { sleep 0.4; [ ! -e bad ] || exit 1; }"
            try project.folder.write("act-unit", act)
            return project
        }

        private func verdicts(_ project: Project) throws -> [String] {
            try project.summary().tests.map { "\($0.test) \($0.verdict?.rawValue ?? "none")" }
        }

        /// Begins a run with a history and kills it while `unit/0` runs.
        private func killRun(of project: Project) throws {
            let killed = try project.program().start([
                "run", "app.yaml", "--history", "history.json",
            ])
            #expect(killed.wait(seconds: 20) { killed.errors.contains("workers") })
            Thread.sleep(forTimeInterval: 0.3)
            kill(killed.pid, SIGKILL)
            #expect(killed.ending(within: 10).status == 128 + 9)
            let scratch = project.folder.path + "/.snapfarm/scratch/"
            #expect(killed.wait(seconds: 10) { processes(naming: scratch).isEmpty })
        }

        @Test("excuses, leaves by itself after its clean runs, and counts again, killed or not")
        func leaves() throws {
            let project = try project(Self.entry)
            #expect(try project.run(["--mode", "record"]).status == 0)
            func run(_ words: [String] = []) throws -> ProcessEnding {
                try project.run(["--history", "history.json"] + words)
            }
            func counts() throws -> [Int]? { try project.summary().cleanRuns?.map(\.count) }
            try project.folder.write("bad", "")
            let excused = try run()
            #expect(excused.status == 0, "\(excused.said)")
            #expect(try counts() == [0])
            try FileManager.default.removeItem(atPath: project.folder.file("bad"))
            try killRun(of: project)
            let clean = try run(["--resume"])
            #expect(clean.status == 0, "\(clean.said)")
            #expect(try counts() == [1])
            // A machine without the history counts with its own ledger.
            #expect(try project.run().status == 0)
            #expect(try counts() == [2])
            #expect(project.text("history.json").contains("\"count\":1"))
            #expect(try run().status == 0)
            try project.folder.write("bad", "")

            try killRun(of: project)
            // The plan has the counts: what the history says now decides nothing.
            try FileManager.default.removeItem(atPath: project.folder.file("history.json"))
            let resumed = try run(["--resume"])
            #expect(resumed.status == 1, "\(resumed.said)")
            let seen = try verdicts(project)
            #expect(seen.contains("unit/0 failed"))
            let whole = try project.run()
            #expect(whole.status == 1, "\(whole.said)")
            #expect(try verdicts(project) == seen)
            #expect(try counts() == [2])
            let said = "test unit/0 left quarantine after 2 clean runs (flickers)"
            #expect(whole.said.contains(said), "\(whole.said)")
            for name in ["report.md", "report/index.html", "summary.json"] {
                #expect(project.text("snapfarm-out/" + name).contains(said), "\(name)")
            }
        }

        @Test("is proposed from the history as a patch, which is written only when that is said")
        func proposed() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let history = ["--history", "history.json"]
            for index in 0..<4 {
                if index % 2 == 0 {
                    try project.folder.write("bad", "")
                } else {
                    try FileManager.default.removeItem(atPath: project.folder.file("bad"))
                }
                let status: Int32 = index % 2 == 0 ? 1 : 0
                #expect(try project.run(history + ["--select", "test=unit/*"]).status == status)
            }
            func propose(_ words: [String]) throws -> ProcessEnding {
                let ending = try project.program().run(
                    ["quarantine", "app.yaml", "--times", "2"] + words
                )
                #expect(ending.status == 0, "\(ending.said)")
                return ending
            }
            let nowhere = try project.program().run(["quarantine", "app.yaml", "--history", "none"])
            #expect(nowhere.status == 65 && nowhere.errors.contains("/none: "), "\(nowhere.said)")
            #expect(nowhere.errors.contains("`snapfarm run --history FILE` writes"))
            let narrow = try propose(history)
            #expect(narrow.output.isEmpty && narrow.errors.contains("(--hosts 1 does): unit/0."))
            let before = project.text("app.yaml")
            // The ledger of this machine says the same.
            let patch = try propose(history + ["--hosts", "1"]).output
            #expect(try propose(["--hosts", "1"]).output == patch)
            #expect(patch.contains("+  - {test: \"unit/0\", until: "), "\(patch)")
            #expect(patch.contains("reason: \"flaky 2 times in 4 runs on 1 host\"}"), "\(patch)")
            #expect(project.text("app.yaml") == before)
            _ = try propose(history + ["--hosts", "1", "--write"])
            #expect(project.text("app.yaml") != before)
            // The pages from the file and from the ledger are of the same test.
            for (folder, words) in [("a", history), ("b", [])] {
                let words = ["runs", "--flaky", "--report", folder] + words
                #expect(try project.program().run(words).status == 0)
                let page = project.text(folder + "/index.ja.html")
                #expect(page.contains(">unit/0<") && page.contains("失敗した実行 2回"), "\(page)")
            }
            let names = try FileManager.default.contentsOfDirectory(
                atPath: project.folder.file("a")
            )
            #expect(
                names.sorted()
                    == (try FileManager.default.contentsOfDirectory(
                        atPath: project.folder.file("b")
                    )).sorted() && names.count == 5
            )
            let nothing = try propose(history + ["--hosts", "1"])
            #expect(nothing.output.isEmpty && nothing.errors.contains("nothing is proposed"))
            try project.folder.write("bad", "")
            let excused = try project.run(history)
            #expect(excused.status == 0, "\(excused.said)")
        }
    }
}

extension ManyMachines {
    @Suite("A quarantine and flaky tests at a coordinator", .serialized)
    struct ServedQuarantineTests {
        @Test("the clean runs are the coordinator's, and its pages show what was flaky")
        func served() throws {
            let entry = "{test: one, until: 2999-12-31, cleanRuns: 1, reason: flickers}"
            let project = try Project(
                devices: ["A"],
                units: 1,
                extra: "    retries: 1\nquarantine:\n  - \(entry)"
            )
            let fleet = try Fleet(project)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/other.png", Project.png(shade: 250))
            try fleet.serve()
            _ = try fleet.startWorker("far")
            /// Runs with the picture `one` exchanged while this command succeeds.
            func run(exchangedIf command: String) throws -> Int32 {
                try project.folder.write(
                    "act/one",
                    """
                    picture=one; if \(command); then picture=other; fi
                    mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
                    cp "pictures/$picture.png" "$SNAPFARM_CAPTURE_DIR/Suite/one.png"

                    """
                )
                return try fleet.run().status
            }
            let once = fleet.place.file("once")
            #expect(try run(exchangedIf: "mkdir '\(once)' 2>/dev/null") == 0)
            #expect(try project.summary().cleanRuns?.map(\.count) == [0])
            #expect(try run(exchangedIf: "false") == 0)
            #expect(try project.summary().cleanRuns?.map(\.count) == [1])
            #expect(try run(exchangedIf: "true") == 1)

            var visitor = Visitor(fleet)
            #expect(try visitor.get("/runs/flaky").status == 303)
            try visitor.logIn(try fleet.token("read"))
            #expect(try visitor.get("/runs").text.contains("href=\"/runs/flaky\""))
            let list = try visitor.get("/runs/flaky").text
            let test = try #require(list.firstMatch(of: /href="(\/runs\/flaky\/[0-9a-f]+)"/))
            let page = try visitor.get(String(test.1)).text
            #expect(page.contains("<bdi>far</bdi>"), "\(page)")
            let picture = try #require(page.firstMatch(of: /src="([^"]+)"[^>]* alt="A/))
            #expect(try visitor.get(String(picture.1)).headers["content-type"] == "image/png")
            // No other blob has an address.
            let unknown = "/runs/flaky/pictures/\(String(repeating: "0", count: 64)).png"
            #expect(try visitor.get(unknown).status == 404)
            #expect(try visitor.get("/runs/flaky/0").status == 404)
        }
    }
}
