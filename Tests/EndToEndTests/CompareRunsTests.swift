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

        @Test("a run is compared with the references of a commit")
        func references() throws {
            let project = try Self.ran()
            let ending = try Self.compare(project, "snapfarm.refs", "after", "--quiet")
            #expect(ending.status == 1, "\(ending.said)")
            #expect(ending.output == "4 pairs: 2 the same bytes, 2 different\n")
        }
    }
}
