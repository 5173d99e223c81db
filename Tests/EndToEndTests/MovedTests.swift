import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Devices and names move on", .serialized)
    struct MovedTests {
        /// Records on device A, then replaces it in the matrix by B, which succeeds A.
        private func succeeded(_ leniency: String = "") throws -> Project {
            let project = try Project(devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            let matrix = Project.pipeline(devices: ["B"], extra: leniency).replacing(
                "{name: B, width",
                with: "{name: B, succeeds: A, width"
            )
            // A stays in the file, so that B may succeed it, but leaves the matrix.
            try project.folder.write(
                "app.yaml",
                matrix.replacing(
                    "devices:\n",
                    with: "devices:\n  - {name: A, width: 8, height: 8, scale: 1}\n"
                ) + "\nexclude:\n  - {device: A}\n"
            )
            return project
        }

        @Test("an equal picture on the device that succeeds another is moved: red until accepted")
        func moved() throws {
            let project = try succeeded()
            let result = try project.run(["--json"])
            #expect(result.status == 1, "\(result.said)")
            let summary = try project.summary()
            #expect(summary.counts.moved == 2 && summary.counts.new == 0)
            let picture = try #require(summary.snapshots.first { $0.id == "B/Suite/one" })
            #expect(picture.verdict == .moved)
            #expect(picture.predecessor == "A/Suite/one")
            #expect(picture.words == "moved from A/Suite/one.")
        }

        @Test("`moved: accept` makes moved pictures green, and a changed one stays new")
        func accepted() throws {
            let project = try succeeded("    moved: accept")
            #expect(try project.run().status == 0)
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            #expect(summary.counts.moved == 1 && summary.counts.new == 1)
            let picture = try #require(summary.snapshots.first { $0.id == "B/Suite/two" })
            #expect(picture.verdict == .new && picture.predecessor == "A/Suite/two")
            #expect(picture.words.hasPrefix("no reference yet; beside A/Suite/two:"))
            // The predecessor is shown beside the new picture.
            #expect(picture.files["reference"] != nil && picture.files["diff"] != nil)
        }

        @Test("a renamed picture is moved, and its old name is not missing")
        func renamed() throws {
            let project = try Project(scenes: ["cart-v1", "home-v1"], devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            let renames = ", renames: [{from: \"{screen}-v1\", to: \"{screen}-v2\"}]}"
            try project.folder.write(
                "app.yaml",
                Project.pipeline(devices: ["A"]).replacing(
                    "snapfarm.refs}",
                    with: "snapfarm.refs" + renames
                )
            )
            for scene in ["cart", "home"] {
                let picture = try Data(
                    contentsOf: URL(
                        fileURLWithPath: project.folder.file("pictures/\(scene)-v1.png")
                    )
                )
                try project.folder.write("pictures/\(scene)-v2.png", picture)
            }
            try project.folder.write("scenes", "cart-v2\nhome-v2\n")
            #expect(try project.run().status == 1)
            let summary = try project.summary()
            #expect(summary.counts.moved == 2 && summary.counts.missing == 0)
            #expect(summary.snapshots.allSatisfy { $0.verdict == .moved })
        }
    }
}
