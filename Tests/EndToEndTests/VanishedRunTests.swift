// Tests of a discovery that lists fewer tests than before, by mistake or on purpose.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Tests that are not listed any more", .serialized)
    struct VanishedRunTests {
        private static let history = ["--history", "history.json"]

        private func project() throws -> Project {
            let project = try Project(devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run(Self.history).status == 0)
            return project
        }

        @Test("make a run red in all its outputs, again and again, until it is said that they went")
        func units() throws {
            let project = try project()
            try project.folder.write("units", "unit/0\n")
            for _ in 1...2 {
                let red = try project.run(Self.history)
                #expect(red.status == 1, "\(red.said)")
                #expect(red.output.contains("tests-vanished"), "\(red.output)")
                #expect(try project.summary().vanished == ["unit_test": ["unit/1", "unit/2"]])
            }
            for name in ["junit.xml", "report.md", "report/index.html", "summary.json"] {
                let text = project.text("snapfarm-out/" + name)
                #expect(text.contains("discovery does not list them any more"), "\(name)")
                #expect(text.contains("unit/1, unit/2"), "\(name)")
            }
            // A part of the run cannot tell which tests the whole has lost.
            let part = try project.run(Self.history + ["--select", "job=unit_test"])
            #expect(part.status == 0, "\(part.said)")

            let pipeline = project.text("app.yaml")
            let entry = "{test: unit/*, until: \"2999-12-31\", reason: the shop closed}"
            try project.folder.write("app.yaml", pipeline + "\nquarantine: [\(entry)]\n")
            #expect(try project.run(Self.history).status == 0)
            try project.folder.write("app.yaml", pipeline)
            #expect(try project.run(Self.history).status == 0)
        }

        @Test("are red without a history only at the commit that had them, else a note")
        func dataFolder() throws {
            let project = try Project(devices: ["A"])
            func commit() throws {
                let words = "-c user.name=a -c user.email=a@b commit -qam more"
                #expect(try Shell.run("cd '\(project.folder.path)' && git \(words)") == 0)
            }
            let start =
                "cd '\(project.folder.path)' && git init -q -b main && git add app.yaml units"
            #expect(try Shell.run(start) == 0)
            try commit()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("units", "unit/0\n")
            let red = try project.run()
            #expect(red.status == 1, "\(red.said)")
            #expect(try project.summary().problems.map(\.code) == ["tests-vanished"])
            try commit()
            let noted = try project.run()
            #expect(noted.status == 0, "\(noted.said)")
            #expect(try project.summary().problems.map(\.code) == ["tests-gone"])
            #expect(try project.run().status == 0)
            #expect(try project.summary().problems.isEmpty)
        }

        @Test("are seen by the merge and by none of its shares")
        func shares() throws {
            let project = try project()
            try project.folder.write("units", "unit/0\n")
            for index in 0...1 {
                let words = ["--shard", "\(index)/2", "--output", "out-\(index)"]
                let share = try project.run(Self.history + words)
                #expect(share.status == 0, "\(share.said)")
            }
            let merge = ["merge", "out-0", "out-1", "--output", "merged"] + Self.history
            let merged = try project.program().run(merge)
            #expect(merged.status == 1, "\(merged.said)")
            #expect(try project.summary("merged").vanished?["unit_test"]?.count == 2)
            #expect(try project.program().run(merge).status == 1)
        }

        @Test("are missing pictures where they own some, and gone when the references are")
        func scenes() throws {
            let project = try project()
            try project.folder.write("scenes", "one\n")
            let red = try project.run(Self.history)
            #expect(red.status == 1, "\(red.said)")
            let summary = try project.summary()
            #expect(summary.problems.isEmpty && summary.vanished == nil, "\(summary.problems)")
            #expect(summary.snapshots.filter { $0.verdict == .missing }.map(\.name) == ["two"])
            let approved = try project.program().run([
                "approve", "app.yaml", "--run", "latest", "--remove-missing", "--reason", "closed",
            ])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(try project.run(Self.history).status == 0)
        }

        @Test("and were recorded over are no matter, although the history still has them")
        func recorded() throws {
            let project = try project()
            try project.folder.write("scenes", "one\n")
            #expect(try project.run(["--mode", "record"]).status == 0)
            let ending = try project.run(Self.history)
            #expect(ending.status == 0, "\(ending.said)")
        }
    }
}
