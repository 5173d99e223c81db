// Tests of `refs import`, `refs commit` and `refs checkout` with unexpected files.
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("References from files that are not what was meant", .serialized)
    struct RefsImportTests {
        /// Returns a project with a store, two cells, one picture in iOSSnapshotTestCase's layout
        /// and one in an unknown layout.
        private func project() throws -> ReferencesProject {
            let project = try ReferencesProject()
            try project.draw("one", shade: 10)
            try project.folder.write("main/shots/B/Cart/two.png", Project.png(shade: 20))
            try project.refsSucceed("init")
            return project
        }

        @Test(
            "an import that takes nothing fails, and says what may have been meant",
            arguments: [
                (["shots", "--cell", "A"], 65, "--pattern 'shots/{cell}/{suite}/{name}.png'"),
                (["nowhere", "--cell", "A"], 65, "there is no folder"),
                (["--pattern", "pics/{suite}/{name}.png"], 65, "no path matches 'pics/"),
                ([], 65, "left out for the reasons above"),
                (["--history", "--cell", "A"], 65, "nothing was imported"),
                (["--cell", "AA"], 64, "Did you mean \"A\"?"),
                (["--cell", "Tests/**=tablet"], 64, "Cells: A, B."),
                (["--history", "--cell", "tablet"], 64, "the pipeline has no such cell"),
            ]
        )
        func nothing(arguments: [String], status: Int32, words: String) throws {
            let project = try project()
            // Makes a commit without pictures.
            try project.git("commit", "-q", "--allow-empty", "-m", "first")
            for more in [[], ["--dry-run"]] {
                let ending = try project.program(in: "main")
                    .run(["refs", "import", "--no-weight"] + arguments + more)
                #expect(ending.status == status, "\(ending.said)")
                #expect(ending.errors.contains(words), "\(ending.said)")
                #expect(try project.pin.isEmpty && project.sets().isEmpty)
            }
        }

        @Test("a dry run shows what each file would be, from the files and from the history")
        func mapping() throws {
            let project = try project()
            let path = "\(ReferencesProject.suite)/one.png"
            // A repository without commits has no history, and that is no error.
            let dry = try project.refs("import", "--cell", "A", "--dry-run")
            #expect(dry.output.contains("\(path) → A/Checkout/one\n"), "\(dry.output)")
            #expect(dry.status == 0 && dry.errors.isEmpty, "\(dry.said)")
            let pattern = ["--pattern", "shots/{cell}/{suite}/{name}.png", "--dry-run"]
            let other = try project.program(in: "main").run(["refs", "import"] + pattern)
            #expect(other.output.contains("shots/B/Cart/two.png → B/Cart/two\n"), "\(other)")
            try project.commit("pictures")
            try project.git("rm", "-q", path)
            try project.commit("none")
            let past = try project.document("import", "--history", "--cell", "A", "--dry-run")
            let mapping = past["mapping"] as? [[String: String]]
            #expect(mapping == [["path": path, "id": "A/Checkout/one"]])
            #expect(try project.sets().isEmpty)
        }

        @Test("pictures of a tool that is replaced become those of the job's stories")
        func replaced() throws {
            let project = try ReferencesProject()
            let jobs = "  screens: {kind: snapshot, driver: webdriver, storybook: book}"
            let pipeline =
                ReferencesProject.pipeline.split(separator: "\n").dropLast() + [jobs[...]]
            try project.folder.write("main/app.yaml", pipeline.joined(separator: "\n"))
            let story = #"{"id": "cart-empty--a-b", "title": "Cart/Empty", "name": "A b"}"#
            try project.folder.write(
                "main/book/index.json",
                #"{"v": 5, "entries": {"cart-empty--a-b": "# + story + "}}"
            )
            try project.folder.write("main/book/iframe.html", "")
            for path in [".lostpixel/baseline/cart-empty--a-b__[w8px].png", "x.png"] {
                try project.folder.write("main/" + path, Project.png(shade: 20))
            }
            try project.folder.write("main/.loki/reference/chrome_B_Cart_Empty_Gone.png", "")
            try project.refsSucceed("init")
            let dry = try project.refs("import", "--dry-run", "--no-weight", "--cell", "A")
            let lines = [
                ".lostpixel/baseline/cart-empty--a-b__[w8px].png → A/Cart/Empty/A b",
                "left out .loki/reference/chrome_B_Cart_Empty_Gone.png: no scene of the job",
            ]
            for line in lines { #expect(dry.output.contains(line), "\(dry)") }

            // If the job's tests cannot be listed, pictures keep the tool's names.
            try project.folder.write("main/book/index.json", "{}")
            let kept = try project.refs("import", "--dry-run", "--no-weight", "--cell", "A")
            #expect(kept.output.contains("→ A/cart-empty/a-b"), "\(kept)")
            #expect(kept.errors.contains("keep its names"), "\(kept)")
        }

        @Test("what is refused is listed before nothing is imported")
        func refused() throws {
            let project = try project()
            try project.folder.write("main/\(ReferencesProject.suite)/bad.png", "no picture")
            let ending = try project.refs("import", "--cell", "A", "--no-weight")
            #expect(ending.status == 65 && ending.output.contains("refused Tests/"))
            #expect(ending.errors.contains("1 picture is refused"), "\(ending.said)")
            #expect(try project.pin.isEmpty && project.sets().isEmpty)
        }

        @Test("a commit takes what is selected, and a file that is no picture blocks only itself")
        func selects() throws {
            let project = try ReferencesProject.imported()
            try project.draw("one", shade: 101)
            try project.draw("two", shade: 102)
            try project.draw("new", shade: 103)
            let bad = "\(ReferencesProject.suite)/bad.png"
            try project.folder.write("main/\(bad)", "no picture")
            let none = try project.refs("commit", "--select", "*/tow")
            #expect(none.status == 2 && none.errors.contains("refs status"), "\(none.said)")
            let wrong = try project.refs("commit", "--select", "siute=Checkout")
            #expect(wrong.status == 64 && wrong.errors.contains("\"suite\""), "\(wrong.said)")
            let only = try project.refs("commit", "--select", "*/two")
            #expect(only.status == 0, "\(only.said)")
            #expect(try project.refs("diff", "HEAD").output == "M A/Checkout/two\n1 changed\n")
            #expect(try project.refs("status").output.contains("1 changed, 1 new, 1 unusable"))

            let dry = try project.refs("commit", "--dry-run")
            #expect(dry.status == 1 && dry.output == "+ A/Checkout/new\nM A/Checkout/one\n")
            let rest = try project.refs("commit")
            #expect(rest.status == 1, "\(rest.said)")
            let last = rest.errors.split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("left out \(bad): the file is not a PNG."), "\(rest.said)")
            #expect(
                try project.refs("diff", "HEAD").output
                    == "+ A/Checkout/new\nM A/Checkout/one\nM A/Checkout/two\n2 changed, 1 new\n"
            )
            // Nothing is left to commit.
            #expect(try project.refs("commit").status == 65)
            #expect(try project.storeIsClean())
        }

        @Test("a checkout leaves what Git tracks, and removes it when Git has let go of it")
        func tracked() throws {
            let project = try self.project()
            try project.commit("pictures in Git")
            try project.refsSucceed("import", "--cell", "A", "--no-weight")
            let moved = try project.refs("checkout", "--layout", "plain", "--folder", "refs")
            #expect(moved.status == 0, "\(moved.said)")
            let path = "\(ReferencesProject.suite)/one.png"
            #expect(moved.output.contains("\(path): no longer needed here, but tracked by Git"))
            #expect(moved.output.contains("1 written, 0 kept, 0 removed"))
            #expect(try project.git("status", "--short", "Tests").output == "")
            try project.git("rm", "-q", "--cached", path)
            #expect(try project.refs("checkout").output.contains("0 written, 1 kept, 1 removed"))
            #expect(try project.storeIsClean())
        }

        @Test("a picture is retired and moved with its extension or without it")
        func extensions() throws {
            let project = try ReferencesProject.imported()
            try project.refsSucceed("move", "A/Checkout/one", "A/Checkout/first")
            try project.refsSucceed("retire", "A/Checkout/two")
            let changes = try project.refs("diff", "HEAD").output
            #expect(changes.contains("A/Checkout/first") && changes.contains("- A/Checkout/two"))
            #expect(try project.refs("retire", "A/Checkout/none").status == 65)
            // The file that the import placed here is now older than the pin.
            let stale = try project.refs("retire", "A/Checkout/three")
            #expect(stale.output.contains("Renew the checked-out references"), "\(stale.output)")
        }
    }
}
