// Tests of texts that are references, from the test that writes them to the set, the page and the
// zip.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A text that is a reference", .serialized)
    struct TextReferenceTests {
        /// Makes a project whose only scene copies the files of `texts/` to its captures.
        private func project(_ comparison: String = "{}", devices: [String] = ["A"]) throws
            -> Project
        {
            let project = try Project(
                scenes: ["one"],
                devices: devices,
                units: 1,
                extra: "    comparison: \(comparison)"
            )
            try project.folder.write(
                "act/one",
                "mkdir -p \"$SNAPFARM_CAPTURE_DIR/Texts\"; cp texts/* \"$SNAPFARM_CAPTURE_DIR/Texts/\""
            )
            try project.folder.write("texts/greeting.txt", "Hello\nWorld\n")
            try project.folder.write(
                "texts/user.json",
                "{\"name\": \"Ann\", \"created\": \"1 ms\"}"
            )
            try project.folder.write("texts/index.html", "<p>page</p>\n")
            try project.folder.write("texts/index.html.png", Project.png(shade: 40))
            return project
        }

        private func verdicts(_ project: Project) throws -> [String: Verdict] {
            let rows = try project.summary().snapshots
            return Dictionary(rows.map { ($0.name, $0.verdict) }) { first, _ in first }
        }

        @Test("is recorded, passes, differs by lines, is shown, approved, and passes")
        func whole() throws {
            let project = try project(devices: ["A", "B"])
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(try project.summary().problems.filter { !$0.isNote }.isEmpty)
            let green = try project.run()
            #expect(green.status == 0, "\(green.said)")
            let all = ["greeting.txt", "user.json", "index.html", "index.html.png"]
            #expect(
                try verdicts(project) == Dictionary(uniqueKeysWithValues: all.map { ($0, .passed) })
            )

            try project.folder.write("texts/greeting.txt", "Hello\nthere\nWorld\n")
            let red = try project.run()
            #expect(red.status == 1, "\(red.said)")
            #expect(red.output.contains("1 line added."), "\(red.said)")
            #expect(red.output.contains("+there"), "\(red.said)")
            let row = try #require(
                try project.summary().snapshots.first { $0.verdict == .changed }
            )
            #expect(row.hunks == "@@ -1,2 +1,3 @@\n Hello\n+there\n World\n")
            let page = project.text("snapfarm-out/report/index.html")
            #expect(page.contains("<ins>+there\n</ins>"), "\(page.prefix(200))")
            // Both devices have the same change.
            #expect(try project.summary().counts.changed == 2)
            #expect(page.components(separatedBy: "<article class=\"change").count == 2)
            #expect(page.contains("1 change in 2 texts"))
            #expect(page.contains("2 texts: 2 devices") && !page.contains("class=\"modes\""))
            #expect(project.text("snapfarm-out/report.md").contains("+there"))
            let base = "snapfarm-out/FailureDiffs/snapshot_test/A/Texts/"
            #expect(project.text(base + "reference_greeting.txt") == "Hello\nWorld\n")
            #expect(project.text(base + "failed_greeting.txt") == "Hello\nthere\nWorld\n")
            #expect(project.text(base + "diff_greeting.txt.diff") == row.hunks)
            let zip = try TestProcess.run(
                ["python3", "-m", "zipfile", "-l", "snapfarm-out/FailureDiffs.zip"],
                in: project.folder.path
            )
            #expect(zip.output.contains("A/Texts/diff_greeting.txt.diff"), "\(zip.said)")

            let approved = try project.program().run(
                ["approve", "--run", "latest"]
            )
            #expect(approved.status == 0, "\(approved.said)")
            let after = try project.run()
            #expect(after.status == 0, "\(after.said)")
            #expect(try project.program().run(["check", "--deep"]).status == 0)
            #expect(try project.program().run(["refs", "verify"]).status == 0)
        }

        @Test("of JSON differs by its values, without what is ignored; what is no text is an error")
        func json() throws {
            let project = try project("{ignore: [$.created, '/[0-9]+ px/']}")
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write(
                "texts/user.json",
                "{\"created\": \"2 ms\",\n\"name\":\"Ann\"}"
            )
            let green = try project.run()
            #expect(green.status == 0, "\(green.said)")
            try project.folder.write("texts/user.json", "{\"name\": \"Eve\"}")
            let red = try project.run()
            #expect(red.status == 1 && red.output.contains("+  \"name\": \"Eve\""), "\(red.said)")
            try project.folder.write("texts/user.json", "{\"name\": ")
            let broken = try project.run()
            #expect(broken.status == 1, "\(broken.said)")
            #expect(broken.output.contains("the text is no JSON: a value is missing, in line 1."))
            #expect(try verdicts(project)["user.json"] == .errored)
            try project.folder.write("texts/user.json", Data([0x22, 0xFF, 0x22]))
            #expect(try project.run().output.contains("the text is no UTF-8."))
        }

        @Test("that a test makes no more is missing, and a new one is new")
        func missing() throws {
            let project = try project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try FileManager.default.removeItem(atPath: project.folder.file("texts/greeting.txt"))
            try project.folder.write("texts/more.md", "# More\n")
            try project.folder.write("texts/empty.txt", "")
            let red = try project.run()
            #expect(red.status == 1, "\(red.said)")
            let verdicts = try verdicts(project)
            #expect(verdicts["greeting.txt"] == .missing && verdicts["more.md"] == .new)
            #expect(verdicts["empty.txt"] == .new)
            #expect(red.output.contains("3 changes in 3 texts"), "\(red.said)")
            #expect(red.output.contains("new 2 texts: Texts/empty.txt"), "\(red.said)")
            let page = project.text("snapfarm-out/report/index.html")
            #expect(page.contains("<ins>+# More\n</ins>") && page.contains("in 3 texts"))
            #expect(try project.run(["--mode", "record"]).status == 0)
            #expect(try project.run().status == 0)
            try project.folder.write("texts/empty.txt", "no more\n")
            #expect(try project.run().output.contains("+no more"))
        }

        @Test("joins in a merge of two branches that changed two texts, and is moved and pruned")
        func merged() throws {
            let project = try project()
            let repository = try RedOfTests.Repository(project)
            func git(_ words: String...) throws -> ProcessEnding {
                var environment = ProcessInfo.processInfo.environment
                let folder = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
                environment["PATH"] = "\(folder):\(environment["PATH"] ?? "/usr/bin:/bin")"
                return try TestProcess.run(
                    ["git", "-c", "user.name=t", "-c", "user.email=t@t"] + words,
                    environment: environment,
                    in: project.folder.path
                )
            }
            func record(_ name: String, _ text: String, _ message: String) throws {
                try project.folder.write("texts/\(name)", text)
                #expect(try project.run(["--mode", "record"]).status == 0)
                #expect(try git("add", "-A").status == 0)
                #expect(try git("commit", "-qm", message).status == 0)
            }
            _ = repository
            #expect(try project.program().run(["refs", "init"]).status == 0)
            try record("greeting.txt", "Hello\n", "base")
            let main = try git("branch", "--show-current").output
                .trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try git("switch", "-qc", "theirs").status == 0)
            try record("greeting.txt", "Hello, you\n", "theirs")
            #expect(try git("switch", "-q", main).status == 0)
            try record("user.json", "{\"name\": \"Bob\"}", "ours")
            let merge = try git("merge", "--no-edit", "theirs")
            #expect(merge.status == 0, "\(merge.said)")
            let green = try project.run()
            #expect(green.status == 0, "\(green.said)")
            #expect(try project.summary().counts.passed == 2)

            let moved = try project.program().run(
                ["refs", "move", "A/Texts/greeting.txt", "A/Texts/hello.txt"]
            )
            #expect(moved.status == 0, "\(moved.said)")
            try FileManager.default.moveItem(
                atPath: project.folder.file("texts/greeting.txt"),
                toPath: project.folder.file("texts/hello.txt")
            )
            let still = try project.run()
            #expect(still.status == 0, "\(still.said)")
            let pruned = try project.program().run(["refs", "prune", "--yes"])
            #expect(pruned.status == 0, "\(pruned.said)")
            #expect(try project.run().status == 0)
        }

        @Test("that Roborazzi writes beside a picture belongs to its test, which runs once")
        func treeDump() throws {
            let project = try Project(devices: ["A"])
            try project.folder.write(
                "gradlew.sh",
                """
                set -eu
                while [ "$1" != -- ]; do
                  case $1 in
                    -Proborazzi.test.record=true) ;;
                    -Proborazzi.output.dir=*) output=${1#*=} ;;
                    *) exit 64 ;;
                  esac
                  shift
                done
                shift
                mkdir -p "$output"
                cases=
                for test; do
                  echo "$test" >> launched
                  cp pictures/one.png "$output/$test.png"
                  cp pictures/two.png "$output/$test.annotated.png"
                  cp tree.json "$output/$test.uitree.json"
                  cases="$cases<testcase classname='${test%.*}' name='${test##*.}'/>"
                done
                echo "<testsuite name='x'>$cases</testsuite>" > "$SNAPFARM_LEASE_DIR/junit.xml"
                """
            )
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  shots:
                    kind: snapshot
                    driver: command
                    framework: Roborazzi
                    discover: cat tests
                    run: sh gradlew.sh {flags} -- {tests}
                    results: junit.xml
                """
            )
            let tests = ["com.app.CartTest.empty", "com.app.CartTest.full"]
            try project.folder.write("tests", tests.joined(separator: "\n"))
            try project.folder.write("tree.json", "{\"root\": {\"bounds\": [0, 0, 8, 8]}}")
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            try project.folder.write("launched", "")
            let green = try project.run()
            #expect(green.status == 0, "\(green.said)")
            let launched = project.text("launched").split(separator: "\n").map(String.init)
            #expect(launched.sorted() == tests)
            let names = Set(tests + tests.map { $0 + ".uitree.json" })
            #expect(try Set(verdicts(project).keys) == names)

            try project.folder.write("tree.json", "{\"root\": {\"bounds\": [0, 8, 8, 16]}}")
            let red = try project.run()
            #expect(red.status == 1, "\(red.said)")
            #expect(try project.summary().counts.changed == 2)
            let empty = try verdicts(project)["com.app.CartTest.empty"]
            #expect(empty == .passed, "\(red.said)")
        }

        // MARK: accessibility

        /// A page with a price that is too pale to read; `more` is added to its end.
        private static func shop(_ more: String = "") -> String {
            """
            <html lang="en"><title>Shop</title><style>.price { color: #bbb }</style>
            <main><h1>Today</h1><p class="price">12 EUR</p><button disabled>Buy</button>\(more)</main>
            """
        }

        /// Stands in for axe-core: finds images, buttons and links without a name, and pale prices.
        static let axe = """
            window.axe = { run: async (root, options) => {
              const rule = (id, impact, help, selector) => ({ id, impact, help,
                nodes: [...root.querySelectorAll(selector)].map((node, place) => ({
                  target: [node.className ? "." + node.className
                    : `${node.localName}:nth-of-type(${place + 1})`],
                  element: options.elementRef ? node : undefined })) });
              return { violations: [
                rule("image-alt", "critical", "Images must have alternative text", "img:not([alt])"),
                rule("button-name", "critical", "Buttons must have a name",
                  "button:empty:not([aria-label])"),
                rule("link-name", "serious", "Links must have a name", "a:empty:not([aria-label])"),
                rule("color-contrast", "serious", "Text must have enough contrast", ".price"),
              ] };
            } };
            """

        /// The address of a picture without colour.
        static let clear =
            "data:image/gif;base64,"
            + "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

        @Test("says what a screen reader is given of a page, and what axe-core finds that is new")
        func accessibility() throws {
            let project = try Project(scenes: ["one"], devices: ["A"], units: 1)
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 80, height: 60, scale: 1}]
                jobs:
                  shots: {kind: snapshot, driver: webdriver, scenes: scenes.yaml,
                    accessibility: true, axe: axe.js}
                """
            )
            try project.folder.write(
                "scenes.yaml",
                "scenes: [{suite: S, name: shop, file: shop.html}]"
            )
            try project.folder.write("axe.js", Self.axe)
            try project.folder.write("shop.html", Self.shop())
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            #expect(
                project.text("snapfarm-out/captures/A/S/shop.aria.yaml") == """
                    - document "Shop"
                      - main
                        - heading "Today" [level=1]
                        - paragraph
                          - text "12 EUR"
                        - button "Buy" [disabled]

                    """
            )
            let found = "- color-contrast (serious): .price: Text must have enough contrast\n"
            #expect(project.text("snapfarm-out/captures/A/S/shop.axe.yaml") == found)
            #expect(try project.run().status == 0)
            // The same picture, but a new finding.
            let place = "position: absolute; left: 10px; top: 20px; width: 30px; height: 15px"
            try project.folder.write(
                "shop.html",
                Self.shop("<img style='\(place)' src='\(Self.clear)'>")
            )
            let red = try project.run()
            #expect(red.status == 1, "\(red.said)")
            #expect(
                red.output.contains("+- image-alt (critical): img:nth-of-type(1)"),
                "\(red.said)"
            )
            // The element is boxed on the picture, and no older one is.
            let row = try #require(
                try project.summary().snapshots.first { $0.name == "shop.axe.yaml" }
            )
            let line =
                "- image-alt (critical): img:nth-of-type(1): "
                + "Images must have alternative text"
            #expect(row.boxes == [line: [PixelBox(x: 10, y: 20, width: 30, height: 15)]])
            #expect(try verdicts(project)["shop"] == .passed)
            let page = project.text("snapfarm-out/report/index.html")
            #expect(page.contains("<div class=\"stage\" data-b=\"10,20,30,15,0\"><figure"))
            let image = "<img src=\"../captures/A/S/shop.png\" width=\"80\" height=\"60\""
            #expect(page.contains(image))
            #expect(project.exists("snapfarm-out/captures/A/S/shop.png"))
            let approved = try project.program().run(["approve", "--run", "latest"])
            #expect(approved.status == 0, "\(approved.said)")
            #expect(try project.run().status == 0)
            // A finding that is gone is no difference.
            try project.folder.write(
                "shop.html",
                Self.shop("<img alt=''>").replacing("#bbb", with: "#bbb")
            )
            let gone = try project.run()
            #expect(try verdicts(project)["shop.axe.yaml"] == .passed, "\(gone.said)")
            try FileManager.default.removeItem(atPath: project.folder.file("axe.js"))
            let without = try project.run()
            #expect(without.output.contains("the script of axe-core, axe.js, cannot be read"))
        }
    }
}
