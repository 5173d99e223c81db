import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Standard output has the result, standard error has progress", .serialized)
    struct StreamTests {
        /// Returns a recorded project with one changed picture.
        private func changed() throws -> Project {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            return project
        }

        private func expectProgress(_ text: String) {
            #expect(text.hasPrefix("looking for tests …\nrun "), "\(text)")
            for word in ["passed: ", "failed: ", "Report: ", "commit"] {
                #expect(!text.contains(word), "\(text)")
            }
        }

        @Test("of a run, green and red")
        func run() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.output.hasPrefix("passed: 2 tests recorded."), "\(recorded.said)")
            let commit = "/snapfarm.refs names the new references; commit it.\n"
            #expect(recorded.output.hasSuffix(commit), "\(recorded.said)")
            expectProgress(recorded.errors)
            try project.folder.write("pictures/one.png", Project.png(shade: 200))
            let red = try project.run()
            #expect(red.output.hasPrefix("failed: 1 of 2 tests needs a look"), "\(red.said)")
            for word in ["\nReport: ", "\nDiffs: ", "\nAccept: snapfarm approve "] {
                #expect(red.output.contains(word), "\(red.said)")
            }
            expectProgress(red.errors)
        }

        @Test("of an approval; beside a document for programs its words are on standard error")
        func approval() throws {
            let project = try changed()
            let json = try project.run(["--json"])
            #expect(json.output.hasPrefix("{") && json.output.hasSuffix("}\n"))
            #expect(json.errors.contains("\nAccept: snapfarm approve "), "\(json.errors)")
            let approve = ["approve", "--run", "latest"]
            let repository = try TestProcess.run(["git", "init", "-q"], in: project.folder.path)
            #expect(repository.status == 0)
            let patch = try project.program().run(approve + ["--dry-run", "--patch"])
            #expect(!patch.output.contains("pprove"), "\(patch.said)")
            #expect(patch.errors.contains("Would approve 1 changed"), "\(patch.said)")
            let approved = try project.program().run(approve)
            #expect(approved.output.hasPrefix("Approved 1 changed of run "), "\(approved.said)")
            #expect(approved.output.contains("\n  git add snapfarm.refs"), "\(approved.said)")
            #expect(approved.errors.isEmpty, "\(approved.said)")
        }

        @Test("a reader of the result that went away changes no exit code and no output folder")
        func goneReader() throws {
            let project = try changed()
            let shell = ["bash", "-c", "set -o pipefail; \"$@\" | true", "bash"]
            let ending = try project.program().start(["run", "app.yaml"], through: shell)
                .ending(within: 120)
            #expect(ending.status == 1, "\(ending.errors)")
            expectProgress(ending.errors)
            #expect(try project.summary().counts.changed == 1)
            #expect(project.exists("snapfarm-out/report/index.html"))
        }
    }
}
