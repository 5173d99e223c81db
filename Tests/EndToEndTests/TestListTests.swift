// Tests of `snapfarm list` and `run --tests-from`: a CI chooses tests by their ids or suites.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Tests that a CI chooses", .serialized)
    struct TestListTests {
        @Test("a list names tests, or the suites that junit.xml names, and nothing else")
        func list() throws {
            let project = try Project(scenes: ["one", "two"], devices: ["A", "B"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            func list(_ words: String...) throws -> [String] {
                let ending = try project.program().run(["list", "app.yaml"] + words)
                #expect(ending.status == 0, "\(ending.said)")
                return ending.output.split(separator: "\n").map(String.init)
            }
            let tests = try list("--select", "job=snapshot_test")
            #expect(Set(tests).isSuperset(of: ["one", "two"]), "\(tests)")
            let atoms = try list("--format", "atoms")
            let junit = try String(
                contentsOfFile: project.folder.file("snapfarm-out/junit.xml"),
                encoding: .utf8
            )
            for atom in atoms { #expect(junit.contains("classname=\"\(atom)\""), "\(atom)") }
            #expect(Set(atoms).count == atoms.count)
            let json = try list("--format", "json").joined()
            #expect(json.contains("\"atom\"") && json.contains("\"job\""))
        }

        @Test("what a list names runs, as a part with a name of its own; nothing else does")
        func run() throws {
            let project = try Project(scenes: ["one", "two"], devices: ["A", "B"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("names", "\n  one \r\n")
            let ending = try project.run(["--tests-from", "names"])
            #expect(ending.status == 0, "\(ending.said)")
            let summary = try project.summary()
            #expect(summary.tests.allSatisfy { $0.test == "one" } && summary.tests.count == 2)
            #expect(summary.run.filtered && summary.run.partName?.hasPrefix("1 of a list") == true)
        }

        @Test(
            "an empty list exits 0 and says so; an unknown name or file never looks green",
            arguments: [
                ("", Int32(0), "names no test"), ("\n \n", 0, "names no test"),
                ("one\ngone\n", 2, "gone, which no selected job has"), (nil, 65, "cannot be read"),
            ] as [(String?, Int32, String)]
        )
        func odd(list: String?, status: Int32, words: String) throws {
            let project = try Project(scenes: ["one"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            if let list { try project.folder.write("names", list) }
            let ending = try project.run(["--tests-from", "names"])
            #expect(ending.status == status, "\(ending.said)")
            #expect((status == 0 ? ending.output : ending.errors).contains(words), "\(ending.said)")
        }
    }
}
