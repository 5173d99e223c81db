// Tests of pictures without an owning test, as in a suite whose pictures are not named after tests.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A picture that nobody owns", .serialized)
    struct OwnerlessTests {
        /// Returns a project of twelve tests in one process.
        ///
        /// Each draws a picture, except when it runs alone.
        private func project(captures: String) throws -> Project {
            let project = try Project(scenes: [], devices: ["A"])
            try project.folder.write(
                "batch.sh",
                """
                set -eu
                root=$PWD
                cd "$SNAPFARM_LEASE_DIR"
                mkdir -p shots/Screens
                echo '<testsuite>' > out.xml
                while read -r test; do
                  echo "<testcase name='$test'/>" >> out.xml
                  case $SNAPFARM_LEASE_DIR in */alone*) continue ;; esac
                  cp "$root/pictures/$test.png" shots/Screens/
                done
                echo '</testsuite>' >> out.xml
                """
            )
            try write(captures: captures, to: project)
            try draw(10, in: project)
            return project
        }

        private func draw(_ shade: UInt8, in project: Project) throws {
            for number in 1...12 {
                let picture = Project.png(shade: shade + UInt8(number))
                try project.folder.write("pictures/screen\(number).png", picture)
            }
        }

        private func write(captures: String, to project: Project) throws {
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  screens:
                    kind: snapshot
                    driver: command
                    discover: seq -f screen%g 12
                    run: sh batch.sh
                    results: out.xml
                    captures: \(captures)
                """
            )
        }

        private static let owned = #"{pattern: "shots/**/*.png", test: "{name}"}"#
        private static let ownerless = #""shots/**/*.png""#
        /// JUnit's counts for a suite in which no test has passed.
        private static let allErrored = #"tests="12" failures="0" errors="12" skipped="0""#

        @Test("is not recorded: the run is red, says how to name it, and writes no set and no pin")
        func recorded() throws {
            let project = try project(captures: Self.ownerless)
            let ending = try project.run(["--mode", "record"])
            #expect(ending.status == 1, "\(ending.said)")
            #expect(ending.output.contains("of no known test"), "\(ending.output)")
            #expect(ending.output.contains("captures: {pattern: …, test:"), "\(ending.output)")
            #expect(ending.output.contains(".json file beside it"), "\(ending.output)")
            let counts = try project.summary().counts
            #expect(counts.errored == 12 && counts.passed == 0)
            #expect(project.text("snapfarm-out/junit.xml").contains(Self.allErrored))
            #expect(!project.exists("snapfarm.refs"))
            let store = project.folder.file("store.git")
            let sets = try Shell.output("git -C '\(store)' for-each-ref refs/snapfarm/sets")
            #expect(sets.isEmpty, "\(sets)")
        }

        @Test("makes every test red that may have made it, in counts, JUnit, status and comment")
        func changed() throws {
            let project = try project(captures: Self.owned)
            #expect(try project.run(["--mode", "record"]).status == 0)
            let pin = project.text("snapfarm.refs")
            try write(captures: Self.ownerless, to: project)
            try draw(100, in: project)
            let gitHub = try GitHubAtHand(project)
            defer { gitHub.process.kill() }
            let ending = try project.run(environment: gitHub.environment)
            #expect(ending.status == 1, "\(ending.said)")
            let words = "12 of 12 tests need a look: 12 errored"
            #expect(ending.output.contains("failed: " + words), "\(ending.output)")
            #expect(ending.output.contains("of no known test"), "\(ending.output)")
            let summary = try project.summary()
            #expect(summary.state == .failed)
            #expect(summary.counts.errored == 12 && summary.counts.passed == 0)
            #expect(summary.tests.allSatisfy { $0.message.contains("captures: {pattern") })
            #expect(summary.snapshots.allSatisfy { $0.verdict != .passed })
            let junit = project.text("snapfarm-out/junit.xml")
            #expect(junit.contains(Self.allErrored) && junit.contains("of no known test"))
            #expect(try gitHub.state("snapfarm/app") == "failure")
            #expect(try gitHub.words("snapfarm/app") == "0 of 12 passed, 12 errored")
            #expect(try gitHub.comment().contains("12 errored"))
            _ = try project.program().run([
                "approve", "app.yaml", "--run", summary.run.id, "--reason", "larger",
            ])
            #expect(project.text("snapfarm.refs") == pin)
        }
    }
}
