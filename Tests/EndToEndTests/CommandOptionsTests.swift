// Tests that options with the same meaning are spelled the same in all commands. They read the
// program's own list of commands, so a new command is tested, too.
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Options that all commands share")
    struct CommandOptionsTests {
        private struct Dump: Decodable { var command: Command }
        private struct Command: Decodable {
            var commandName: String
            var subcommands: [Command]?
            var arguments: [Argument]?

            /// Returns the commands without subcommands, with their full names.
            func leaves(_ prefix: String = "") -> [(name: String, arguments: [Argument])] {
                let name = prefix.isEmpty ? commandName : prefix + " " + commandName
                let below = (subcommands ?? []).flatMap { $0.leaves(name) }
                return below.isEmpty ? [(name, arguments ?? [])] : below
            }
        }
        private struct Argument: Decodable {
            struct Name: Decodable { var name: String }
            var kind: String
            var valueName: String?
            var names: [Name]?
            var abstract: String?

            func isNamed(_ name: String) -> Bool { names?.contains { $0.name == name } == true }
        }

        private static let leaves = Result {
            let program = Program(folder: NSTemporaryDirectory())
            let dump = try program.run(["--experimental-dump-help"])
            return try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
                .leaves()
        }

        /// Commands whose only positional argument is the pipeline file.
        private static let positional: Set<String> = [
            "approve", "build", "doctor", "judge", "list", "mcp", "plan", "quarantine", "reject",
            "report",
            "review",
            "run", "watch",
        ]

        @Test(
            "every command that needs the pipeline file takes it in the same way, and no other way"
        )
        func pipeline() throws {
            var texts: Set<String> = []
            for (name, arguments) in try Self.leaves.get() {
                let own = String(name.dropFirst("snapfarm ".count))
                // There it is a pattern of names.
                guard !["tokens create", "invite"].contains(own) else { continue }
                let options = arguments.filter { $0.isNamed("pipeline") }
                let isMeant =
                    Self.positional.contains(own)
                    || ["merge", "compare", "ignore", "show"].contains(own)
                    || own.hasPrefix("refs ")
                #expect(options.count == (isMeant ? 1 : 0), "\(name)")
                texts.formUnion(options.compactMap(\.abstract))
                let files = arguments.filter {
                    $0.kind == "positional" && $0.abstract == "The same as --pipeline FILE."
                }
                #expect(files.count == (Self.positional.contains(own) ? 1 : 0), "\(name)")
                let others = arguments.filter { argument in
                    !argument.isNamed("pipeline")
                        && argument.abstract?.lowercased().hasPrefix("the pipeline file") == true
                }
                #expect(others.isEmpty, "\(name) has its own way: \(others)")
            }
            #expect(texts.count == 1, "\(texts)")
        }

        @Test("--quiet means one thing")
        func quiet() throws {
            let options = try Self.leaves.get().flatMap(\.arguments).filter { $0.isNamed("quiet") }
            #expect(options.count == 6)
            #expect(Set(options.map(\.abstract)).count == 1)
        }

        @Test(
            "the file is named, or found, in all the same ways",
            arguments: ["list", "plan", "doctor", "run"]
        )
        func ways(command: String) throws {
            let folder = try TemporaryFolder("ways")
            let text = """
                version: 1
                name: app
                jobs:
                  unit: {kind: unit, driver: command, discover: echo one, run: "true {tests}"}
                """
            try folder.write("far/app.yaml", text)
            func run(_ words: [String], _ variable: String? = nil) throws -> ProcessEnding {
                var program = Program(folder: folder.path)
                program.environment["SNAPFARM_PIPELINE"] = variable
                return try program.run([command] + words)
            }
            #expect(try run([]).status == (command == "doctor" ? 0 : 64))
            for ending in [
                try run(["far/app.yaml"]), try run(["--pipeline", "far/app.yaml"]),
                try run([], "far/app.yaml"),
            ] { #expect(ending.status == 0, "\(ending.said)") }
            let twice = try run(["far/app.yaml", "--pipeline", "far/app.yaml"])
            #expect(twice.status == 64 && twice.errors.contains("once"), "\(twice.said)")
            try folder.write("pipelines/app.yaml", text)
            #expect(try run([]).status == 0)
            try folder.write("other.yaml", text)
            let several = try run([])
            #expect(several.status == 64, "\(several.output)")
            #expect(several.said.contains("other.yaml, pipelines/app.yaml"))
            try folder.write("snapfarm.yaml", text)
            #expect(try run([]).status == 0)
        }

        @Test("a quiet run says its verdict, and what to do where that is not good")
        func quietRun() throws {
            let project = try Project()
            let recorded = try project.run(["--mode", "record", "--quiet"])
            let lines = recorded.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("passed: "), "\(recorded.said)")
            #expect(lines.last?.contains("commit it") == true, "\(recorded.said)")
            let good = try project.run(["--quiet"])
            #expect(good.output.split(separator: "\n").count == 1, "\(good.said)")
            #expect(good.output.hasPrefix("passed: ") && good.errors.isEmpty, "\(good.said)")
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            let changed = try project.run(["--quiet"])
            let said = changed.output.split(separator: "\n")
            #expect(changed.status == 1 && said.count == 2, "\(changed.said)")
            #expect(said.last?.contains("snapfarm review app.yaml --run ") == true)
        }
    }
}
