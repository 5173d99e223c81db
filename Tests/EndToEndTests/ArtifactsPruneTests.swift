// Tests of `snapfarm artifacts prune` on the data folder of real runs; `snapfarm check` judges the
// result.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Removing what runs left", .serialized)
    struct ArtifactsPruneTests {
        private let files = FileManager.default

        private func blobs(_ project: Project) throws -> [String] {
            let folder = project.folder.file(".snapfarm/blobs")
            return try files.subpathsOfDirectory(atPath: folder).filter { $0.utf8.count > 60 }
        }

        private func age(_ project: Project, days: Double) throws {
            let folder = project.folder.file(".snapfarm/blobs")
            for name in try blobs(project) {
                try files.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
                    ofItemAtPath: folder + "/" + name
                )
            }
        }

        @Test("old runs go with what only they had; the newest stays whole and can be approved")
        func prune() throws {
            let project = try Project(scenes: ["s"], devices: ["A"], units: 1)
            #expect(try project.run(["--mode", "record"]).status == 0)
            for shade: UInt8 in [50, 90] {
                try project.folder.write("pictures/s.png", Project.png(shade: shade))
                #expect(try project.run().status == 1)
            }
            let program = project.program()
            let words = ["artifacts", "prune", "--keep-days", "0", "--keep-runs", "1"]
            let before = try blobs(project)

            let plan = try program.run(words + ["--dry-run", "--json"])
            let document = try JSONSerialization.jsonObject(with: Data(plan.output.utf8))
            let fields = try #require(document as? [String: Any], "\(plan.said)")
            #expect(fields["dryRun"] as? Bool == true)
            #expect((fields["runs"] as? [String])?.count == 2)
            let planned = try #require(fields["blobs"] as? Int)
            #expect(planned > 0)
            #expect(try blobs(project) == before)
            #expect(try program.run(["check"]).output.contains("3 runs"))

            let done = try program.run(words)
            #expect(done.status == 0, "\(done.said)")
            #expect(done.output.contains("removed 2 runs, \(planned) blobs"), "\(done.output)")
            #expect(try blobs(project).count == before.count - planned)
            let check = try program.run(["check", "--deep"])
            #expect(check.status == 0 && check.output.contains("1 runs"), "\(check.output)")
            let again = try program.run(words)
            #expect(again.output.contains("removed 0 runs, 0 blobs"), "\(again.output)")
            let newest = try project.summary().run.id
            let approved = try program.run(["approve", "--run", newest])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(try project.run().status == 0)
        }

        @Test("what nothing names goes when it is old, and an open run keeps all it has")
        func openRun() throws {
            let project = try Project(units: 4)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act-unit", "sleep 60\n")
            let program = project.program()
            let running = try program.start(["run", "app.yaml"])
            #expect(running.wait(seconds: 60) { running.errors.contains("tests on") })
            let words = ["artifacts", "prune", "--keep-days", "1", "--keep-runs", "0"]
            let busy = try program.run(words)
            #expect(busy.status == 75, "\(busy.said)")
            kill(running.pid, SIGINT)
            #expect(running.ending(within: 60).status == 130)

            let kept = try blobs(project)
            #expect(try program.run(words).output.contains("removed 0 runs, 0 blobs"))
            #expect(try blobs(project) == kept)
            try project.folder.write(".snapfarm/blobs/no-blob", "x")
            try age(project, days: 3)
            #expect(try program.run(words).status == 0)
            #expect(try program.run(["check", "--deep"]).status == 0)
            #expect(project.exists(".snapfarm/blobs/no-blob"))
            #expect(try program.run(words + ["--data", "nowhere"]).status == 65)
            #expect(!project.exists("nowhere"))
        }
    }
}
