import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Comparing runs", .serialized)
    struct CompareRunsTests {
        /// Returns a project whose runs `before` and `after` differ in the picture of one scene.
        private static func ran() throws -> Project {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run(["--output", "before"]).status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run(["--output", "after"]).status == 1)
            return project
        }

        private static func compare(_ project: Project, _ words: String...) throws -> ProcessEnding
        {
            try project.program().run(["compare"] + words)
        }

        @Test("two output folders differ in the captures that differ, whatever else lies in them")
        func outputs() throws {
            let project = try Self.ran()
            let ending = try Self.compare(project, "before", "after", "--report", "out")
            #expect(ending.status == 1, "\(ending.said)")
            let lines = ending.output.split(separator: "\n")
            #expect(lines.count == 3 && lines[0].hasPrefix("A/Suite/two.png: "), "\(lines)")
            #expect(lines[1].hasPrefix("B/Suite/two.png: "), "\(lines)")
            #expect(lines[2] == "4 pairs: 2 the same bytes, 2 different")
            let page = project.text("out/index.html")
            #expect(page.contains("1 change in 2 pictures"))
            for folder in ["before", "after"] {
                #expect(page.contains("run \(try project.summary(folder).run.id)"))
            }
            #expect(!page.contains("Never accepted"), "no journal knows a run's picture")
        }

        @Test("a zip has what differed; what it lacks equals only a picture with its digest")
        func zip() throws {
            let project = try Self.ran()
            let zip = "after/FailureDiffs.zip"
            let same = try Self.compare(project, zip, "after")
            #expect(same.status == 0, "\(same.said)")
            #expect(same.output == "4 pairs: 4 the same bytes\n")
            let other = try Self.compare(project, "before", zip, "--quiet")
            #expect(other.output == "4 pairs: 2 the same bytes, 2 different\n", "\(other.said)")
            // With a folder nothing is known beforehand, so the bytes are missed.
            let folder = try Self.compare(project, "before/captures", zip)
            #expect(folder.status == 65, "\(folder.said)")
            #expect(folder.output.contains("name the run's whole output folder instead"))
        }

        @Test("a capture that is not what its run says is no picture of the run")
        func forged() throws {
            let project = try Self.ran()
            let path = project.folder.file("before/captures/A/Suite/two.png")
            try FileManager.default.removeItem(atPath: path)
            try project.folder.write("before/captures/A/Suite/two.png", Project.png(shade: 1))
            let ending = try Self.compare(project, "before", "after")
            #expect(ending.status == 65, "\(ending.said)")
            #expect(ending.output.contains("could not be compared"), "\(ending.said)")
        }

        @Test("a run that ran no test has the references of its pin as pictures")
        func proven() throws {
            let repository = try EndToEnd.UnchangedTests.Repository()
            let project = repository.project
            let outside = try TemporaryFolder("before")
            let before = outside.file("out")
            try FileManager.default.copyItem(
                atPath: project.folder.file("snapfarm-out"),
                toPath: before
            )
            try repository.accept()
            try repository.commit("accept")
            #expect(try repository.run() == 0)
            #expect(try repository.ran == 0)
            for name in ["", "/FailureDiffs.zip"] {
                let same = try Self.compare(project, before + name, "snapfarm-out" + name)
                #expect(same.status == 0, "\(same.said)")
                #expect(same.output == "4 pairs: 4 the same bytes\n", "\(same.said)")
            }
            try FileManager.default.moveItem(
                atPath: project.folder.file("store.git"),
                toPath: outside.file("store.git")
            )
            let gone = try Self.compare(project, before, "snapfarm-out")
            #expect(gone.status == 65 && gone.said.contains("no test ran in run"), "\(gone.said)")
        }

        @Test("the totals of two sets count the differences that no person accepted")
        func neverAccepted() throws {
            let project = try Project()
            func record(_ shade: UInt8, _ pin: String) throws {
                try project.folder.write("pictures/two.png", Project.png(shade: shade))
                #expect(try project.run(["--mode", "record"]).status == 0)
                try project.folder.write(pin, project.text("snapfarm.refs"))
            }
            try record(100, "v1.refs")
            try record(200, "v2.refs")
            let never = try Self.compare(project, "v1.refs", "v2.refs", "--quiet")
            #expect(
                never.output == "4 pairs: 2 the same bytes, 2 different; 2 never accepted\n",
                "\(never.said)"
            )
            try project.folder.write("pictures/two.png", Project.png(shade: 250))
            #expect(try project.run().status == 1)
            #expect(try project.program().run(["approve", "--run", "latest"]).status == 0)
            let accepted = try Self.compare(project, "v2.refs", "snapfarm.refs", "--quiet")
            #expect(
                accepted.output == "4 pairs: 2 the same bytes, 2 different\n",
                "\(accepted.said)"
            )
        }

        @Test("a run is compared with the references of a commit")
        func references() throws {
            let project = try Self.ran()
            let ending = try Self.compare(project, "snapfarm.refs", "after", "--quiet")
            #expect(ending.status == 1, "\(ending.said)")
            #expect(ending.output == "4 pairs: 2 the same bytes, 2 different\n")
        }
    }
}
