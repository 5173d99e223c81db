import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("What a coordinator and its callers refuse", .serialized)
    struct FleetRefusalTests {
        @Test("a second coordinator on the data folder ends in 75 and names the first")
        func busy() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let second = try fleet.program.run(["serve", "--data", "state", "--port", "0"])
            #expect(second.status == 75, "\(second.said)")
            #expect(second.errors.contains("process \(fleet.pid)"))
            #expect(try fleet.stop().status == 0)
        }

        @Test(
            "a configuration that cannot be is refused with its place",
            arguments: [
                ("version: 1\nlisten: 0.0.0.0:7420\ndata: d", 78, "there is no TLS"),
                ("version: 1\nlissten: 1:1\ndata: d", 65, "farm.yaml:2: unknown key \"lissten\""),
                (
                    "version: 1\ndata: d\ntls: {certificate: no.pem, key: no.pem}", 78,
                    "no.pem: is no certificate"
                ),
                ("version: 1\nlisten: 203.0.113.9:1\ndata: d\n", 78, "there is no TLS"),
                ("version: 1\n", 64, "no data folder is named"),
                ("version: 1\ndata: d\nstores: {app: \"ext::sh -c id\"}", 65, "remote helper"),
            ]
        )
        func configurations(text: String, status: Int32, words: String) throws {
            let folder = try TemporaryFolder("serve")
            try folder.write("farm.yaml", text)
            let ending = try Program(folder: folder.path).run(["serve", "--config", "farm.yaml"])
            #expect(ending.status == status, "\(ending.said)")
            #expect(ending.errors.contains(words), "\(ending.said)")
        }

        @Test("nobody there is 69, and tokens that may not are 64, each with what to do")
        func callers() throws {
            let fleet = try Fleet()
            let gone = try fleet.run()
            #expect(gone.status == 69, "\(gone.said)")
            #expect(gone.errors.contains("does not answer"))
            try fleet.serve()
            let words = ["run", "app.yaml", "--coordinator", fleet.url]
            let none = try fleet.project.program().run(words)
            #expect(none.status == 64 && none.errors.contains("SNAPFARM_TOKEN"), "\(none.said)")
            let wrong = try fleet.project.program(["SNAPFARM_TOKEN": "x"]).run(words)
            #expect(wrong.status == 64 && wrong.errors.contains("does not know"), "\(wrong.said)")
            let reader = try fleet.project.program(
                ["SNAPFARM_TOKEN": try fleet.token("read")]
            ).run(words)
            #expect(
                reader.status == 64 && reader.errors.contains("needs submit"),
                "\(reader.said)"
            )
            let late = try fleet.program.run(["tokens", "revoke", "read", "--data", "state"])
            #expect(late.status == 0, "\(late.said)")
            #expect(
                try fleet.call("GET", "/api/v1/runs", token: try fleet.token("read"))?.status == 401
            )
        }

        @Test("whose token is revoked in mid-run reads that the run goes on, and how to look")
        func revoked() throws {
            let fleet = try Fleet()
            let project = fleet.project
            let gate = project.folder.file("gate")
            try project.folder.write("act-unit", "while [ ! -e \(gate) ]; do sleep 0.05; done\n")
            try fleet.serve()
            _ = try fleet.startWorker("far")
            let words = ["run", "app.yaml", "--coordinator", fleet.url]
            let run = try fleet.submitting().start(words + ["--select", "job=unit_test"])
            #expect(run.wait(seconds: 60) { run.errors.contains("tests on") }, "\(run.said)")
            let said = try #require(run.errors.firstMatch(of: /run ([0-9a-z-]+) at http/))
            let late = try fleet.program.run(["tokens", "revoke", "submit", "--data", "state"])
            #expect(late.status == 0, "\(late.said)")
            let ending = run.ending(within: 60)
            #expect(ending.status == 64, "\(ending.said)")
            for part in ["does not know this token", "Run \(said.1) goes on at", "why \(said.1)"] {
                #expect(ending.errors.contains(part), "\(ending.said)")
            }
            try project.folder.write("gate", "")
        }

        @Test("a name from elsewhere moves no cursor, and a password in a URL is not repeated")
        func words() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let program = try fleet.submitting()
            let hidden: Set<Unicode.Scalar> = ["\u{1B}", "\u{9B}", "\u{202E}"]
            for (words, shown) in [
                (["why", "\u{9B}31m\u{202E}x", "--coordinator", fleet.url], "\\u009b31m\\u202ex"),
                (["plan", "\u{1B}[2J.yaml"], "\\u001b[2J.yaml"),
            ] {
                let refused = try program.run(words)
                #expect(refused.status != 0)
                #expect(!refused.errors.unicodeScalars.contains(where: hidden.contains))
                #expect(refused.errors.contains(shown), "\(refused.said)")
            }
            let token = try fleet.token("submit")
            for url in ["http://me:hunter2@localhost:1", "http://\(token)@localhost:1"] {
                let refused = try program.run(["runs", "--coordinator", url])
                #expect(refused.status == 64, "\(refused.said)")
                #expect(!refused.errors.contains("hunter2") && !refused.errors.contains(token))
            }
        }

        /// Control characters that clear a line and reverse the text after them.
        private static let hostile = "\u{9B}2K\u{202E}x"
        private static let escaped = "\\u009b2K\\u202ex"

        private func expectEscaped(_ ending: ProcessEnding) {
            #expect(ending.status == 0, "\(ending.said)")
            let hidden: Set<Unicode.Scalar> = ["\u{1B}", "\u{9B}", "\u{202E}"]
            #expect(!ending.output.unicodeScalars.contains(where: hidden.contains))
            #expect(ending.output.contains(Self.escaped), "\(ending.output)")
        }

        @Test("names that workers, submitters and pins chose move no cursor where they are listed")
        func listed() throws {
            let fleet = try Fleet()
            try fleet.serve()
            func send(_ path: String, _ scope: String, _ message: some Encodable) throws {
                let answer = try fleet.call(
                    "POST",
                    Routes.prefix + path,
                    token: try fleet.token(scope),
                    body: try JSONEncoder().encode(message)
                )
                #expect(answer?.status == 200, "\(answer?.text ?? "-")")
            }
            let hello = HelloRequest(worker: WorkerID(Self.hostile), beginsAnew: true)
            try send(Routes.workers, "work", hello)
            let bundle = Data("a bundle".utf8)
            let stored = try fleet.call(
                "PUT",
                Routes.prefix + Routes.blob(Digest(of: bundle).hex),
                token: try fleet.token("submit"),
                body: bundle
            )
            #expect(stored?.status == 200)
            var plan = BadCall.plan
            plan.pipeline = Self.hostile
            plan.jobs[0].prepared = [BundleRules.key: Digest(of: bundle).hex]
            let run = SubmitRequest(key: "k", facts: .unknown(RunID("r")), plan: plan)
            try send(Routes.runs, "submit", run)
            let program = try fleet.submitting()
            for command in ["runs", "workers"] {
                expectEscaped(try program.run([command, "--coordinator", fleet.url]))
            }
            let references = try ReferencesProject.imported()
            var pin = ReferencePin()
            let path = try #require(SubtreePath(cell: CellID("A"), folder: Self.hostile))
            pin[path] = ObjectID(ofBlob: Data())
            try references.folder.write("main/snapfarm.refs", pin.text)
            expectEscaped(try references.refs("pin", "show"))
        }

        @Test(
            "a job without a bundle, and a pipeline without a store, are refused before anything runs"
        )
        func submissions() throws {
            let fleet = try Fleet()
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            fleet.configuration = fleet.configuration.replacing(
                "stores: {app:",
                with: "stores: {other:"
            )
            try fleet.serve()
            let unknown = try fleet.run()
            #expect(unknown.status == 78, "\(unknown.said)")
            #expect(unknown.errors.contains("no reference store for the pipeline app"))
            let lines = fleet.project.text("app.yaml").split(separator: "\n")
            let bare = lines.filter { !$0.contains("bundle:") }.joined(separator: "\n")
            try fleet.project.folder.write("app.yaml", bare)
            let unpacked = try fleet.run(["--select", "job=unit_test"])
            #expect(unpacked.status == 65, "\(unpacked.said)")
            #expect(unpacked.errors.contains("does not say which files"))
        }
    }
}
