// Tests of the error for a wrongly named coordinator: one sentence, and a remedy.
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A coordinator that cannot be reached", .serialized)
    struct FleetConnectionTests {
        /// A wrong way to name a coordinator.
        private struct Mistake {
            var url: String
            var trusts: String?
            var exit: Int32
            var words: [String]
        }

        /// Two coordinators, one with TLS, and a server that is not a coordinator.
        private struct Stand {
            let secure: Fleet
            let plain: Fleet
            let other: FileServer

            init() throws {
                secure = try Fleet()
                plain = try Fleet()
                try secure.serveTLS()
                try plain.serve()
                other = try #require(try FileServer(folder: plain.place.path))
            }

            func mistakes() throws -> [Mistake] {
                let own = secure.place.file("cert.pem")
                return [
                    Mistake(
                        url: "https://localhost:\(secure.port)",
                        exit: 78,
                        words: ["is not trusted: no authority known here", "SNAPFARM_CA"]
                    ),
                    Mistake(
                        url: "https://127.0.0.1:\(secure.port)",
                        trusts: own,
                        exit: 78,
                        words: ["its certificate is for another host name"]
                    ),
                    Mistake(
                        url: "http://localhost:\(secure.port)",
                        exit: 69,
                        words: ["as a port for https does", "https://"]
                    ),
                    Mistake(
                        url: "https://localhost:\(plain.port)",
                        exit: 78,
                        words: ["does not speak TLS", "http://"]
                    ),
                    Mistake(
                        url: "http://localhost:\(try TestPort.reserved())",
                        exit: 69,
                        words: ["no program listens there"]
                    ),
                    Mistake(
                        url: "http://no-such-host.invalid:7420",
                        exit: 69,
                        words: ["its host name is not known"]
                    ),
                    Mistake(
                        url: "http://localhost:\(other.port)",
                        exit: 69,
                        words: ["status 404", "Check that --coordinator names a coordinator"]
                    ),
                    Mistake(
                        url: "https://localhost:\(secure.port)",
                        trusts: secure.place.file("key.pem"),
                        exit: 64,
                        words: ["of SNAPFARM_CA holds no certificate"]
                    ),
                ]
            }

            func program(_ mistake: Mistake) -> Program {
                var environment = ["SNAPFARM_TOKEN": "token"]
                environment["SNAPFARM_CA"] = mistake.trusts
                return plain.project.program(environment)
            }
        }

        /// Returns whether a text names none of our libraries and nothing of the build machine.
        private func isPlain(_ text: String) -> Bool {
            !["NIO", "HTTPClient", ".build", ".swift", ".cc:", "SSL routines", "api/v1"]
                .contains(where: text.contains)
        }

        @Test("ends every command with one sentence that names the cause, and what to do")
        func commands() throws {
            let stand = try Stand()
            for mistake in try stand.mistakes() {
                for words in [["runs"], ["run", "app.yaml"], ["artifacts", "list", "x"]] {
                    let ending = try stand.program(mistake)
                        .run(words + ["--coordinator", mistake.url])
                    #expect(ending.status == mistake.exit, "\(mistake.url): \(ending.said)")
                    #expect(mistake.words.allSatisfy(ending.errors.contains), "\(ending.said)")
                    #expect(isPlain(ending.errors), "\(ending.said)")
                    let lines = ending.errors.split(separator: "\n")
                    #expect(lines.count == 2, "\(ending.said)")
                }
            }
        }

        @Test("named rightly lists its runs with their branches")
        func branches() throws {
            let fleet = try Fleet()
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            var program = try fleet.submitting()
            let words = ["run", "app.yaml", "--select", "job=unit_test"]
            let place = ["--coordinator", fleet.url]
            for branch in ["feature/cart", "main"] {
                program.environment["CIRCLECI"] = "true"
                program.environment["CIRCLE_BRANCH"] = branch
                program.environment["CIRCLE_WORKFLOW_ID"] = branch
                let ending = try program.run(words + place)
                #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)")
            }
            let table = try program.run(["runs"] + place)
            #expect(try table.column("BRANCH") == ["main", "feature/cart"], "\(table.output)")
            #expect(try table.column("STATE") == ["passed", "passed"], "\(table.output)")
        }

        @Test("ends a worker that was started wrongly; one whose coordinator is away calls again")
        func workers() throws {
            let stand = try Stand()
            for mistake in try stand.mistakes() where !mistake.words.contains("status 404") {
                let worker = try stand.program(mistake).start([
                    "worker", "--coordinator", mistake.url,
                    "--scratch", stand.plain.place.file("scratch"),
                ])
                defer { worker.kill() }
                let isSaid = worker.wait(seconds: 60) {
                    mistake.words.allSatisfy(worker.errors.contains)
                }
                #expect(isSaid, "\(mistake.url): \(worker.errors)")
                #expect(isPlain(worker.errors), "\(worker.errors)")
                if mistake.exit == 69 {
                    #expect(worker.wait(seconds: 60) { worker.errors.contains("Calling again") })
                    #expect(worker.isRunning)
                } else {
                    #expect(worker.ending(within: 60).status == mistake.exit, "\(worker.errors)")
                }
            }
        }
    }
}
