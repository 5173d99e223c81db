// Tests of I7 end to end: a test that fails for another reason keeps its picture from being
// accepted, in single-test processes and in results files, with either judge.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("The picture of a failing test", .serialized)
    struct FailingPictureTests {
        /// A test as iOSSnapshotTestCase runs it, with a printed line for each failure.
        ///
        /// `act/<name>` holds its further failures.
        private static let shot = """
            set -eu
            name=${1#Suite/}
            folder="${FB_REFERENCE_IMAGE_DIR}_64/Suite"
            words=""
            if [ "$SNAPSHOT_TEST_RECORD_MODE" = true ]; then
              mkdir -p "$folder"; cp "pictures/$name.png" "$folder/$name.png"
              words="failed - Test ran in record mode. Reference image is now saved."
            elif ! cmp -s "$folder/$name.png" "pictures/$name.png"; then
              mkdir -p "$IMAGE_DIFF_DIR/Suite"
              cp "$folder/$name.png" "$IMAGE_DIFF_DIR/Suite/reference_$name.png"
              cp "pictures/$name.png" "$IMAGE_DIFF_DIR/Suite/failed_$name.png"
              words="failed - Snapshot comparison failed: Images different"
            fi
            [ -z "$words" ] || echo "$words"
            [ ! -e "act/$name" ] || cat "act/$name"
            [ -z "$words" ] && [ ! -e "act/$name" ]
            """
        private static let batch = """
            set -eu
            out="$SNAPFARM_LEASE_DIR/out.xml"
            echo '<testsuite>' > "$out"
            while read -r test; do
              echo "<testcase name='$test'>" >> "$out"
              sh shot.sh "$test" < /dev/null | while read -r line; do
                echo "<failure message='$line'/>" >> "$out"
              done
              echo '</testcase>' >> "$out"
            done
            echo '</testsuite>' >> "$out"
            """

        private func project(run: String, judge: String) throws -> Project {
            let project = try Project(devices: ["A"], units: 0)
            try project.folder.write("shot.sh", Self.shot)
            try project.folder.write("batch.sh", Self.batch)
            try project.folder.write("scenes", "Suite/one\nSuite/two\n")
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 8, height: 8, scale: 1}]
                jobs:
                  snapshot_test:
                    kind: snapshot
                    driver: command
                    discover: cat scenes
                    judge: \(judge)
                    run: \(run)
                """
            )
            return project
        }

        private func approve(_ project: Project) throws -> ProcessEnding {
            let run = try project.summary().run.id
            return try project.program().run([
                "approve", "app.yaml", "--run", run, "--reason", "larger",
            ])
        }

        @Test(
            "is neither approved nor recorded, and the same picture is once nothing else fails",
            arguments: ["sh shot.sh {tests}", "sh batch.sh\n    results: out.xml"],
            ["farm", "framework"]
        )
        func failing(run: String, judge: String) throws {
            let project = try project(run: run, judge: judge)
            let first = try project.run(["--mode", "record"])
            #expect(first.status == 0, "\(first.said)")
            let pin = project.text("snapfarm.refs")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            try project.folder.write("act/two", "Expectation failed: 1 == 2\n")

            #expect(try project.run().status == 1)
            let failed = try project.summary()
            #expect(failed.counts.failed == 1 && failed.counts.passed == 1)
            let refused = try approve(project)
            #expect(refused.errors.contains("its test is failed"), "\(refused.said)")
            #expect(project.text("snapfarm.refs") == pin)
            #expect(try project.run(["--mode", "record"]).status == 1)
            #expect(try project.summary().counts.failed == 1)
            #expect(project.text("snapfarm.refs") == pin)

            try FileManager.default.removeItem(atPath: project.folder.file("act/two"))
            #expect(try project.run().status == 1)
            let changed = try project.summary()
            #expect(changed.counts.changed == 1 && changed.counts.passed == 1)
            let approved = try approve(project)
            #expect(approved.status == 0, "\(approved.said)")
            #expect(project.text("snapfarm.refs") != pin)
        }
    }
}
