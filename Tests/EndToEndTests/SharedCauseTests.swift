// Tests of causes from the pictures of real tests to what people and programs get.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Causes that pictures share", .serialized)
    struct SharedCauseTests {
        @Test("two screens recoloured alike are two changes of one cause, in every document")
        func recoloured() throws {
            let project = try Project(devices: ["A"])
            func draw(_ shade: UInt8) throws {
                for (name, width) in [("one", 16), ("two", 24)] {
                    let picture = Project.png(shade: shade, width: width, height: 12)
                    try project.folder.write("pictures/\(name).png", picture)
                    let colour = "rgb(\(shade), \(shade), \(shade))"
                    try project.folder.write(
                        "pictures/\(name).elements.json",
                        Self.tree(colour, text: name)
                    )
                }
            }
            try draw(10)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try draw(200)
            let ending = try project.run()
            #expect(ending.status == 1, "\(ending.said)")
            let summary = try project.summary()
            #expect(summary.changes?.count == 2)
            let cause = try #require(summary.causes?.first)
            #expect(summary.causes?.count == 1)
            #expect(cause.words == "recoloured #0a0a0a → #c8c8c8")
            #expect(cause.pictures == 2 && cause.screens == 2)
            let elements = ".btn background-color #0a0a0a → #c8c8c8"
            for document in [
                ending.output, project.text("snapfarm-out/report.md"),
                project.text("snapfarm-out/report/index.html"),
            ] {
                #expect(
                    document.replacing("&#35;", with: "#").contains("\(elements) (2 elements)"),
                    "\(document)"
                )
            }
            #expect(summary.snapshots.allSatisfy { $0.words.hasSuffix("; elements: \(elements)") })
            #expect(summary.pictures(explainedBy: [cause.id]).count == 2)
            let words = "1 cause explains 2 of 2 changed pictures"
            #expect(ending.output.contains(words), "\(ending.output)")
            #expect(project.text("snapfarm-out/report.md").contains(words))
            #expect(project.text("snapfarm-out/report/index.html").contains("#c8c8c8"))
            // The evidence of the zip makes the same causes again.
            let judged = try project.program().run(["judge", "--run", "latest", "--output", "j"])
            #expect(judged.status == 1, "\(judged.said)")
            #expect(try project.summary("j").causes == summary.causes)
            try approved(project)
        }

        private static func tree(_ colour: String, text: String) -> String {
            #"""
            {"version": 1, "properties": ["background-color"], "styles": [["\#(colour)"]],
             "elements": [{"selector": ".btn", "box": [0, 0, 16, 12], "text": "\#(text)", "style": 0}]}
            """#
        }

        /// Damages one tree of the run and approves it, and records once more; checks that the set has
        /// only sound trees of pictures as they were recorded.
        private func approved(_ project: Project) throws {
            let before = try trees(in: project)
            #expect(before.count == 2)
            let damaged = try project.summary().snapshots.first { $0.name == "two" }
            let file = try #require(damaged?.files["elements"])
            try FileManager.default.removeItem(atPath: project.folder.file("snapfarm-out/\(file)"))
            try project.folder.write("snapfarm-out/\(file)", "no tree")
            let approved = try project.program().run(["approve", "--from", "snapfarm-out"])
            #expect(approved.status == 0, "\(approved.said)")
            let after = try trees(in: project)
            #expect(after.count == 1 && Set(after).isDisjoint(with: before))
            #expect(after.first?.contains("one.elements.json.gz") == true)
            // An unchanged picture keeps its tree; a tree that is none costs a note.
            try project.folder.write(
                "pictures/one.elements.json",
                Self.tree("rgb(1, 2, 3)", text: "other")
            )
            try project.folder.write("pictures/two.png", Project.png(shade: 77))
            try project.folder.write("pictures/two.elements.json", "{")
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try trees(in: project) == after)
            let two = try project.summary().snapshots.first { $0.name == "two" }
            let note = "its element tree is not kept: it is not the JSON of an element tree."
            #expect(two?.verdict == .changed && two?.words == note)
        }

        /// Returns the lines of the pinned set that are element trees.
        private func trees(in project: Project) throws -> [String] {
            let pin = try ReferencePin(parsing: Data(project.text("snapfarm.refs").utf8))
            let listed = try SharedProject.git(
                ["-C", "store.git", "ls-tree", "-r", try #require(pin.entries.first).object.hex],
                in: project.folder.path
            )
            return listed.output.split(separator: "\n").map(String.init)
                .filter { $0.hasSuffix(".elements.json.gz") }
        }
    }
}
