import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Tests of an iOS team's daily work, with `pipelines/ios.yaml` and the stand-in for
    /// xcodebuild: one process for many tests, and pictures that only the framework names.
    @Suite("A picture belongs to a test", .serialized)
    struct OwnershipTests {
        private let state: TemporaryFolder
        private let program: Program

        init() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().path
            state = try TemporaryFolder("ownership")
            _ = try Shell.run(
                "cp -r '\(root)/pipelines' '\(state.path)/' && "
                    + "rm -rf '\(state.path)/pipelines/.snapfarm'"
            )
            program = Program(folder: state.path)
        }

        private func run(_ arguments: String...) throws -> (status: Int32, summary: RunSummary) {
            let ending = try program.run(
                ["run", "pipelines/ios.yaml", "--output", "out", "--json"] + arguments
            )
            let summary = try JSONDecoder().decode(
                RunSummary.self,
                from: Data(ending.output.utf8)
            )
            return (ending.status, summary)
        }

        private func shown(
            _ gitHub: GitHubAtHand,
            _ arguments: String...
        ) throws -> ShownRun {
            try ShownRun("pipelines/ios.yaml", arguments, in: state, gitHub)
        }

        private func act(_ method: String, _ words: String) throws {
            try state.write("pipelines/ios/stand-in/act/\(method)", words + "\n")
        }

        private var pin: String {
            get throws {
                try String(
                    contentsOfFile: state.file("pipelines/.snapfarm/ios/snapfarm.refs"),
                    encoding: .utf8
                )
            }
        }

        private static let other = "picture=$(ls \"$here\"/../../Small/light/*.png | head -n 1)"

        @Test("a changed picture is its test's verdict, and approving it makes the run green")
        func changed() throws {
            let gitHub = try GitHubAtHand(in: state)
            defer { gitHub.process.kill() }
            #expect(try run("--mode", "record").status == 0)
            try act("testBalance", Self.other)
            let red = try shown(gitHub)
            let summary = red.summary
            #expect(red.status == 1)
            #expect(summary.counts.changed == 6 && summary.counts.passed == 8)
            let changed = summary.snapshots.filter { $0.verdict == .changed }
            #expect(changed.count == 6)
            #expect(
                changed.allSatisfy { $0.test == "AppSnapshotTests/WalletTests/testBalance" }
            )
            let words = "6 of 14 tests need a look: 6 changed."
            #expect(red.terminal.contains("failed: \(words)"), "\(red.terminal)")
            #expect(red.terminal.contains(" in 6 pictures: 6 changed.\n"), "\(red.terminal)")
            #expect(red.terminal.contains("≠ changed Wallet/testBalance on "), "\(red.terminal)")
            #expect(red.page.contains(words) && red.cards == summary.changes?.count)
            #expect(red.page.contains("<h3><bdi>Wallet</bdi></h3>"))
            #expect(red.report.contains(words) && red.report.contains(" in 6 pictures\n"))
            #expect(red.report.contains("### Wallet\n\n#### testBalance\n"))
            red.expectJUnit(failures: 6)
            red.expectZip()
            let title = "::error title=changed%3A Wallet/testBalance on "
            #expect(!red.annotations.isEmpty)
            #expect(red.annotations.allSatisfy { $0.hasPrefix(title) }, "\(red.annotations)")
            #expect(red.commitStatus == "failure: 8 of 14 passed, 6 changed")
            #expect(red.comment.contains("|≠ changed **Wallet/testBalance**|"))
            #expect(red.comment.contains(words), "\(red.comment)")
            let approved = try program.run([
                "approve", "pipelines/ios.yaml", "--run", summary.run.id, "--reason", "larger",
            ])
            #expect(approved.status == 0, "\(approved.said)")
            let green = try shown(gitHub)
            #expect(green.status == 0 && green.terminal.contains("passed: 14 tests as expected."))
            #expect(green.annotations.isEmpty && green.cards == 0)
            #expect(green.page.contains("Every picture is as expected."))
            #expect(!green.report.contains(" change in "))
            green.expectJUnit(failures: 0)
            #expect(green.zip.allSatisfy { !$0.hasSuffix(".png") })
            #expect(green.commitStatus == "success: 14 of 14 passed")
            #expect(green.comment.contains("✓ ios-app: passed"), "\(green.comment)")
        }

        @Test("a failing test's picture is neither approved nor recorded")
        func failing() throws {
            #expect(try run("--mode", "record").status == 0)
            let before = try pin
            try act("testLogin", Self.other + "; failure='XCTUnwrap failed: expected a user'")
            let gitHub = try GitHubAtHand(in: state)
            defer { gitHub.process.kill() }
            let red = try shown(gitHub)
            let summary = red.summary
            #expect(red.status == 1)
            #expect(summary.counts.failed == 6 && summary.counts.passed == 8)
            let words = "6 of 14 tests need a look: 6 failed."
            #expect(red.terminal.contains("failed: \(words)"), "\(red.terminal)")
            #expect(red.terminal.contains("✕ failed Login/testLogin on "), "\(red.terminal)")
            #expect(red.page.contains(words) && red.page.contains(">Login/testLogin</bdi>"))
            #expect(red.report.contains(words) && red.report.contains("## Tests (6)\n"))
            red.expectJUnit(failures: 6)
            red.expectZip()
            let title = "::error title=failed%3A Login/testLogin on "
            #expect(!red.annotations.isEmpty)
            #expect(red.annotations.allSatisfy { $0.hasPrefix(title) }, "\(red.annotations)")
            #expect(red.commitStatus == "failure: 8 of 14 passed, 6 failed")
            #expect(red.comment.contains("- ✕ **failed** Login/testLogin on "), "\(red.comment)")
            let approved = try program.run([
                "approve", "pipelines/ios.yaml", "--run", summary.run.id, "--reason", "x",
            ])
            #expect(approved.errors.contains("its test is failed"), "\(approved.said)")
            #expect(try pin == before)
            let recorded = try run("--mode", "record")
            #expect(recorded.status == 1)
            #expect(recorded.summary.counts.failed == 6)
            #expect(try pin == before)
        }

        @Test("a picture that is another one each time is taken twice, and not recorded")
        func random() throws {
            #expect(try run("--mode", "record").status == 0)
            let before = try pin
            try act(
                "testLogin",
                "count=$acts/count-$(echo \"$destination\" | cksum | cut -d ' ' -f 1); "
                    + "echo x >> \"$count\"; "
                    + "[ $(( $(wc -l < \"$count\") % 2 )) = 0 ] || " + Self.other
            )
            let gitHub = try GitHubAtHand(in: state)
            defer { gitHub.process.kill() }
            let red = try shown(gitHub, "--mode", "record")
            let summary = red.summary
            #expect(red.status == 1)
            let flaky = summary.snapshots.filter { $0.verdict == .flaky }.count
            let unstable = summary.problems.filter { $0.code == "unstable-picture" }.count
            #expect(flaky > 0 && unstable == flaky)
            // Each output reports all of them together in one message.
            #expect(red.terminal.ranges(of: "\nunstable-picture: ").count == 1, "\(red.terminal)")
            #expect(red.terminal.contains(" \(flaky) flaky.\n"), "\(red.terminal)")
            #expect(red.page.ranges(of: "<code>unstable-picture</code>").count == 1)
            #expect(red.page.ranges(of: "Another attempt").count >= flaky)
            #expect(red.report.ranges(of: "**unstable-picture**").count == 1)
            #expect(red.junit.ranges(of: "name=\"unstable-picture").count == 1)
            let title = "::error title=unstable-picture::"
            #expect(red.annotations.filter { $0.hasPrefix(title) }.count == 1)
            red.expectZip()
            #expect(red.commitStatus.hasPrefix("failure: "), "\(red.commitStatus)")
            #expect(red.comment.ranges(of: "**unstable-picture**").count == 1, "\(red.comment)")
            #expect(try pin == before)
        }

        @Test("two pipelines share a pin and a device, and neither drops the other's pictures")
        func twoPipelines() throws {
            let project = try Project(devices: ["A"], units: 0)
            try project.folder.write(
                "web.yaml",
                """
                version: 1
                name: web
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  snapshot_test:
                    kind: snapshot
                    driver: command
                    discover: echo web
                    run: mkdir -p $SNAPFARM_CAPTURE_DIR/Web && cp pictures/one.png
                      $SNAPFARM_CAPTURE_DIR/Web/{tests}.png
                """
            )
            try project.folder.write(
                "app.yaml",
                Project.pipeline(devices: ["A"]).replacing("  unit_test:", with: "  units:")
                    .replacing("cat units", with: "echo unit/1")
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            let web = ["run", "web.yaml", "--output", "web-out"]
            let recorded = try project.program().run(web + ["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            let verified = try project.run()
            #expect(verified.status == 0, "\(verified.said)")
            #expect(try project.summary().snapshots.count == 2)
            #expect(try project.run(["--mode", "record"]).status == 0)
            let again = try project.program().run(web)
            #expect(again.status == 0, "\(again.said)")
            #expect(try project.summary("web-out").snapshots.map(\.verdict) == [.passed])
        }

        @Test("a renamed job is red where a picture is not made any more, and says what to do")
        func renamedJob() throws {
            let project = try Project(devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write(
                "app.yaml",
                Project.pipeline(devices: ["A"]).replacing("snapshot_test:", with: "screens:")
            )
            #expect(try project.run().status == 0)
            try project.folder.write("scenes", "one\n")
            let ending = try project.run()
            #expect(ending.status == 1)
            let words = ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("`snapfarm refs retire A/Suite`"), "\(ending.output)")
            #expect(
                try project.summary().problems.map(\.code).contains("references-without-owner")
            )
        }
    }
}
