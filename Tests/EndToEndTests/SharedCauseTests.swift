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
            #expect(summary.pictures(explainedBy: [cause.id]).count == 2)
            let words = "1 cause explains 2 of 2 changed pictures"
            #expect(ending.output.contains(words), "\(ending.output)")
            #expect(project.text("snapfarm-out/report.md").contains(words))
            #expect(project.text("snapfarm-out/report/index.html").contains("#c8c8c8"))
            // The evidence of the zip makes the same causes again.
            let judged = try project.program().run(["judge", "--run", "latest", "--output", "j"])
            #expect(judged.status == 1, "\(judged.said)")
            #expect(try project.summary("j").causes == summary.causes)
        }
    }
}
