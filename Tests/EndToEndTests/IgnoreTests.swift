// Regions of pictures that are ignored by a patch of the pipeline file, on a small farm.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Ignored regions by command", .serialized)
    struct IgnoreTests {
        @Test("a red picture is green after the patch, and red again for a change outside of it")
        func ignored() throws {
            let project = try Project(
                scenes: ["one"],
                devices: ["A"],
                units: 1,
                extra: "    # Each pixel counts.\n    comparison: {policy: exact}\n"
            )
            let program = project.program()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/one.png", Project.png(shade: 10, corner: 0))
            #expect(try project.run().status == 1)
            let before = project.text("app.yaml")
            let shown = try program.run(["ignore", "Suite/one", "--box", "0,0-0,0"])
            #expect(shown.status == 0 && shown.errors.contains("add --write"), "\(shown.said)")
            #expect(project.text("app.yaml") == before)
            #expect(!shown.errors.contains("warning"))
            let misspelled = try program.run(["ignore", "Suite/onne", "--box", "0,0-0,0"])
            #expect(
                misspelled.status == 0 && misspelled.errors.contains("Did you mean Suite/one?"),
                "\(misspelled.said)"
            )
            let written = try program.run(["ignore", "A/Suite/one", "--box", "0,0-0,0", "--write"])
            #expect(written.status == 0 && written.output == shown.output, "\(written.said)")
            let after = project.text("app.yaml")
            // The patch is the change.
            try project.folder.write("app.yaml", before)
            try project.folder.write("patch", shown.output)
            let git = try TestProcess.run(
                ["git", "-C", project.folder.path, "apply", project.folder.file("patch")]
            )
            #expect(git.status == 0 && project.text("app.yaml") == after, "\(git.said)")
            #expect(after.contains("    # Each pixel counts.\n"))
            let judged = try program.run(["judge", "--run", "latest"])
            #expect(judged.status == 0, "\(judged.said)")
            let again = try program.run(["ignore", "Suite/one", "--box", "0,0-0,0", "--write"])
            #expect(again.status == 0 && again.errors.contains("already"), "\(again.said)")
            #expect(project.text("app.yaml") == after)

            try project.folder.write("pictures/one.png", Project.png(shade: 11, corner: 0))
            #expect(try project.run().status == 1)
        }

        @Test("what cannot be ignored is refused with the way out")
        func refused() throws {
            let job =
                "kind: snapshot, driver: command, discover: cat scenes, run: \"sh x {tests}\""
            let project = try Project(
                devices: ["A"],
                units: 1,
                extra: "  more: {\(job)}\n  own: {\(job), judge: framework}\n"
            )
            let before = project.text("app.yaml")
            let box = ["--box", "0,0-1,1", "--write"]
            for (words, status, said) in [
                (["Suite/one"] + box, 64, "--job with one of them: snapshot_test, more."),
                (["A/Suite/one"] + box, 64, "--job with one of them: snapshot_test, more."),
                (["Suite/one", "--job", "none"] + box, 64, "It has snapshot_test, more, own."),
                (["Suite/one", "--job", "unit_test"] + box, 64, "no snapshot job \"unit_test\""),
                (["Suite/one", "--job", "own"] + box, 65, "`judge: farm`"),
                (["one", "--job", "more"] + box, 64, "SUITE/NAME"),
                (["A/../one", "--job", "more"] + box, 64, "SUITE/NAME"),
                (["Suite/one", "--job", "more", "--box", "1,1"], 64, "X,Y-RIGHT,BOTTOM"),
                (["Suite/one", "--job", "more"], 64, "--box"),
            ] as [([String], Int32, String)] {
                let ending = try project.program().run(["ignore"] + words)
                #expect(ending.status == status && ending.errors.contains(said), "\(ending.said)")
            }
            #expect(project.text("app.yaml") == before)
            let named = try project.program().run(["ignore", "Suite/one", "--job", "more"] + box)
            #expect(named.status == 0, "\(named.said)")
            #expect(named.output.contains("+  more: {comparison: {snapshots: {\"Suite/one\": {ig"))
        }
    }
}
