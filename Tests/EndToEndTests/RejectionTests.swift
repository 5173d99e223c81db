// Tests of rejections that outlive their run.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Rejections", .serialized)
    struct RejectionTests {
        @Test("a rejection survives the next runs while its picture is the same")
        func survives() throws {
            let (project, first) = try ApproveTests.changed()
            let program = project.program()
            let two = ["--select", "snapshot=A/Suite/two"]
            let rejected = try program.run(["reject", "--run", first, "--reason", "pale"] + two)
            #expect(rejected.output.contains("Kept in"), "\(rejected.output)")
            let again = try project.run()
            #expect(again.status == 1)
            #expect(again.output.contains("1 picture was rejected before"), "\(again.output)")
            #expect(again.output.contains(": pale"), "\(again.output)")
            #expect(again.output.contains("\nAccept: "), "\(again.output)")
            let second = try project.summary().run.id
            #expect(second != first)
            let dry = ["approve", "--dry-run", "--run", second]
            let left = try program.run(dry)
            #expect(left.output.contains("Would approve 1 changed"), "\(left.output)")
            #expect(left.output.contains("A/Suite/two — rejected"), "\(left.output)")
            let zip = try program.run(["approve", "--dry-run", "--from", "snapfarm-out"])
            #expect(zip.output.contains("A/Suite/two — rejected"), "\(zip.output)")
            let even = try program.run(dry + ["--even-rejected"])
            #expect(even.output.contains("Would approve 2 changed"), "\(even.output)")

            // The last line offers nothing that would be refused.
            let one = ["--select", "snapshot=A/Suite/one"]
            #expect(try program.run(["reject", "--run", second] + one).status == 0)
            let all = try project.run()
            #expect(all.output.contains("\nReview: ") && !all.output.contains("\nAccept: "))
            let refused = try program.run(["approve", "--run", try project.summary().run.id])
            #expect(refused.errors.contains("take what was rejected with --even-rejected"))

            try project.folder.write("pictures/one.png", Project.png(shade: 202))
            try project.folder.write("pictures/two.png", Project.png(shade: 201))
            #expect(try project.run().status == 1)
            let approved = try program.run(["approve", "--run", "latest"])
            #expect(approved.output.contains("Approved 2 changed"), "\(approved.output)")
            #expect(try project.run().status == 0)
            let check = try program.run(["check"])
            #expect(check.output.contains("4 decisions"), "\(check.output)")
            #expect(!project.exists(".snapfarm/reviews"))
        }

        @Test("a rejection that is taken back counts no more, and nothing published is taken back")
        func withdrawn() throws {
            let (project, run) = try ApproveTests.changed()
            let program = project.program()
            let two = ["--run", run, "--select", "snapshot=A/Suite/two"]
            #expect(try program.run(["reject"] + two).status == 0)
            let back = try program.run(["reject", "--withdraw"] + two)
            #expect(back.status == 0 && back.output.contains("Took back"), "\(back.output)")
            let again = try program.run(["reject", "--withdraw"] + two)
            #expect(again.output.contains("Nothing is decided"), "\(again.output)")
            let approved = try program.run(["approve", "--run", run])
            #expect(approved.output.contains("Approved 2 changed"), "\(approved.output)")
            let late = try program.run(["reject", "--withdraw"] + two)
            #expect(late.output.contains("Nothing is decided"), "\(late.output)")
        }
    }
}
